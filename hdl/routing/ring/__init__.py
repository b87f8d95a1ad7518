"""Routing round a ring of any size: distance, direction, zero checker. All topologies made of rings share it."""
