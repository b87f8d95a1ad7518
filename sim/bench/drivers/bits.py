"""Bits in arrays, for benches of codes. Other benches start in less time without numpy."""

import numpy as np

__all__ = ["numbers"]


def numbers(bits):
    """Integers of rows of bits; bit i is in column i."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(bits, axis=1, bitorder="little")]
