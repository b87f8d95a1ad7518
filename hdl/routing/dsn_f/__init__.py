"""Routing of DSN-F: layer links down to layer 0, ring DSN routing within layer 0, layer links up to the destination."""
