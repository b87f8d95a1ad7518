"""Routing tables for networks that the routing algorithm cannot route: compiled from graphs, checked, read and written."""
