"""Packets that a fabric link has lost: by their numbers, and after a reset of the other end by what it had acknowledged."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, link_word_layout


class Unacknowledged(wiring.Component):
    """Counts the packets that a reset of the other end has lost on the line, one event per cycle.

    An end that was not reset counts by the numbers of packets (:class:`LostPackets`). An end that was reset does
    not know how many have arrived before, so the sender counts all whose arrival was not acknowledged: an upper bound.

    Members
    -------
    - number: Packets of which the head was sent, modulo 512. Constant while ``counts``.
    - acknowledges, arrived: The other end reports how many of them have arrived as a whole.
    - restarted: A session begins, and the other end was reset.
    - pauses: No event in this cycle.
    - lost: A packet may be lost. Combinational.
    - counts: More events may follow: the session must not send yet. Registered.
    """

    number: In(NUMBER_BITS)
    acknowledges: In(1)
    arrived: In(NUMBER_BITS)
    restarted: In(1)
    pauses: In(1)
    lost: Out(1)
    counts: Out(1)

    def elaborate(self, platform):
        m = Module()
        acknowledged = Signal(NUMBER_BITS)
        differs = Signal()
        m.d.comb += [differs.eq(acknowledged != self.number), self.lost.eq(self.counts & differs & ~self.pauses)]
        m.d.sync += self.counts.eq(self.restarted | self.counts & differs)
        with m.If(self.lost):
            m.d.sync += acknowledged.eq(acknowledged + 1)
        with m.Elif(self.acknowledges & ~self.counts):
            m.d.sync += acknowledged.eq(self.arrived)
        return m


class Acknowledgement(wiring.Component):
    """With retransmission: derives from the numbers of flits how many packets have arrived.

    It keeps the number of one flit before which all packets were complete. When the other end has accepted the flits before
    it, it takes the next.

    Members
    -------
    - active: Flits may be sent. While 0, flits have the number 0.
    - complete, newest, packets: No packet is sent in part; number of the next new flit; packets sent before it.
    - update, accepted: The other end reports that it has accepted all flits before number ``accepted``.
    - acknowledges, arrived: So many packets have arrived.
    """

    active: In(1)
    complete: In(1)
    newest: In(NUMBER_BITS)
    packets: In(NUMBER_BITS)
    update: In(1)
    accepted: In(NUMBER_BITS)
    acknowledges: Out(1)
    arrived: Out(NUMBER_BITS)

    def elaborate(self, platform):
        m = Module()
        flit = Signal(NUMBER_BITS)
        ahead = Signal(NUMBER_BITS)
        m.d.comb += [ahead.eq(self.accepted - flit), self.acknowledges.eq(self.update & ~ahead[-1])]
        with m.If(~self.active):
            m.d.sync += [flit.eq(0), self.arrived.eq(self.packets)]
        with m.Elif(self.acknowledges & self.complete):
            m.d.sync += [flit.eq(self.newest), self.arrived.eq(self.packets)]
        return m


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
    - link_valid, link: A link word has arrived.
    - head: A head has arrived whose link word is wrong; with ``by_heads``, every head.
    - refused: A head has arrived, and was dropped.
    - seen: The other end's parameters are known.
    - begins, peer_fresh: This is the hello that begins a session; its sender has sent no packet since its reset.
    - lost: Packets that are missing; registered.
    - expected: Number of the next packet; registered.
    """

    link_valid: In(1)
    link: In(link_word_layout())
    head: In(1)
    refused: In(1)
    seen: In(1)
    begins: In(1)
    peer_fresh: In(1)
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
        in_session = 0 if self._by_heads else self.seen & (self.link.kind != Kind.HELLO)
        m.d.comb += [ahead.eq(self.link.number - expected), uses.eq(self.link_valid & (in_session | self.begins))]
        m.d.sync += self.lost.eq(
            Mux(uses & follows & ~(self.begins & self.peer_fresh) & ~ahead[-1], ahead[:-1], 0) + self.refused
        )
        with m.If(uses):
            m.d.sync += [expected.eq(self.link.number + (self.link.kind == Kind.HEAD)), follows.eq(1)]
        with m.Elif(self.head):
            m.d.sync += expected.eq(expected + 1)
        return m
