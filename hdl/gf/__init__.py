"""Pure algebra over GF(2): fields, linear maps, towers, and networks of XORs that compute many sums. No Amaranth."""

from . import matrix
from .field import Field
from .sharing import shared
from .tower import Tower, tower
from .xor_network import XorNetwork

__all__ = ["Field", "Tower", "XorNetwork", "matrix", "shared", "tower"]
