"""Which network to build: all networks that hold a number of hosts, compared."""
