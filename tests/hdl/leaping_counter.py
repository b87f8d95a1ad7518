"""Stand-in for saturating counters in tests of the units that have them."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: What an event adds: odd, so that a count returns after all of its values.
STEP = 0x9E3779B1


class LeapingCounter(wiring.Component):
    """Counts in steps of STEP, modulo its width. So a few events change every bit of its count."""

    def __init__(self, width=32, step=1, split=False):
        super().__init__({"add": In(step), "clear": In(1), "count": Out(width)})

    def elaborate(self, platform):
        m = Module()
        with m.If(self.clear):
            m.d.sync += self.count.eq(self.add * STEP)
        with m.Else():
            m.d.sync += self.count.eq(self.count + self.add * STEP)
        return m
