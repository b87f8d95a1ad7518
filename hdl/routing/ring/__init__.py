"""Travel round a ring of any size: distance, direction, zero checker. Shared by every topology that is made of rings."""

from .direction import Direction
from .distance import Distance
from .own import RingTerms, RingTermsSignature
from .zero_checker import ZeroChecker

__all__ = ["Direction", "Distance", "RingTerms", "RingTermsSignature", "ZeroChecker"]
