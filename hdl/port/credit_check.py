"""Check that all credits of the core's buffers have returned while nothing moves: one that the core has lost is missing."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CreditCheck"]


class CreditCheck(wiring.Component):
    """Compares the level of the core's buffers, as credits state it, with the buffers themselves.

    If the core says for ``PERIOD`` cycles that its buffers are empty, and no flit and no credit passes meanwhile, every credit
    has returned. If credits are missing then, the core has lost them.

    Members
    -------
    buffers_empty : In(1)
        The core's buffers of all channels hold no flit.
    moves : In(1)
        A flit enters the core, or a credit returns.
    credits_home : In(1)
        Credits of all flits have returned.
    lost : Out(1)
        Credits are lost: one pulse.
    """

    #: Cycles, more than a flit or a credit is on its way in the core.
    PERIOD = 64

    buffers_empty: In(1)
    moves: In(1)
    credits_home: In(1)
    lost: Out(1)

    def elaborate(self, platform):
        m = Module()
        quiet = Signal(range(self.PERIOD + 1))
        done = Signal()
        m.d.comb += [done.eq(quiet == self.PERIOD), self.lost.eq(done & ~self.credits_home)]
        with m.If(~self.buffers_empty | self.moves | self.credits_home | done):
            m.d.sync += quiet.eq(0)
        with m.Else():
            m.d.sync += quiet.eq(quiet + 1)
        return m
