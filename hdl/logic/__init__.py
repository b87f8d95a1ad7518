"""Small units that every room uses."""

from .balance import Timed, both, either
from .beside import Beside
from .counter import Counter, count
from .forward import forward
from .gather import Gather
from .lookup import Lookup, equals
from .magnitude import Magnitude
from .minterms import Minterms
from .ones import TrailingOne, decode, ones, total_of
from .threshold import Threshold
from .xor_gates import xor_gates

__all__ = [
    "Beside",
    "Counter",
    "Gather",
    "Lookup",
    "Magnitude",
    "Minterms",
    "Threshold",
    "Timed",
    "TrailingOne",
    "both",
    "count",
    "decode",
    "either",
    "equals",
    "forward",
    "ones",
    "total_of",
    "xor_gates",
]
