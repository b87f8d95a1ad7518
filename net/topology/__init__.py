"""Topologies: the protocol of a network, one module for each kind, any graph, and their registry. No Amaranth."""
