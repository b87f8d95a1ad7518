"""The round trip of a fabric link whose lines change their formats."""

from amaranth.hdl import Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .shape import FabricShape

__all__ = ["RoundTrip"]


class RoundTrip(wiring.Component):
    """Cycles of a round trip in the formats that both lines have now. Registered; a constant if the line has one format.

    Parameters
    ----------
    shape : FabricShape
        With retransmission. Its round trip is that of the slower format.

    Members
    -------
    strict : In(2)
        The line to the other end, and the line from it, is in the slower format.
    cycles : Out
    """

    def __init__(self, shape: FabricShape):
        self._longest, self._saves = shape.round_trip, shape.kind.light_saves
        super().__init__({"strict": In(2), "cycles": Out(range(shape.round_trip + 1), init=shape.round_trip)})

    def elaborate(self, platform):
        m = Module()
        if self._saves:
            m.d.sync += self.cycles.eq(self._longest - sum(Mux(strict, 0, self._saves) for strict in self.strict))
        else:
            m.d.comb += self.cycles.eq(Const(self._longest))
        return m
