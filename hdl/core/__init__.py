"""The switch core: arrival and routing, buffers, forwarding tables, allocation, and the crossbar."""
