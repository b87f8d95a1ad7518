"""Transmitter of a fabric link: converts flits and counts to blocks."""

from itertools import pairwise

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.line.line_format import (
    DETAILS_CODE,
    LINK_CODE,
    NUMBER_BITS,
    SENT_BLOCK,
    Kind,
    answer_layout,
    check_sums,
    constant_word,
    hello_layout,
    link_word,
    link_word_sums,
    number_word,
)
from dsnswitch.hdl.logic.gates import selected
from dsnswitch.hdl.port.retransmission import ReplayBuffer
from dsnswitch.hdl.port.session import END_TAG, tag_fields
from dsnswitch.hdl.port.shape import FabricShape


class Skid(wiring.Component):
    """Holds flits that the line does not take; an empty skid buffer is bypassed. Latency 0 cycles.

    The sender reacts to ``stall`` late: if ``stall`` is 1 in a cycle, no flit arrives three cycles later. The buffer counts the
    flits that may be on their way: it lets each flit go that fits if the line stops now, so that after a pause of a cycle the
    next flit is there.

    Parameters
    ----------
    width : int
        Bits of an entry: flit and channel.
    marks : int
        Bits at the end of an entry that are needed early: registers of their own select them.
    inserting : bool
        Whether other flits may go before those of the buffer.

    Members
    -------
    - valid, entry: A flit arrives.
    - pop: The flit in ``front`` leaves; only while ``front_valid``.
    - inserts, inserted: In the next cycle, ``front`` is ``inserted``, and nothing is popped.
    - front_valid, front: A flit is here; the oldest.
    - stall: Send no more flits. Combinational; the sender registers it.
    """

    #: Those that may arrive after ``stall``, and one.
    ENTRIES = 3

    def __init__(self, width, marks=0, inserting=False):
        self._width, self._marks, self._inserting = width, marks, inserting
        self.level = Signal(range(self.ENTRIES + 1))
        super().__init__(
            {
                "valid": In(1),
                "entry": In(width),
                "pop": In(1),
                "inserts": In(1),
                "inserted": In(width),
                "front_valid": Out(1),
                "front": Out(width),
                "stall": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # The newest flit is in the first entry.
        words = [Signal(self._width, name=f"entry_{number}", reset_less=True) for number in range(self.ENTRIES)]
        # Whether ``level`` is not 0.
        filled = Signal()
        after = Signal.like(self.level)
        m.d.comb += [
            self.front_valid.eq(filled | self.valid),
            after.eq(self.level + self.valid - self.pop),
            self.stall.eq(self._stalls(m, after)),
        ]
        m.d.sync += [self.level.eq(after), filled.eq(after.any())]
        # What an empty buffer holds does not matter. ``valid`` is needed early, and drives one gate instead of all flip-flops.
        with m.If(self.valid | ~filled):
            m.d.sync += [word.eq(newer) for word, newer in zip(words, (self.entry, *words))]
        self._select(m, after, (self.entry, *words))
        return m

    def _stalls(self, m, after):
        """Whether a flit that is granted now may find no entry."""
        # Of the two cycles before.
        stalled = Signal(2)
        m.d.sync += stalled.eq(Cat(self.stall, stalled))
        return after + ~stalled[0] + ~stalled[1] >= self.ENTRIES

    def _select(self, m, after, words):
        """Drive ``front``. The registers that select it are many gates ahead of the codeword, so the marks have their own."""
        rest = self._width - self._marks
        places = [after == number for number in range(len(words))]
        # The marks of the oldest flit that will wait in the next cycle.
        later = (Mux(self.valid, newer[rest:], word[rest:]) for newer, word in pairwise(words))
        if self._inserting:
            words = (*words, self.inserted)
            places = [*(place & ~self.inserts for place in places), self.inserts]
        waiting = Signal(self._marks)
        bare = Signal(init=1)
        outside = Signal()
        # The complement, which synthesis does not merge with the others.
        others = Signal(len(words), init=~1 & (1 << len(words)) - 1)
        m.d.sync += [
            waiting.eq(selected(places[1:], list(later))),
            bare.eq(places[0]),
            outside.eq(self.inserts),
            others.eq(~Cat(places)),
        ]
        low = Signal(rest)
        high = Signal(self._marks)
        m.d.comb += [
            low.eq(selected(~others, [word[:rest] for word in words])),
            high.eq(waiting | selected((bare, outside), (self.entry[rest:], self.inserted[rest:]))),
            self.front.eq(Cat(low, high)),
        ]


def channel_marks(header: Header, channels):
    """What each channel inverts in the check bits of a header on the line, as integers; 0 for channel 0.

    A bit of the channel's number is one more information bit of the header's code: its column is a syndrome of odd weight that
    no other bit has. Where the code has none left, it is one of even weight.
    """
    code = header.code
    free = [s for s in range(3, 1 << code.r) if s not in code.columns]
    columns = sorted(free, key=lambda s: (s.bit_count() % 2 == 0, s.bit_count(), s))
    marks = []
    for channel in range(channels):
        mark = 0
        for bit, column in zip(range(channels.bit_length()), columns):
            mark ^= column * (channel >> bit & 1)
        marks.append(mark)
    return tuple(marks)


#: What the transmitter tells about the flits that it got, one pulse each.
SENT = ("refused_packet", "resumed", "retransmitted", "failed")


class Transmitter(wiring.Component):
    """Converts flits to blocks. Combinational from flit to block; one block per cycle.

    A flit that follows one of its packet becomes a data block. A head becomes a start block. A flit whose packet was interrupted
    by another channel's takes two blocks, the first of which names the channel; meanwhile flits wait in the skid buffer. While
    there is no flit, counts of flits are sent, or hellos. While the link is not open, flits are dropped. With retransmission,
    flits that are sent again go before new ones, which wait in the skid buffer.

    Members
    -------
    - valid, flit: A flit of a channel, one-hot or 0.
    - stall: The core must pause (:class:`Skid`).
    - active: The other end accepts flits.
    - says_hello, ready, seen: Send hellos; this end accepts flits; it has received the other end's parameters.
    - urgent: Send counts before the next flit.
    - entry, freed: Count of freed flits of one channel, for the next head.
    - first, details: First channel of the next details, and the details: counts.
    - hello: The hello, whose fields are constant while it is sent.
    - tag: Tag of this end, for blocks of counts.
    - answer: Which flits of the other end have arrived; without retransmission, how many packets.
    - answered, its_answer: The other end says which flits of this end have arrived.
    - packets: Heads that have entered the line, without those that were sent again. Registered.
    - complete, newest: With retransmission: no packet is sent in part; number of the next new flit.
    - sent, dropped: A flit of a channel enters the line, is dropped; one-hot or 0.
    - counts_sent, entry_sent: A block with the details, with the entry enters the line.
    - refused_packet: A packet was dropped: its head, or its rest after a part of it was sent.
    - resumed: A block was spent to name the channel of the packet that goes on.
    - retransmitted: A flit enters the line again.
    - failed: Retransmission does not help.
    - block: The block for the line (:func:`transmitter_members`).
    - taken: It enters the line.
    """

    def __init__(self, shape: FabricShape):
        self._shape, self._header = shape, Header(shape.core)
        bits = ("active", "says_hello", "ready", "seen", "urgent")
        super().__init__(
            {
                "valid": In(shape.channels),
                "flit": In(flit_layout(shape.core)),
                "stall": Out(1),
                **{name: In(1) for name in bits},
                "entry": In(5),
                "freed": In(14),
                "first": In(5),
                "details": In(DETAILS_CODE.k),
                "hello": In(hello_layout()),
                "tag": In(END_TAG),
                "answer": In(answer_layout()),
                "answered": In(1),
                "its_answer": In(answer_layout()),
                **({"complete": Out(1), "newest": Out(NUMBER_BITS)} if shape.replay else {}),
                "packets": Out(NUMBER_BITS),
                "sent": Out(shape.channels),
                "dropped": Out(shape.channels),
                **{name: Out(1) for name in ("counts_sent", "entry_sent", *SENT)},
                "block": Out(wiring.Signature({name: Out(width) for name, width in SENT_BLOCK.items()})),
                "taken": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels, layout = self._shape.channels, flit_layout(self._shape.core)
        block = self.block
        early = layout["head"].offset
        retries = bool(self._shape.replay)
        m.submodules.skid = skid = Skid(layout.size + channels, layout.size - early + channels, retries)
        # A flit enters the line: one of the replay buffer or of the skid buffer; one of the skid buffer.
        leaves = Signal()
        fresh = Signal()
        replay = self._replay(m, skid, leaves) if retries else None
        again = replay.replaying if replay else Const(0, 1)
        flit = data.View(layout, skid.front[: layout.size])
        channel = skid.front[layout.size :]
        sending = Signal(channels)
        frame = Signal(channels)
        frame_open = Signal()
        kind = {name: Signal(name=f"sends_{name}") for name in ("data", "head", "resume", "abort")}
        ours = Signal()
        spoiled = Signal()
        follows = Signal()
        drop = Signal()
        taken = self.taken
        # The check bits in the register are those of a hello.
        hello_now = Signal()
        m.d.sync += hello_now.eq(self.says_hello)
        # A flit that is sent again may be of a packet whose tail has been sent.
        known = sending | again.replicate(channels)
        full = self.active & replay.full if replay else Const(0, 1)
        present = (skid.front_valid & ~full | again) & self.active
        m.d.comb += [
            skid.valid.eq(self.valid.any()),
            skid.entry.eq(Cat(self.flit, self.valid)),
            self.stall.eq(skid.stall),
            ours.eq(present & Mux(flit.head, ~spoiled, (channel & known).any())),
            spoiled.eq(flit.tail & flit.bad),
            follows.eq((channel & frame).any() & ~self.urgent),
            kind["data"].eq(ours & ~flit.head & ~spoiled & follows),
            kind["resume"].eq(ours & ~flit.head & ~spoiled & ~follows),
            kind["abort"].eq(ours & ~flit.head & spoiled),
            kind["head"].eq(ours & flit.head & ~self.urgent),
            drop.eq(skid.front_valid & ~ours & ~full & ~again),
            leaves.eq(taken & (kind["data"] | kind["abort"] | kind["head"])),
            fresh.eq(leaves & ~again),
            skid.pop.eq(drop | fresh),
            self.sent.eq(channel & fresh.replicate(channels)),
            self.dropped.eq(channel & drop.replicate(channels)),
            self.resumed.eq(taken & kind["resume"]),
            self.entry_sent.eq(taken & kind["head"]),
            self.counts_sent.eq(taken & ~kind["data"] & ~kind["head"] & ~hello_now),
            self.refused_packet.eq(drop & flit.head),
            block.is_data.eq(kind["data"]),
            block.carries.eq(kind["data"] | kind["head"]),
            block.flit.eq(self._marked(flit, channel)),
            block.details.eq(self._details(m, hello_now)),
            block.frame_open.eq(frame_open),
            block.starts.eq(kind["head"] | kind["resume"] | kind["abort"]),
        ]
        number, in_hello = self._numbers(m, fresh & flit.head, replay, leaves)
        counts = link_word(kind=Const(Kind.CREDIT, 3), **tag_fields(self.tag))
        idle = Mux(hello_now, constant_word(kind=Kind.HELLO) ^ in_hello, counts)
        word = self._link_word(m, flit, channel, kind, taken, idle, again) ^ number
        if replay:
            word ^= Mux(replay.answered, constant_word(seen=1), 0)
        m.d.comb += block.link_word.eq(word)
        with m.If(taken):
            m.d.sync += [
                frame_open.eq(Cat(kind.values()).any()),
                frame.eq(Mux(kind["data"], frame, channel & (kind["head"] | kind["resume"]).replicate(channels))),
            ]
        if replay:
            m.d.comb += [self.complete.eq(~sending.any()), self.newest.eq(replay.newest)]
            # The other end drops data blocks until a start, so a replay begins with one. If a bad codeword hits it, a second one,
            # which the same codeword does not hit, shows that it is lost.
            burst = self._shape.kind.burst
            second = Signal(range(burst + 1))
            m.d.sync += second.eq(Mux(replay.restarts, burst, second - second.any()))
            with m.If(replay.restarts | (second == 1)):
                m.d.sync += frame.eq(0)
        with m.If(~self.active):
            m.d.sync += sending.eq(0)
        with m.Elif(fresh):
            m.d.sync += sending.eq(Mux(flit.tail, sending & ~channel, sending | channel))
        return m

    def _replay(self, m, skid, leaves):
        """The replay buffer, which keeps what leaves the skid buffer."""
        shape = self._shape
        m.submodules.replay = replay = ReplayBuffer(shape.replay, len(skid.entry))
        m.d.comb += [
            replay.active.eq(self.active),
            replay.sent.eq(leaves),
            replay.entry.eq(skid.front),
            skid.inserts.eq(replay.replays),
            skid.inserted.eq(replay.front),
            replay.update.eq(self.answered),
            replay.accepted.eq(self.its_answer.accepted),
            replay.request.eq(self.its_answer.request),
            self.retransmitted.eq(leaves & replay.replaying),
            self.failed.eq(replay.failed),
        ]
        return replay

    def _numbers(self, m, new_head, replay, leaves):
        """Numbers with their check bits, in registers: that of each link word, and what a hello adds to it."""
        packets = self.packets
        following = Signal(NUMBER_BITS)
        m.d.comb += following.eq(packets + 1)
        of_packets = self._numbered(m, packets, new_head, following)
        if not replay:
            return of_packets, Const(0, LINK_CODE.n)
        # That of the replay buffer, which is 0 in a hello.
        number = Signal(NUMBER_BITS)
        shown = Signal(NUMBER_BITS)
        m.d.comb += shown.eq(Mux(self.active, Mux(replay.restarts, replay.target, replay.following), 0))
        return self._numbered(m, number, leaves | replay.restarts | ~self.active, shown), of_packets

    @staticmethod
    def _numbered(m, number, changes, value):
        """Link word of ``number``, which becomes ``value`` if it ``changes``."""
        sums = Signal(LINK_CODE.r, name=f"{number.name}_sums")
        with m.If(changes):
            m.d.sync += [number.eq(value), sums.eq(link_word_sums(number=value))]
        return number_word(number, sums)

    def _marked(self, flit, channel):
        """The flit's bits; the channel marks the check bits of a head."""
        check = self._header.layout["check"]
        marks = Const(0, check.width)
        for v, mark in enumerate(channel_marks(self._header, self._shape.channels)):
            marks |= Mux(channel[v] & flit.head, mark, 0)
        first, end = check.offset, check.offset + check.width
        return Cat(flit.data[:first], (flit.data[first:end] ^ marks)[: check.width], flit.data[end:])

    def _details(self, m, hello_now):
        """The details with their check bits."""
        counts = Signal(DETAILS_CODE.k, reset_less=True)
        sums = Signal(DETAILS_CODE.r, name="details_sums")
        bits = 2 * self._shape.count_width * self._shape.per_block
        hello_sums = check_sums(DETAILS_CODE, self.hello.as_value())
        m.d.sync += [
            counts.eq(self.details),
            sums.eq(Mux(self.says_hello, hello_sums, check_sums(DETAILS_CODE, self.details[:bits]))),
        ]
        return Cat(Mux(hello_now, self.hello.as_value(), counts), sums)

    def _link_word(self, m, flit, channel, kind, taken, idle, again):
        """The link word without its number: what is known early, with its check bits, is in registers."""
        quiet = Signal()
        with m.If(taken):
            m.d.sync += quiet.eq(~(kind["data"] | kind["head"] | kind["abort"]))
        early = Signal(LINK_CODE.n, name="early_word")
        entry = Signal(LINK_CODE.n, name="entry_word")
        seen = self.seen & self.says_hello if self._shape.replay else self.seen
        m.d.sync += [
            early.eq(link_word(ready=self.ready, seen=seen, entry=self.first, freed=self.answer.as_value())),
            entry.eq(link_word(ready=self.ready, seen=seen, entry=self.entry, freed=self.freed)),
        ]
        word = Mux(kind["head"], entry, early) ^ Mux(quiet & ~again & ~kind["head"], constant_word(exact=1), 0)
        chosen = Mux(Cat(kind.values()).any(), 0, idle)
        for name, value in (("head", Kind.HEAD), ("resume", Kind.RESUME), ("abort", Kind.ABORT)):
            chosen |= Mux(kind[name], constant_word(kind=value), 0)
        word ^= chosen ^ Mux(flit.tail & kind["head"], constant_word(single=1), 0)
        for v in range(self._shape.channels):
            word ^= Mux(channel[v] & (kind["head"] | kind["resume"] | kind["abort"]), constant_word(channel=v), 0)
        return word
