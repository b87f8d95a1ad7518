"""Credit return: the credits of one channel from two sources to the sender of flits."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CreditReturn"]


class CreditReturn(wiring.Component):
    """Returns credits of two sources one by one, and delays them while ``hold`` is 1. Latency 1 cycle, one credit per cycle.

    Parameters
    ----------
    depth : int
        Credits of the channel: no more are returned at a time.

    Members
    -------
    earned : In(2)
        A bit per source: the source gives back a credit.
    hold : In(1)
        Return no credit.
    credit : Out(1)
        A credit returns.

    Attributes
    ----------
    owed : Signal
        Credits that have not returned.
    """

    def __init__(self, depth):
        self._depth = depth
        self.owed = Signal(range(depth + 1))
        super().__init__({"earned": In(2), "hold": In(1), "credit": Out(1)})

    def elaborate(self, platform):
        m = Module()
        all_owed = Signal(range(self._depth + 1))
        returned = Signal()
        m.d.comb += [
            all_owed.eq(self.owed + self.earned[0] + self.earned[1]),
            returned.eq(~self.hold & (self.earned.any() | self.owed.any())),
        ]
        m.d.sync += [self.credit.eq(returned), self.owed.eq(all_owed - returned)]
        return m
