"""Routing of a DSN around failed links."""
