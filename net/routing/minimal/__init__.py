"""Shortest paths in a DSN without tables."""
