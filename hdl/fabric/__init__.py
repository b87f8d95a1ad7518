"""The fabric link: joins ports of switch cores by lines with error correction, credits and a start that checks the cable."""

from .port import FabricPort
from .session import DIFFERENCES, State
from .shape import HEAD_BITS, FabricShape
from .status import COUNTERS, status_layout

__all__ = ["COUNTERS", "DIFFERENCES", "HEAD_BITS", "FabricPort", "FabricShape", "State", "status_layout"]
