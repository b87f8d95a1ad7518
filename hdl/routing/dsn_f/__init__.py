"""Routing of DSN-F: layer links down to layer 0, the routing of the ring DSN there, layer links up to the destination."""
