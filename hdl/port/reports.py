"""Reports of a fabric link: selects the credit counts to send, and decides when they are urgent."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import DETAILS_CODE
from dsnswitch.hdl.logic.decoders import equals
from dsnswitch.hdl.port.shape import FabricShape

__all__ = ["Reports"]


class Reports(wiring.Component):
    """Chooses the counts of the next block, and decides when counts are urgent. Registered.

    Tables and entries go through the channels in turn. Counts are urgent if a quarter of a buffer has become free since they were
    last sent, in details or with a head, or if none have been sent for :attr:`PERIOD` cycles. In the second case two blocks with
    details follow each other, so that the counts of sent flits are exact in the second.

    Parameters
    ----------
    shape : FabricShape

    Members
    -------
    active : In(1)
        This end accepts flits.
    sent, freed : In(array of counts)
        Counts of each channel.
    counts_sent, entry_sent : In(1)
        A block with details, with the entry has been sent.
    urgent : Out(1)
        Send details before the next flit.
    entry, entry_freed : Out(5), Out(14)
        A channel and its count of freed flits.
    first, details : Out(5), Out(135)
        First channel of the details, and the details: for each channel the counts of freed and of sent flits.
    """

    #: Cycles without details after which they are urgent.
    PERIOD = 1024

    def __init__(self, shape: FabricShape):
        self._shape = shape
        self._waited = Signal(range(self.PERIOD + 1), name="waited")
        counts = data.ArrayLayout(shape.count_width, shape.channels)
        super().__init__(
            {
                **{name: In(1) for name in ("active", "counts_sent", "entry_sent")},
                "sent": In(counts),
                "freed": In(counts),
                "urgent": Out(1),
                "entry": Out(5),
                "entry_freed": Out(14),
                "first": Out(5),
                "details": Out(DETAILS_CODE.k),
            }
        )

    def elaborate(self, platform):
        m = Module()
        shape = self._shape
        turn = Signal(range(max(shape.channels, 2)))
        group = Signal(range(max(len(shape.groups), 2)))
        with m.If(self.entry_sent):
            m.d.sync += turn.eq(Mux(turn == shape.channels - 1, 0, turn + 1))
        with m.If(self.counts_sent & ~self._waited[-1]):
            m.d.sync += group.eq(Mux(group == len(shape.groups) - 1, 0, group + 1))
        freed = Const(0, shape.count_width)
        for v in range(shape.channels):
            freed |= Mux(equals(turn, v), self.freed[v], 0)
        m.d.comb += [self.entry.eq(turn), self.entry_freed.eq(freed)]
        firsts = Const(0, 5)
        details = Const(0, DETAILS_CODE.k)
        for number, first in enumerate(shape.groups):
            chosen = group == number if len(shape.groups) > 1 else Const(1, 1)
            members = range(first, min(first + shape.per_block, shape.channels))
            firsts |= Mux(chosen, first, 0)
            details |= Mux(chosen, Cat(Cat(self.freed[v], self.sent[v]) for v in members), 0)
        m.d.comb += [self.first.eq(firsts), self.details.eq(details)]
        self._hurry(m, turn)
        return m

    def _hurry(self, m, turn):
        """Decide when details are urgent."""
        shape = self._shape
        # The transmitter has the entry in a register.
        entered = Signal.like(turn)
        m.d.sync += entered.eq(turn)
        many = Signal(shape.channels)
        quarter = max(shape.depth // 4, 1)
        for v in range(shape.channels):
            reported = Signal(shape.count_width, name=f"reported_{v}")
            news = Signal(shape.count_width, name=f"news_{v}")
            told = self.counts_sent | self.entry_sent & equals(entered, v)
            with m.If(told | ~self.active):
                m.d.sync += reported.eq(self.freed[v])
            m.d.comb += news.eq(self.freed[v] - reported)
            m.d.sync += many[v].eq((news >= quarter) & ~told)
        waited = self._waited
        pair = Signal()
        m.d.comb += self.urgent.eq(many.any() & self.active | waited[-1] | pair)
        with m.If(self.counts_sent):
            m.d.sync += [waited.eq(0), pair.eq(waited[-1])]
        with m.Elif(~waited[-1]):
            m.d.sync += waited.eq(waited + 1)
