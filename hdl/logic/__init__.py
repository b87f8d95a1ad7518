"""Small combinational units that every room uses."""

from .balance import Timed, both, either
from .magnitude import Magnitude
from .minterms import Minterms
from .ones import TrailingOne, decode
from .threshold import Threshold
from .xor_gates import xor_gates

__all__ = ["Magnitude", "Minterms", "Threshold", "Timed", "TrailingOne", "both", "decode", "either", "xor_gates"]
