"""Where blocks begin (IEEE 802.3 Figure 49-14)."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BlockLock"]


class BlockLock(wiring.Component):
    """Locked after 64 valid headers in a row; lost with 16 invalid ones in a window of 64. One header a cycle.

    Members
    -------
    test : In(1)
        There is a header.
    valid : In(1)
        It is one of those that exist.
    locked : Out(1)
        Headers have been where they are looked for. Latency 1 cycle.
    slip : Out(1)
        For a cycle: look one bit later. Latency 1 cycle. What comes in the next :attr:`settle` cycles is not tested, as
        it was on its way before.
    """

    #: Valid headers that make a lock, which is also the window; invalid ones in it that lose it.
    WINDOW, LIMIT = 64, 16

    def __init__(self, settle=0):
        self.settle = settle
        super().__init__({"test": In(1), "valid": In(1), "locked": Out(1), "slip": Out(1)})

    def elaborate(self, platform):
        m = Module()
        # Headers of the window so far, and invalid ones among them.
        count = Signal(range(self.WINDOW))
        invalid = Signal(range(self.LIMIT))
        pause = Signal(range(self.settle + 1), name="pause") if self.settle else None
        ready = ~pause.any() if self.settle else 1
        bad = Signal()
        last = Signal()
        m.d.comb += [
            bad.eq(~self.valid & (~self.locked | (invalid == self.LIMIT - 1))),
            last.eq(count == self.WINDOW - 1),
        ]
        m.d.sync += self.slip.eq(0)
        if self.settle:
            with m.If(~ready):
                m.d.sync += pause.eq(pause - 1)
        with m.If(self.test & ready):
            with m.If(bad | last):
                m.d.sync += [count.eq(0), invalid.eq(0)]
            with m.Else():
                m.d.sync += [count.eq(count + 1), invalid.eq(invalid + ~self.valid)]
            with m.If(bad):
                m.d.sync += [self.locked.eq(0), self.slip.eq(1)]
                if self.settle:
                    m.d.sync += pause.eq(self.settle)
            with m.Elif(last & self.valid & ~invalid.any()):
                m.d.sync += self.locked.eq(1)
        return m
