"""Event counters."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Counter"]


class Counter(wiring.Component):
    """Counts cycles with ``event``; stays at its greatest value. Latency 1 cycle.

    Members
    -------
    event : In(1)
    clear : In(1)
        Back to 0, or to 1 with an event in the same cycle: none is lost.
    count : Out(width)
    """

    def __init__(self, width=32):
        super().__init__({"event": In(1), "clear": In(1), "count": Out(width)})

    def elaborate(self, platform):
        m = Module()
        with m.If(self.clear):
            m.d.sync += self.count.eq(self.event)
        with m.Elif(self.event & ~self.count.all()):
            m.d.sync += self.count.eq(self.count + 1)
        return m
