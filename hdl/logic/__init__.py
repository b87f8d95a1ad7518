"""Small units that every other package of the gateware uses: gates, decoders, counters, connections."""

from .counter import Counter, count
from .decoders import Lookup, Minterms, decode, equals
from .gates import Timed, both, either, xor_gates
from .gather import Gather
from .magnitude import Magnitude
from .ones import Threshold, TrailingOne, ones, total_of
from .wiring import Beside, connect_ports

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
    "connect_ports",
    "count",
    "decode",
    "either",
    "equals",
    "ones",
    "total_of",
    "xor_gates",
]
