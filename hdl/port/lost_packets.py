"""Counter of packets whose head never arrived, by the packet numbers in link words."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, link_word_layout

__all__ = ["LostPackets"]


class LostPackets(wiring.Component):
    """Counts missing packets: each link word has the number of packets that were sent before it. Latency 1 cycle.

    The numbers go on when a link starts again, so packets that were on the line at that time are counted, unless the sender was
    reset.

    With retransmission, numbers of packets are in hellos only, and heads are counted instead: no packet is lost in a session.

    Parameters
    ----------
    by_heads : bool
        Whether heads are counted.

    Members
    -------
    link_valid, link : In(1), In(link_word_layout)
        A link word has arrived.
    head : In(1)
        A head has arrived whose link word is wrong; with ``by_heads``, every head.
    refused : In(1)
        A head has arrived, and was dropped.
    known : In(1)
        The other end's parameters are known.
    begins, fresh : In(1)
        This is the hello that begins a session; its sender has sent no packet since its reset.
    lost : Out(9)
        Packets that are missing; registered.
    expected : Out(9)
        Number of the next packet; registered.
    """

    link_valid: In(1)
    link: In(link_word_layout())
    head: In(1)
    refused: In(1)
    known: In(1)
    begins: In(1)
    fresh: In(1)
    lost: Out(NUMBER_BITS)
    expected: Out(NUMBER_BITS)

    def __init__(self, by_heads=False):
        self._by_heads = by_heads
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        expected = self.expected
        ahead = Signal(NUMBER_BITS)
        # Whether ``expected`` is that of the sender, which no reset of this end has lost.
        follows = Signal()
        uses = Signal()
        in_session = 0 if self._by_heads else self.known & (self.link.kind != Kind.HELLO)
        m.d.comb += [ahead.eq(self.link.number - expected), uses.eq(self.link_valid & (in_session | self.begins))]
        m.d.sync += self.lost.eq(
            Mux(uses & follows & ~(self.begins & self.fresh) & ~ahead[-1], ahead[:-1], 0) + self.refused
        )
        with m.If(uses):
            m.d.sync += [expected.eq(self.link.number + (self.link.kind == Kind.HEAD)), follows.eq(1)]
        with m.Elif(self.head):
            m.d.sync += expected.eq(expected + 1)
        return m
