"""Models of the switch: the core, and the decisions of forwarding."""
