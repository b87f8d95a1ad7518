"""Direction of travel in one dimension (the sign bit of D Fig. 4.4)."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Direction"]


class Direction(wiring.Component):
    """Backward if the forward distance is more than half the ring, ``2 f > n`` (D Fig. 4.2). Combinational.

    For n = 2**p this is the top bit of f unless f is just n / 2: all other bits of ``dst`` and ``own`` are equal then,
    which the residue knows before the subtraction is done.

    Members
    -------
    forward : In(p)
        Forward distance.
    residue : In(p)
        From :class:`~.distance.Distance`.
    backward : Out(1)
        1 for backward, 0 for forward.
    """

    def __init__(self, n):
        self._n = n
        levels = (n - 1).bit_length()
        super().__init__({"forward": In(levels), "residue": In(levels), "backward": Out(1)})

    def elaborate(self, platform):
        m = Module()
        if self._n & (self._n - 1) == 0:
            m.d.comb += self.backward.eq(self.forward[-1] & self.residue[:-1].any())
        else:
            m.d.comb += self.backward.eq(self.forward > self._n // 2)
        return m
