"""The replay buffer of a fabric link: flits that were sent and may have to be sent again."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS

__all__ = ["ReplayBuffer"]


class ReplayBuffer(wiring.Component):
    """Numbers the flits of a session, keeps them until the other end has accepted them, and sends them again (go-back-N).

    Writing a flit is off its path to the line, so the flit does not wait. The other end reports the number of the flit that it
    accepts next. If its ``request`` is another than the one that was answered last, all flits from that number on are sent again,
    before any new one. So a report that is older than the replay begins no other.

    Parameters
    ----------
    depth : int
        Flits, a power of two; at most ``depth - 1`` are kept.
    width : int
        Bits of an entry: flit and channel.
    number_width : int
        Bits of a number; ``2**number_width >= 2 * depth``.

    Members
    -------
    active : In(1)
        The other end accepts flits. While 0, the buffer is emptied and numbers begin with 0.
    sent, entry : In(1), In(width)
        A flit enters the line: ``front`` while ``replaying``, else a new one; no new one while ``full``.
    update, accepted, request : In(1), In(number_width), In(1)
        The other end reports that it has accepted all flits before number ``accepted``, and its newest request.
    full : Out(1)
        No new flit may be sent. Registered.
    replaying : Out(1)
        A flit to be sent again waits. Registered.
    replays : Out(1)
        One waits in the next cycle. Combinational.
    front : Out(width)
        The flit to be sent again, registered in the RAM.
    number : Out(number_width)
        Of the next flit on the line. Registered.
    restarts, target : Out(1), Out(number_width)
        The number becomes ``target`` in the next cycle. Registered.
    following : Out(number_width)
        The number after ``number``. Combinational.
    newest : Out(number_width)
        The number of the next new flit. Combinational.
    answered : Out(1)
        The request that has been answered before the next flit on the line. Registered.
    failed : Out(1)
        :attr:`LIMIT` replays have begun and no flit was accepted meanwhile. One pulse, registered.

    Attributes
    ----------
    oldest, level : Signal
        Number of the oldest flit in the buffer; flits in the buffer, combinational.
    """

    #: Replays that may begin without a flit being accepted.
    LIMIT = 16

    def __init__(self, depth, width, number_width=NUMBER_BITS):
        self._depth = depth
        self.oldest = Signal(number_width)
        self.level = Signal(range(depth + 1))
        number = Out(number_width)
        super().__init__(
            {
                **{name: In(1) for name in ("active", "sent", "update", "request")},
                "entry": In(width),
                "accepted": In(number_width),
                **{name: Out(1) for name in ("full", "replaying", "replays", "restarts", "answered", "failed")},
                "front": Out(width),
                **dict.fromkeys(("number", "target", "following", "newest"), number),
            }
        )

    def elaborate(self, platform):
        m = Module()
        attempts = Signal(range(self.LIMIT + 1))
        advance = Signal.like(self.number)
        believed = Signal()
        advances = Signal()
        # The level without the flit of the cycle before, because ``sent`` is late.
        base = Signal.like(self.level)
        came = Signal()
        newer = Signal()
        tries = Signal()
        fresh = Signal()
        last = Signal()
        newest_request = Signal()
        m.d.comb += [
            advance.eq(self.accepted - self.oldest),
            # A report about flits that were not sent is wrong, so nothing is given up for it.
            believed.eq(self.update & (advance <= self.level)),
            self.level.eq(base + came),
            advances.eq(believed & advance.any()),
            newer.eq(self.update & (self.request != newest_request)),
            tries.eq(newer & (advance != self.level)),
            self.following.eq(self.number + 1),
            fresh.eq(self.sent & ~self.replaying),
            self.newest.eq(self.oldest + self.level),
            last.eq(self.following == self.newest),
            self.replays.eq(self.active & (self.restarts | self.replaying & ~(self.sent & last))),
        ]
        m.d.sync += [
            came.eq(fresh),
            self.oldest.eq(Mux(believed, self.accepted, self.oldest)),
            base.eq(self.level - Mux(believed, advance, 0)),
            self.replaying.eq(self.replays),
            # The level is that of the cycle before, in which one flit more may have been sent, and one is sent now.
            self.full.eq(self.level >= self._depth - 2),
            self.restarts.eq(tries & believed & self.active),
            self.target.eq(self.accepted),
            newest_request.eq(newest_request ^ (newer & believed)),
            # Together with the number.
            self.answered.eq(newest_request),
            self.failed.eq(tries & ~advances & (attempts == self.LIMIT)),
        ]
        with m.If(self.restarts):
            m.d.sync += self.number.eq(self.target)
        with m.Elif(self.sent):
            m.d.sync += self.number.eq(self.following)
        with m.If(tries):
            m.d.sync += attempts.eq(Mux(advances, 1, attempts + (attempts != self.LIMIT)))
        with m.Elif(advances):
            m.d.sync += attempts.eq(0)
        with m.If(~self.active):
            cleared = (self.oldest, base, came, self.number, self.full, newest_request, self.answered, attempts)
            m.d.sync += [signal.eq(0) for signal in cleared]
        self._keep(m, fresh)
        return m

    def _keep(self, m, fresh):
        """The RAM: the address of a flit is its number."""
        m.submodules.kept = kept = memory.Memory(shape=len(self.entry), depth=self._depth, init=[])
        writer, reader = kept.write_port(), kept.read_port()
        # Without names of their own, these signals would be called after Amaranth's signature, which is no plain Verilog.
        writer.en.name, writer.addr.name = "keep_now", "keep_place"
        reader.en.name, reader.addr.name = "give_now", "give_place"
        later = Mux(self.sent, self.following, self.number)
        m.d.comb += [
            writer.en.eq(fresh),
            writer.addr.eq(self.number),
            writer.data.eq(self.entry),
            reader.en.eq(self.restarts | self.replaying),
            reader.addr.eq(Mux(self.restarts, self.target, later)),
            self.front.eq(reader.data),
        ]
