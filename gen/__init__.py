"""Everything a user calls: Verilog, manifest, topology and route queries, the command line."""
