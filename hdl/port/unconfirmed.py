"""Packets that were sent in a session and are lost if the other end is reset: those whose arrival it has not confirmed."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS

__all__ = ["Confirmation", "Unconfirmed"]


class Unconfirmed(wiring.Component):
    """Counts the packets that a reset of the other end has lost on the line, one event per cycle.

    An end that was not reset counts by the numbers of packets (:class:`LostPackets`). An end that was reset does
    not know how many have arrived before, so the sender counts all whose arrival was not confirmed: an upper bound.

    Members
    -------
    number : In(9)
        Packets of which the head was sent, modulo 512. Constant while ``counts``.
    confirms, arrived : In(1), In(9)
        The other end reports how many of them have arrived as a whole.
    restarted : In(1)
        A session begins, and the other end was reset.
    pauses : In(1)
        No event in this cycle.
    lost : Out(1)
        A packet may be lost. Combinational.
    counts : Out(1)
        More events may follow: the session must not send yet. Registered.
    """

    number: In(NUMBER_BITS)
    confirms: In(1)
    arrived: In(NUMBER_BITS)
    restarted: In(1)
    pauses: In(1)
    lost: Out(1)
    counts: Out(1)

    def elaborate(self, platform):
        m = Module()
        confirmed = Signal(NUMBER_BITS)
        differs = Signal()
        m.d.comb += [
            differs.eq(confirmed != self.number),
            self.lost.eq(self.counts & differs & ~self.pauses),
        ]
        m.d.sync += self.counts.eq(self.restarted | self.counts & differs)
        with m.If(self.lost):
            m.d.sync += confirmed.eq(confirmed + 1)
        with m.Elif(self.confirms & ~self.counts):
            m.d.sync += confirmed.eq(self.arrived)
        return m


class Confirmation(wiring.Component):
    """With retransmission: derives from the numbers of flits how many packets have arrived.

    It keeps the number of one flit before which all packets were complete. When the other end has accepted the flits before
    it, it takes the next.

    Members
    -------
    active : In(1)
        Flits may be sent. While 0, flits have the number 0.
    complete, following, packets : In(1), In(9), In(9)
        No packet is sent in part; number of the next new flit; packets sent before it.
    update, accepted : In(1), In(9)
        The other end reports that it has accepted all flits before number ``accepted``.
    confirms, arrived : Out(1), Out(9)
        So many packets have arrived.
    """

    active: In(1)
    complete: In(1)
    following: In(NUMBER_BITS)
    packets: In(NUMBER_BITS)
    update: In(1)
    accepted: In(NUMBER_BITS)
    confirms: Out(1)
    arrived: Out(NUMBER_BITS)

    def elaborate(self, platform):
        m = Module()
        flit = Signal(NUMBER_BITS)
        ahead = Signal(NUMBER_BITS)
        m.d.comb += [ahead.eq(self.accepted - flit), self.confirms.eq(self.update & ~ahead[-1])]
        with m.If(~self.active):
            m.d.sync += [flit.eq(0), self.arrived.eq(self.packets)]
        with m.Elif(self.confirms & self.complete):
            m.d.sync += [flit.eq(self.following), self.arrived.eq(self.packets)]
        return m
