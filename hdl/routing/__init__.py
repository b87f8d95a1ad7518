"""Routing, one directory per topology. Each has a relation in plain integers (:mod:`relation`) and the same as gateware."""
