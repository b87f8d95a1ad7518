"""Retransmission of a fabric link: flits that may have to be sent again, and the number of the flit that is accepted next."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS


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
    - active: The other end accepts flits. While 0, the buffer is emptied and numbers begin with 0.
    - sent, entry: A flit enters the line: ``front`` while ``replaying``, else a new one; no new one while ``full``.
    - update, accepted, request: The other end reports that it has accepted all flits before number ``accepted``, and its
      newest request.
    - full: No new flit may be sent. Registered.
    - replaying: A flit to be sent again waits. Registered.
    - replays: One waits in the next cycle. Combinational.
    - front: The flit to be sent again, registered in the RAM.
    - number: Of the next flit on the line. Registered.
    - restarts, target: The number becomes ``target`` in the next cycle. Registered.
    - following: The number after ``number``. Combinational.
    - newest: The number of the next new flit. Combinational.
    - answered: The request that has been answered before the next flit on the line. Registered.
    - failed: :attr:`LIMIT` replays have been asked for and no flit was accepted meanwhile. One pulse, registered.
    """

    #: Replays that may begin without a flit being accepted.
    LIMIT = 16

    def __init__(self, depth, width, number_width=NUMBER_BITS):
        self._depth = depth
        #: Number of the oldest flit in the buffer; flits in the buffer, combinational.
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
        kept = memory.Memory(shape=len(self.entry), depth=self._depth, init=[])
        m.submodules.kept = kept
        writer = kept.write_port()
        reader = kept.read_port()
        later = Mux(self.sent, self.following, self.number)
        m.d.comb += [
            writer.en.eq(fresh),
            writer.addr.eq(self.number),
            writer.data.eq(self.entry),
            reader.en.eq(self.restarts | self.replaying),
            reader.addr.eq(Mux(self.restarts, self.target, later)),
            self.front.eq(reader.data),
        ]


class Acceptance(wiring.Component):
    """Numbers the flits that are accepted, and asks for those that are missing. Registered.

    A flit counts if the checks of the next cycle do not find it wrong. A request is a change of ``request``. Each link word
    states the last request that the other end has answered with a replay. While a request has no answer, no other is made: the
    answer is on its way. If the answer is there and a flit is missing, the answer was hit, and a new request is made at once.

    A request is urgent at first, and again each ``pause``, until a block with the expected number arrives.

    Flits that may be noise are not reported while ``doubts``. If the line fails then, they are *revoked*: they are missing again.
    No request is made meanwhile: the replay would begin before the flit that is expected.

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
    - active: This end accepts flits. While 0, numbers begin with 0.
    - taken: A flit is accepted.
    - undone: The flit of the cycle before is wrong; never with ``taken``.
    - missing, none_missing: The block of the cycle before shows that a flit is missing, that none is.
    - present, answered: That block has a link word; the request that it states.
    - reported: A block with ``accepted`` and ``request`` of the cycle before enters the line.
    - doubts: The flits since the last report may be noise, with that of the cycle before.
    - revoked: They do not count; never in the cycle after ``taken``.
    - was_taken: A flit was accepted in the cycle before.
    - accepted: Number of the next flit, without that of the cycle before, whose checks are not complete, and without those in
      doubt.
    - expected: The same with all of them. Combinational.
    - request: The newest request.
    - urgent: The other end should learn of ``accepted`` and ``request``.
    """

    def __init__(self, depth, pause, number_width=NUMBER_BITS):
        self._depth, self._pause = depth, pause
        #: A flit is missing.
        self.asks = Signal()
        inputs = ("active", "taken", "undone", "missing", "none_missing", "present", "answered", "reported")
        super().__init__(
            {
                **{name: In(1) for name in (*inputs, "doubts", "revoked")},
                "was_taken": Out(1),
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
        lacks = Signal()
        quarter = max(self._depth // 4, 1)
        # As ``accepted``, with flits that may be noise.
        counted = Signal.like(self.accepted)
        counts = Signal.like(self.accepted)
        following = Signal.like(self.accepted)
        m.d.comb += [
            following.eq(counted + 1),
            self.expected.eq(Mux(self.was_taken, following, counted)),
            counts.eq(Mux(self.was_taken & ~self.undone, following, counted)),
            latest.eq(Mux(self.present, self.answered, known)),
            lacks.eq(self.missing & ~self.doubts),
            requests.eq(lacks & (latest == self.request)),
        ]
        m.d.sync += [
            self.was_taken.eq(self.taken),
            counted.eq(Mux(self.revoked, self.accepted, counts)),
            self.accepted.eq(Mux(self.doubts, self.accepted, counts)),
            known.eq(latest),
            self.request.eq(self.request ^ requests),
            self.asks.eq(Mux(lacks, 1, self.asks & ~self.none_missing)),
            self.urgent.eq(~self.reported & (self.asks & ~waits.any() | (news >= quarter))),
            asked.eq(self.asks & ~requests),
        ]
        with m.If(self.reported):
            m.d.sync += news.eq(self.was_taken)
        with m.Elif(self.was_taken & ~news[-1]):
            m.d.sync += news.eq(news + 1)
        with m.If(requests):
            m.d.sync += waits.eq(0)
        with m.Elif(self.reported & asked & ~waits.any()):
            m.d.sync += waits.eq(self._pause)
        with m.Elif(waits.any()):
            m.d.sync += waits.eq(waits - 1)
        with m.If(~self.active):
            m.d.sync += [
                signal.eq(0) for signal in (self.was_taken, counted, self.accepted, self.request, known, self.asks, news, waits)
            ]
        return m
