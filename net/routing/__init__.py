"""Routing: relations with their certificates, and routes on the arrays of any graph (wiring)."""
