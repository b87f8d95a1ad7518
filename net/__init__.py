"""Networks in plain Python: topologies, routing, tables, plans, files and analyses. No Amaranth."""
