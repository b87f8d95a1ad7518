"""Runs a compiled core as a network: the state of all switches, cables, sources and sinks, statistics, errors."""
