"""Small combinational units that every room uses."""

from .balance import Timed, both, either
from .counter import Counter, count
from .gather import Gather
from .lookup import Lookup, equals
from .magnitude import Magnitude
from .minterms import Minterms
from .ones import TrailingOne, decode
from .stage import stage
from .threshold import Threshold
from .xor_gates import xor_gates

__all__ = [
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
    "stage",
    "xor_gates",
]
