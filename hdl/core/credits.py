"""Credits of one output channel: how many flits the receiver's buffer can still take."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CreditCounter"]


class CreditCounter(wiring.Component):
    """Counts the free flits of the receiver's buffer, and compares the count before it is needed.

    The comparisons are registered; in the cycle in which a flit is sent they already count it.

    Parameters
    ----------
    depth : int
        Credits after reset.
    packet : int
        Flits of the longest packet; 1 to ``depth``.

    Members
    -------
    sent : In(1)
        A flit is on its way to the output register.
    credit : In(1)
        The receiver has freed one flit.
    stall : In(1)
        The link cannot take flits now. From the next cycle on, both answers are 0.
    any_left : Out(1)
        One flit more can be sent.
    packet_left : Out(1)
        A longest packet more can be sent.

    Attributes
    ----------
    left : Signal
        The count, without the flit that is sent now.
    """

    def __init__(self, depth, packet):
        self._depth, self._packet = depth, packet
        self.left = Signal(range(depth + 1), init=depth)
        super().__init__({"sent": In(1), "credit": In(1), "stall": In(1), "any_left": Out(1), "packet_left": Out(1)})

    def elaborate(self, platform):
        m = Module()
        left = self.left
        after = Signal(range(self._depth + 1))
        # One credit more than the receiver has is an error of the receiver; the count stays where it is.
        full = Signal(init=1)
        up = Signal()
        m.d.comb += [
            up.eq(self.credit & ~(full & ~self.sent)),
            after.eq(Mux(self.sent, Mux(up, left, left - 1), Mux(up, left + 1, left))),
        ]
        m.d.sync += [left.eq(after), full.eq(after == self._depth)]
        for name, bound, answer in (("any", 1, self.any_left), ("packet", self._packet, self.packet_left)):
            reached = Signal(name=f"{name}_reached", init=self._depth >= bound)
            passed = Signal(name=f"{name}_passed", init=self._depth > bound)
            m.d.sync += reached.eq((after >= bound) & ~self.stall)
            if bound < self._depth:
                m.d.sync += passed.eq((after > bound) & ~self.stall)
            m.d.comb += answer.eq(Mux(self.sent, passed, reached))
        return m
