"""Reed-Solomon codes: RS(528,514), RS(544,514), RS(255,239) and any other."""

from .codec import Decoded, decode, encode, syndromes
from .parameters import NAMED, ReedSolomonCode

__all__ = ["NAMED", "Decoded", "ReedSolomonCode", "decode", "encode", "syndromes"]
