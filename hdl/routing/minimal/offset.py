"""Forward distance from the switch's coordinate to the destination's, round a ring of any size."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Offset"]


class Offset(wiring.Component):
    """``distance = (dst - own) mod n``. Combinational.

    If n is not a power of two, the difference is computed with and without n, from terms of the switch's coordinate alone. The
    packet's path then has one subtraction and the choice between the two.

    Members
    -------
    own, dst : In(p), In(p)
        Coordinates of this switch (static) and of the destination, 0..n-1.
    distance : Out(p)
        Forward distance, 0..n-1.
    """

    def __init__(self, n):
        self._n = n
        binary = (n - 1).bit_length()
        super().__init__({"own": In(binary), "dst": In(binary), "distance": Out(binary)})

    def elaborate(self, platform):
        m = Module()
        if self._n & (self._n - 1) == 0:
            m.d.comb += self.distance.eq(self.dst - self.own)
            return m
        below = Signal.like(self.own)  # the switch's coordinate one turn earlier
        m.d.comb += [
            below.eq(self.own - self._n),
            self.distance.eq(Mux(self.dst < self.own, self.dst - below, self.dst - self.own)),
        ]
        return m
