"""SECDED codes with odd-weight columns (Hsiao codes): (270,260), (72,64), (39,32) and every other size that exists."""

from .codec import Decoded, decode, encode, syndrome
from .decoder import POSITIONS, SecdedDecoder
from .encoder import SecdedEncoder
from .pair import Secded
from .parameters import SecdedCode

__all__ = [
    "POSITIONS",
    "Decoded",
    "Secded",
    "SecdedCode",
    "SecdedDecoder",
    "SecdedEncoder",
    "decode",
    "encode",
    "syndrome",
]
