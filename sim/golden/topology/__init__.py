"""Graphs of networks, as the papers define them."""
