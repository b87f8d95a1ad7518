"""256b/260b (D 5.1.2, Fig. 5.2): four MII words in a block of 260 bits, in two formats, *protected* and *literal*."""

from .literal import LiteralPacker, LiteralUnpacker
from .protected import ProtectedPacker, ProtectedUnpacker
from .rx import Pcs260Rx
from .tx import FORMATS, Pcs260Tx

__all__ = [
    "FORMATS",
    "LiteralPacker",
    "LiteralUnpacker",
    "Pcs260Rx",
    "Pcs260Tx",
    "ProtectedPacker",
    "ProtectedUnpacker",
]
