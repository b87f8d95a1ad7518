"""Routing relations, their certificates, and paths for networks without a relation."""
