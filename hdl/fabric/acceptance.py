"""Receiver's side of retransmission: numbers accepted flits and requests missing ones."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .shape import NUMBER_BITS

__all__ = ["Acceptance"]


class Acceptance(wiring.Component):
    """Numbers the flits that are accepted, and asks for those that are missing. Registered.

    A flit counts if the checks of the next cycle do not find it wrong. A request stands until a block with the expected number
    arrives. It is urgent at first, and again after each ``round_trip`` for which it stands: the other end
    ignores other reports of it.

    Parameters
    ----------
    depth : int
        Flits of the other end's replay buffer: after a quarter of them, a report is urgent.
    longest : int
        Greatest ``round_trip``.
    number_width : int
        Bits of a number.

    Members
    -------
    active : In(1)
        This end accepts flits. While 0, numbers begin with 0.
    round_trip : In
        Cycles from a request to its answer.
    taken : In(1)
        A flit is accepted.
    undone : In(1)
        The flit of the cycle before is wrong; never with ``taken``.
    missing, found : In(1)
        The block of the cycle before shows that a flit is missing, that none is.
    reported : In(1)
        A block with ``accepted`` and ``asks`` of the cycle before enters the line.
    took : Out(1)
        A flit was accepted in the cycle before.
    accepted : Out(number_width)
        Number of the next flit, without that of the cycle before, whose checks are not complete.
    expected : Out(number_width)
        The same with it. Combinational.
    asks : Out(1)
        A flit is missing.
    urgent : Out(1)
        The other end should learn of ``accepted`` and ``asks``.
    """

    def __init__(self, depth, longest, number_width=NUMBER_BITS):
        self._depth = depth
        inputs = ("active", "taken", "undone", "missing", "found", "reported")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "round_trip": In(range(longest + 1)),
                "took": Out(1),
                "expected": Out(number_width),
                "accepted": Out(number_width),
                "asks": Out(1),
                "urgent": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Flits since the last report; cycles until a request is repeated.
        news = Signal(range(self._depth + 1))
        waits = Signal.like(self.round_trip)
        asked = Signal()
        quarter = max(self._depth // 4, 1)
        following = Signal.like(self.accepted)
        m.d.comb += [
            following.eq(self.accepted + 1),
            self.expected.eq(Mux(self.took, following, self.accepted)),
        ]
        m.d.sync += [
            self.took.eq(self.taken),
            self.accepted.eq(Mux(self.took & ~self.undone, following, self.accepted)),
            self.asks.eq(Mux(self.missing, 1, self.asks & ~self.found)),
            self.urgent.eq(~self.reported & (self.asks & ~waits.any() | (news >= quarter))),
            asked.eq(self.asks),
        ]
        with m.If(self.reported):
            m.d.sync += news.eq(self.took)
        with m.Elif(self.took & ~news[-1]):
            m.d.sync += news.eq(news + 1)
        # Until a flit is accepted, the other end ignores requests for a round trip, also if this one was answered.
        with m.If(self.took & ~self.undone):
            m.d.sync += waits.eq(0)
        with m.Elif(self.reported & asked & ~waits.any()):
            m.d.sync += waits.eq(self.round_trip)
        with m.Elif(waits.any()):
            m.d.sync += waits.eq(waits - 1)
        with m.If(~self.active):
            m.d.sync += [signal.eq(0) for signal in (self.took, self.accepted, self.asks, news, waits)]
        return m
