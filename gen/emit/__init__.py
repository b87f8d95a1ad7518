"""Writes a block as files: Verilog, manifest, and files for other tools."""
