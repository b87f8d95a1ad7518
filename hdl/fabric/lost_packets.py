"""Packets whose head never arrived, by the numbers in link words."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .line_format import Kind, link_word_layout

__all__ = ["LostPackets"]


class LostPackets(wiring.Component):
    """Counts missing packets: each link word has the number of packets that were sent before it. Latency 1 cycle.

    The numbers go on when a link starts again, so packets that were on the line at that time are counted, unless the sender was
    reset.

    Members
    -------
    link_valid, link : In(1), In(link_word_layout)
        A link word has arrived.
    lost_head : In(1)
        A head has arrived whose link word was wrong.
    refused : In(1)
        A head has arrived, and was dropped.
    known : In(1)
        The other end's parameters are known.
    begins, fresh : In(1)
        This is the hello that begins a session; its sender has sent no packet since its reset.
    lost : Out(8)
        Packets that are missing; registered.
    """

    link_valid: In(1)
    link: In(link_word_layout())
    lost_head: In(1)
    refused: In(1)
    known: In(1)
    begins: In(1)
    fresh: In(1)
    lost: Out(8)

    def elaborate(self, platform):
        m = Module()
        expected = Signal(8)
        ahead = Signal(8)
        # Whether ``expected`` is that of the sender, which no reset of this end has lost.
        follows = Signal()
        uses = Signal()
        m.d.comb += [
            ahead.eq(self.link.number - expected),
            uses.eq(self.link_valid & (self.known & (self.link.kind != Kind.HELLO) | self.begins)),
        ]
        m.d.sync += self.lost.eq(
            Mux(uses & follows & ~(self.begins & self.fresh) & ~ahead[-1], ahead[:-1], 0) + self.refused
        )
        with m.If(uses):
            m.d.sync += [expected.eq(self.link.number + (self.link.kind == Kind.HEAD)), follows.eq(1)]
        with m.Elif(self.lost_head):
            m.d.sync += expected.eq(expected + 1)
        return m
