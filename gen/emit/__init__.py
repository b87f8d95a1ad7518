"""From a block to files: Verilog, manifest, and what a user's flow needs beside them."""

from .folder import emit

__all__ = ["emit"]
