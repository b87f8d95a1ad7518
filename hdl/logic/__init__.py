"""Small combinational units that every room uses."""

from .magnitude import Magnitude
from .minterms import Minterms
from .ones import TrailingOne, decode
from .threshold import Threshold
from .xor_gates import xor_gates

__all__ = ["Magnitude", "Minterms", "Threshold", "TrailingOne", "decode", "xor_gates"]
