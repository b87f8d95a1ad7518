"""Algebra over GF(2) in plain integers: fields, linear maps, tower fields, and XOR networks for many sums. No Amaranth."""

from . import matrix
from .field import Field
from .sharing import shared
from .tower import Tower, tower
from .xor_network import XorNetwork

__all__ = ["Field", "Tower", "XorNetwork", "matrix", "shared", "tower"]
