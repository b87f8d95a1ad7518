"""Small units that every room uses."""

from .balance import Timed, both, either
from .beside import Beside
from .counter import Counter, count
from .delay_memory import DelayMemory
from .forward import forward
from .gather import Gather
from .lookup import Lookup, equals
from .magnitude import Magnitude
from .minterms import Minterms
from .ones import TrailingOne, decode, ones, total_of
from .stage import stage
from .threshold import Threshold
from .turns import choose, turn
from .xor_gates import xor_gates

__all__ = [
    "Beside",
    "Counter",
    "DelayMemory",
    "Gather",
    "Lookup",
    "Magnitude",
    "Minterms",
    "Threshold",
    "Timed",
    "TrailingOne",
    "both",
    "choose",
    "count",
    "decode",
    "either",
    "equals",
    "forward",
    "ones",
    "stage",
    "total_of",
    "turn",
    "xor_gates",
]
