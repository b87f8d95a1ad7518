"""Direction of travel in one dimension (the sign bit of D Fig. 4.4)."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import AtLeast
from .own import BoundSignature, reaches

__all__ = ["Direction"]


class Direction(wiring.Component):
    """Backward if the forward distance is more than half the ring, ``2 f > n`` (D Fig. 4.2). Combinational.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    below : In(1)
        ``dst < own``.
    half : In(BoundSignature)
        Static bound of the distance ``n // 2 + 1``.
    backward : Out(1)
        1 for backward, 0 for forward.

    Parameters
    ----------
    levels : int
        Levels p of the ring. A ring of 2 has no distance beyond half and needs no direction.
    """

    def __init__(self, levels):
        half = BoundSignature(levels)
        super().__init__({"dst": In(levels), "below": In(1), "half": In(half), "backward": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.compare = compare = AtLeast(len(self.dst))
        m.d.comb += [
            compare.a.eq(self.dst),
            compare.b.eq(self.half.at),
            self.backward.eq(reaches(compare.o, self.below, self.half.wrap)),
        ]
        return m
