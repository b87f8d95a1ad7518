"""Figures of networks: paths, loads, the graph, random failed links, latency on a floor."""
