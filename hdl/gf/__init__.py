"""Pure algebra over GF(2): fields, and networks of XORs that compute many sums of the same bits. No Amaranth."""

from .field import Field
from .xor_network import XorNetwork

__all__ = ["Field", "XorNetwork"]
