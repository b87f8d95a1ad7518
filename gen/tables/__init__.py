"""Tables for what the routing algorithm cannot route: compiled from topologies and graphs, checked, read and written."""
