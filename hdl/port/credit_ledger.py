"""Credits of one channel at the sender: flits on the line, and credits that the core gets back."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CreditLedger"]


class CreditLedger(wiring.Component):
    """Turns the receiver's count of freed flits into credit pulses for the core. Latency 3 cycles from report to pulse.

    The count is absolute, modulo ``2**width``, so a lost report is repaired by the next. A report that claims more flits than
    are in flight is ignored. Each flit that the core sent is in flight, or its credit is owed or returned: none is counted
    twice or forgotten.

    Parameters
    ----------
    depth : int
        Flits of the receiver's buffer.
    width : int
        Bits of a count; ``2**width > 2 * depth``.

    Members
    -------
    active : In(1)
        The receiver accepts flits. While 0, both counts are 0, and credits of flits in flight are returned.
    sent, dropped : In(1)
        A flit of the core enters the line, is dropped. Never both; ``sent`` only while ``active``.
    update, freed : In(1), In(width)
        The receiver reports how many flits have left its buffer. In the cycle after a report another is ignored.
    credit : Out(1)
        A credit for the core; registered.
    count : Out(width)
        Flits sent since ``active`` rose; registered.

    Attributes
    ----------
    flight, owed : Signal
        Flits in flight, credits owed.
    """

    def __init__(self, depth, width):
        self.flight = Signal(range(depth + 1))
        self.owed = Signal(range(depth + 1))
        super().__init__(
            {
                **{name: In(1) for name in (("active", "sent", "dropped", "update"))},
                "freed": In(width),
                "credit": Out(1),
                "count": Out(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Flits that the report frees, and what was reported before.
        advance = Signal.like(self.count)
        last = Signal.like(self.count)
        compares = Signal()
        believed = Signal()
        returned = Signal.like(self.flight)
        gives = Signal()
        m.d.comb += [
            believed.eq(compares & (advance <= self.flight)),
            returned.eq(Mux(self.active, Mux(believed, advance, 0), self.flight)),
            gives.eq(self.owed.any()),
        ]
        m.d.sync += [
            advance.eq(self.freed - last),
            compares.eq(self.update & ~compares & self.active),
            self.flight.eq(self.flight + self.sent - returned),
            self.owed.eq(self.owed + returned + self.dropped - gives),
            self.credit.eq(gives),
        ]
        with m.If(~self.active):
            m.d.sync += [self.count.eq(0), last.eq(0)]
        with m.Else():
            m.d.sync += [self.count.eq(self.count + self.sent), last.eq(last + returned)]
        return m
