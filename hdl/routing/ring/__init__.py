"""Routing round a ring of any size: distance, direction, zero checker. All topologies made of rings share it."""

from .direction import Direction
from .distance import Distance
from .own import RingTerms, RingTermsSignature
from .zero_checker import ZeroChecker

__all__ = ["Direction", "Distance", "RingTerms", "RingTermsSignature", "ZeroChecker"]
