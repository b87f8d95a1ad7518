"""Routing tables: of a relation or of the routes on any graph; check, changes, files."""
