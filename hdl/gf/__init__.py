"""Linear algebra over GF(2): networks of XORs that compute many sums of the same bits. No Amaranth."""

from .xor_network import XorNetwork

__all__ = ["XorNetwork"]
