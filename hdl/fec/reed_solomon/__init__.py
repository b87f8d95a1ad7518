"""Reed-Solomon codes: RS(528,514), RS(544,514), RS(255,239) and any other."""

from .beats import Beats
from .codec import Decoded, decode, encode, syndromes
from .decoder import RsDecoder, decoded_layout
from .encoder import RsEncoder
from .monitor import SymbolErrorMonitor
from .parameters import NAMED, ReedSolomonCode
from .plan import CUTS, DecoderPlan
from .statistics import counters

__all__ = [
    "CUTS",
    "NAMED",
    "Beats",
    "Decoded",
    "DecoderPlan",
    "ReedSolomonCode",
    "RsDecoder",
    "RsEncoder",
    "SymbolErrorMonitor",
    "counters",
    "decode",
    "decoded_layout",
    "encode",
    "syndromes",
]
