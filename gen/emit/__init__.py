"""Writes a block as files: Verilog, manifest, and files for other tools."""

from .folder import emit

__all__ = ["emit"]
