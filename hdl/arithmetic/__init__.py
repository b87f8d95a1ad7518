"""Arithmetic in GF(2**m) as gateware: multipliers, inverse, quotient. An element is m bits; bit i is the coefficient of x**i."""

from .inverse import Inverse
from .linear import LinearMap, linear
from .multiplier import Multiplier
from .quotient import Quotient

__all__ = ["Inverse", "LinearMap", "Multiplier", "Quotient", "linear"]
