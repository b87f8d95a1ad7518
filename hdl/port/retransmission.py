"""The replay buffer of a fabric link: flits that were sent and may have to be sent again."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, answer_layout, link_word_layout
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.shape import FabricShape


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
    - failed: :attr:`LIMIT` replays have begun and no flit was accepted meanwhile. One pulse, registered.
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
    - missing, found: The block of the cycle before shows that a flit is missing, that none is.
    - present, answered: That block has a link word; the request that it states.
    - reported: A block with ``accepted`` and ``request`` of the cycle before enters the line.
    - doubts: The flits since the last report may be noise, with that of the cycle before.
    - revoked: They do not count; never in the cycle after ``taken``.
    - took: A flit was accepted in the cycle before.
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
        inputs = (
            "active",
            "taken",
            "undone",
            "missing",
            "found",
            "present",
            "answered",
            "reported",
            "doubts",
            "revoked",
        )
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
        lacks = Signal()
        quarter = max(self._depth // 4, 1)
        # As ``accepted``, with flits that may be noise.
        counted = Signal.like(self.accepted)
        counts = Signal.like(self.accepted)
        following = Signal.like(self.accepted)
        m.d.comb += [
            following.eq(counted + 1),
            self.expected.eq(Mux(self.took, following, counted)),
            counts.eq(Mux(self.took & ~self.undone, following, counted)),
            latest.eq(Mux(self.present, self.answered, known)),
            lacks.eq(self.missing & ~self.doubts),
            requests.eq(lacks & (latest == self.request)),
        ]
        m.d.sync += [
            self.took.eq(self.taken),
            counted.eq(Mux(self.revoked, self.accepted, counts)),
            self.accepted.eq(Mux(self.doubts, self.accepted, counts)),
            known.eq(latest),
            self.request.eq(self.request ^ requests),
            self.asks.eq(Mux(lacks, 1, self.asks & ~self.found)),
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
                signal.eq(0)
                for signal in (self.took, counted, self.accepted, self.request, known, self.asks, news, waits)
            ]
        return m


class BlockOrder(wiring.Component):
    """Compares the numbers of blocks with that of the next flit. Outputs are for the block that arrives now, or the one before.

    The block of a head or an abort is accepted if it has the expected number. Data blocks are accepted in a frame, and a frame
    opens by an accepted head, or by a resume with the expected number. A flit in order that continues no packet is taken, too, so
    that the link goes on; a flit without space in the buffer is not.

    The link word and the header are checked a cycle after the block was accepted. If they are wrong, the flit is *undone*: it
    will be sent again, and the core drops a head with a wrong header. A block that arrives in that cycle is not accepted.

    Data blocks that may be noise are *doubtful* until a link word or a block that is no noise follows, which shows that the line
    has not failed. If it fails before, they do not count and will be sent again; the packet that they continued ends.

    Parameters
    ----------
    shape : FabricShape
        With retransmission.

    Members
    -------
    - active: Flits are accepted.
    - valid: A block arrives that is, like the one before, free of errors.
    - is_data, is_head, is_abort: It is a data block; a start with a head; a start that ends a packet.
    - number: The number in its link word.
    - chosen, frame, space, is_open: The channel of its link word; the frame of data blocks; channels whose buffer can take a
      flit; that have an open packet.
    - control: The block before was a block of control.
    - link_valid, link: The check bits of its link word are right; its link word.
    - given, wrong: It gave a head to the core; the header is wrong.
    - reported: A block with the ``answer`` of the cycle before enters the line.
    - may_be_noise: The block before is perhaps noise, if the line fails.
    - fails: The line has failed, and no block was accepted in the cycle before.
    - expected, in_order: Number of the next flit; ``number`` is this one.
    - skipped: It is a data block, and is not taken.
    - took: The flit of the block before was taken.
    - undone, found, head: Of the block before: its flit does not count; its link word shows that no flit is missing; it was a
      head, which counts.
    - revoked: Channel of flits that the core has got, but that do not count: one pulse.
    - answer, urgent: What the other end must know, and soon.
    """

    def __init__(self, shape: FabricShape):
        self._acceptance = Acceptance(shape.replay, shape.kind.burst)
        bits = (
            "active",
            "valid",
            "is_data",
            "is_head",
            "is_abort",
            "control",
            "link_valid",
            "given",
            "wrong",
            "reported",
            "may_be_noise",
            "fails",
        )
        channels = ("chosen", "frame", "space", "is_open")
        super().__init__(
            {
                **{name: In(1) for name in bits},
                **{name: In(shape.channels) for name in channels},
                "number": In(NUMBER_BITS),
                "link": In(link_word_layout()),
                "expected": Out(NUMBER_BITS),
                **{name: Out(1) for name in ("in_order", "skipped", "took", "undone", "found", "head", "urgent")},
                "revoked": Out(shape.channels),
                "answer": Out(answer_layout()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.acceptance = acceptance = self._acceptance
        connect_ports(m, self, acceptance, ("active", "reported"))
        taken = Signal()
        # Of the block before.
        took = acceptance.took
        matched = Signal()
        lacked = Signal()
        present = Signal()
        is_flit = Signal()
        goes_on = Signal()
        begins = Signal()
        m.d.comb += [
            self.expected.eq(acceptance.expected),
            self.in_order.eq(self.number == self.expected),
            goes_on.eq((self.frame & (self.space | ~self.is_open)).any()),
            begins.eq(
                self.is_head & (self.chosen & self.space).any()
                | self.is_abort & (self.chosen & (self.space | ~self.is_open)).any()
            ),
            taken.eq(self.valid & self.active & ~self.undone & Mux(self.is_data, goes_on, self.in_order & begins)),
            self.skipped.eq(self.valid & self.active & self.is_data & (self.undone | ~goes_on)),
            self.undone.eq(took & self.control & Mux(self.given, self.wrong, ~self.link_valid)),
            is_flit.eq(Cat(self.link.kind == kind for kind in (Kind.HEAD, Kind.ABORT)).any()),
            present.eq(self.link_valid & self.link.kind.any()),
            self.found.eq(present & matched & (took | ~is_flit) & ~self.undone),
            self.head.eq(
                took & self.control & ~self.undone & (self.given | self.link_valid & (self.link.kind == Kind.HEAD))
            ),
            acceptance.taken.eq(taken),
            acceptance.undone.eq(self.undone),
            acceptance.found.eq(self.found),
            acceptance.missing.eq(lacked | present & ~self.found | self.undone),
            self.answer.accepted.eq(acceptance.accepted),
            acceptance.present.eq(present),
            acceptance.answered.eq(self.link.seen),
            self.answer.request.eq(acceptance.request),
            self.urgent.eq(acceptance.urgent),
            self.took.eq(took),
        ]
        m.d.sync += [matched.eq(self.in_order), lacked.eq(self.skipped)]
        self._doubt(m, present, lacked)
        return m

    def _doubt(self, m, present, lacked):
        """Follow the data blocks that may be noise; the block before has a link word, is a data block that was not taken."""
        acceptance = self._acceptance
        doubts = Signal()
        revokes = Signal()
        # The channel of the last data block that was taken.
        channel = Signal(len(self.frame))
        m.d.comb += acceptance.doubts.eq(doubts)
        with m.If(acceptance.took & ~self.control):
            m.d.comb += acceptance.doubts.eq(self.may_be_noise)
        with m.Elif(present | lacked & ~self.may_be_noise | acceptance.took & ~self.undone):
            m.d.comb += acceptance.doubts.eq(0)
        m.d.comb += [
            revokes.eq(self.fails & doubts),
            acceptance.revoked.eq(revokes),
            self.revoked.eq(channel & revokes.replicate(len(channel))),
        ]
        m.d.sync += doubts.eq(acceptance.doubts & ~revokes & self.active)
        with m.If(acceptance.taken & self.is_data):
            m.d.sync += channel.eq(self.frame)
