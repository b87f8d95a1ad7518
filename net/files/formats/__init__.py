"""Formats of files of networks: one module per family, which recognises, reads and writes its formats."""
