"""The user's side of the project: commands, Verilog, manifests, tables, queries of topologies and routes, measurements."""
