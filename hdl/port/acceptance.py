"""Receiver's side of retransmission: numbers accepted flits and requests missing ones."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS

__all__ = ["Acceptance"]


class Acceptance(wiring.Component):
    """Numbers the flits that are accepted, and asks for those that are missing. Registered.

    A flit counts if the checks of the next cycle do not find it wrong. A request is a change of ``request``. Each link word
    states the last request that the other end has answered with a replay. While a request has no answer, no other is made: the
    answer is on its way. If the answer is there and a flit is missing, the answer was hit, and a new request is made at once.

    A request is urgent at first, and again each ``pause``, until a block with the expected number arrives.

    Parameters
    ----------
    depth : int
        Flits of the other end's replay buffer: after a quarter of them, a report is urgent.
    pause : int
        Cycles before a request is sent again, at least those of the blocks that a bad codeword destroys.
    number_width : int
        Bits of a number.

    Members
    -------
    active : In(1)
        This end accepts flits. While 0, numbers begin with 0.
    taken : In(1)
        A flit is accepted.
    undone : In(1)
        The flit of the cycle before is wrong; never with ``taken``.
    missing, found : In(1)
        The block of the cycle before shows that a flit is missing, that none is.
    present, answered : In(1)
        That block has a link word; the request that it states.
    reported : In(1)
        A block with ``accepted`` and ``request`` of the cycle before enters the line.
    took : Out(1)
        A flit was accepted in the cycle before.
    accepted : Out(number_width)
        Number of the next flit, without that of the cycle before, whose checks are not complete.
    expected : Out(number_width)
        The same with it. Combinational.
    request : Out(1)
        The newest request.
    urgent : Out(1)
        The other end should learn of ``accepted`` and ``request``.

    Attributes
    ----------
    asks : Signal
        A flit is missing.
    """

    def __init__(self, depth, pause, number_width=NUMBER_BITS):
        self._depth, self._pause = depth, pause
        self.asks = Signal()
        inputs = ("active", "taken", "undone", "missing", "found", "present", "answered", "reported")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "took": Out(1),
                "expected": Out(number_width),
                "accepted": Out(number_width),
                "request": Out(1),
                "urgent": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Flits since the last report; cycles until a request is sent again.
        news = Signal(range(self._depth + 1))
        waits = Signal(range(self._pause + 1))
        asked = Signal()
        known = Signal()
        latest = Signal()
        requests = Signal()
        quarter = max(self._depth // 4, 1)
        following = Signal.like(self.accepted)
        m.d.comb += [
            following.eq(self.accepted + 1),
            self.expected.eq(Mux(self.took, following, self.accepted)),
            latest.eq(Mux(self.present, self.answered, known)),
            requests.eq(self.missing & (latest == self.request)),
        ]
        m.d.sync += [
            self.took.eq(self.taken),
            self.accepted.eq(Mux(self.took & ~self.undone, following, self.accepted)),
            known.eq(latest),
            self.request.eq(self.request ^ requests),
            self.asks.eq(Mux(self.missing, 1, self.asks & ~self.found)),
            self.urgent.eq(~self.reported & (self.asks & ~waits.any() | (news >= quarter))),
            asked.eq(self.asks & ~requests),
        ]
        with m.If(self.reported):
            m.d.sync += news.eq(self.took)
        with m.Elif(self.took & ~news[-1]):
            m.d.sync += news.eq(news + 1)
        with m.If(requests):
            m.d.sync += waits.eq(0)
        with m.Elif(self.reported & asked & ~waits.any()):
            m.d.sync += waits.eq(self._pause)
        with m.Elif(waits.any()):
            m.d.sync += waits.eq(waits - 1)
        with m.If(~self.active):
            m.d.sync += [
                signal.eq(0) for signal in (self.took, self.accepted, self.request, known, self.asks, news, waits)
            ]
        return m
