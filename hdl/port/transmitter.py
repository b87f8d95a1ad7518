"""Transmitter of a fabric link: converts flits and counts to blocks."""

from functools import reduce
from itertools import pairwise
from operator import xor

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
from dsnswitch.hdl.logic.wiring import connect_ports
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


#: Senders of blocks, of which the arbiter grants one per block.
SENDERS = ("head", "data", "resume", "abort", "idle")


class SenderArbiter(wiring.Component):
    """Grants each block to one of five senders. Combinational.

    ``head`` and ``data`` send the flit that waits. ``resume`` names the channel of this flit, if its packet was interrupted: the
    flit follows in the next block. ``abort`` ends a packet whose tail the core has marked as bad. ``idle`` sends counts of flits
    or a hello.

    Members
    -------
    - active: The other end accepts flits.
    - waits, again: A new flit waits; one that is sent again, which goes first.
    - channel, head, tail, bad: Channel and marks of the flit.
    - urgent: ``idle`` goes before the flit.
    - restarts: The frame ends, so that the next flit is in a start block or follows a resume.
    - taken: The block enters the line.
    - sends (Out(one bit for each of :data:`SENDERS`)): Who sends the block; one-hot.
    - leaves: The flit enters the line.
    - drops: The new flit is dropped: its packet was not sent from its head on, or the link is not open.
    - frame_open: The block before was not idle. Registered.
    - complete: No packet is sent in part. Registered.
    """

    def __init__(self, channels):
        inputs = ("active", "waits", "again", "head", "tail", "bad", "urgent", "restarts", "taken")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "channel": In(channels),
                "sends": Out(wiring.Signature(dict.fromkeys(SENDERS, Out(1)))),
                **{name: Out(1) for name in ("leaves", "drops", "frame_open", "complete")},
            }
        )

    def elaborate(self, platform):
        m = Module()
        channel, sends, channels = self.channel, self.sends, len(self.channel)
        # Channels whose packet is sent in part; the channel of the last block's packet, which data blocks continue.
        sending = Signal(channels)
        frame = Signal(channels)
        granted = Signal()
        spoiled = Signal()
        follows = Signal()
        # A flit that is sent again may be of a packet whose tail has been sent.
        continues = (channel & (sending | self.again.replicate(channels))).any()
        m.d.comb += [
            granted.eq((self.waits | self.again) & self.active & Mux(self.head, ~spoiled, continues)),
            spoiled.eq(self.tail & self.bad),
            follows.eq((channel & frame).any() & ~self.urgent),
            sends.data.eq(granted & ~self.head & ~spoiled & follows),
            sends.resume.eq(granted & ~self.head & ~spoiled & ~follows),
            sends.abort.eq(granted & ~self.head & spoiled),
            sends.head.eq(granted & self.head & ~self.urgent),
            sends.idle.eq(~(sends.data | sends.head | sends.resume | sends.abort)),
            self.leaves.eq(self.taken & (sends.data | sends.abort | sends.head)),
            self.drops.eq(self.waits & ~granted & ~self.again),
            self.complete.eq(~sending.any()),
        ]
        with m.If(self.taken):
            opens = (sends.head | sends.resume).replicate(channels)
            m.d.sync += [self.frame_open.eq(~sends.idle), frame.eq(Mux(sends.data, frame, channel & opens))]
        with m.If(self.restarts):
            m.d.sync += frame.eq(0)
        with m.If(~self.active):
            m.d.sync += sending.eq(0)
        with m.Elif(self.leaves & ~self.again):
            m.d.sync += sending.eq(Mux(self.tail, sending & ~channel, sending | channel))
        return m


class Numbers(wiring.Component):
    """Numbers of link words with their check bits, in registers.

    Members
    -------
    - new_head: The head of a packet enters the line for the first time.
    - active, leaves: With retransmission: the other end accepts flits; a flit enters the line.
    - restarts, target, following, answered: With retransmission: the number of the next flit, and the request that was answered
      (:class:`ReplayBuffer`).
    - packets: Heads that have entered the line. Registered.
    - word, hello_word: The number of packets or of the next flit, and the request, in each link word; what a hello adds to it.
    """

    def __init__(self, shape: FabricShape):
        self._retries = bool(shape.replay)
        more = dict.fromkeys(("active", "leaves", "restarts", "answered"), In(1))
        more |= dict.fromkeys(("target", "following"), In(NUMBER_BITS))
        super().__init__(
            {
                "new_head": In(1),
                **(more if shape.replay else {}),
                "packets": Out(NUMBER_BITS),
                **dict.fromkeys(("word", "hello_word"), Out(LINK_CODE.n)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        next_packets = Signal(NUMBER_BITS)
        m.d.comb += next_packets.eq(self.packets + 1)
        packets = self._word(m, self.packets, self.new_head, next_packets)
        if not self._retries:
            m.d.comb += self.word.eq(packets)
            return m
        # That of the replay buffer, which is 0 in a hello.
        number = Signal(NUMBER_BITS)
        shown = Signal(NUMBER_BITS)
        m.d.comb += [
            shown.eq(Mux(self.active, Mux(self.restarts, self.target, self.following), 0)),
            self.word.eq(
                self._word(m, number, self.leaves | self.restarts | ~self.active, shown)
                ^ Mux(self.answered, constant_word(seen=1), 0)
            ),
            self.hello_word.eq(packets),
        ]
        return m

    @staticmethod
    def _word(m, number, changes, value):
        """Link word of ``number``, which becomes ``value`` if it ``changes``."""
        sums = Signal(LINK_CODE.r, name=f"{number.name}_sums")
        with m.If(changes):
            m.d.sync += [number.eq(value), sums.eq(link_word_sums(m, f"{number.name}_sum", number=value))]
        return number_word(number, sums)


def channel_marks(header: Header, channel):
    """What a channel, one-hot, inverts in the check bits of a header on the line; 0 for channel 0, and for no channel.

    A bit of the channel's number is one more information bit of the header's code: its column is a syndrome of odd weight that
    no other bit has. Where the code has none left, it is one of even weight.
    """
    code = header.code
    free = [s for s in range(3, 1 << code.r) if s not in code.columns]
    columns = sorted(free, key=lambda s: (s.bit_count() % 2 == 0, s.bit_count(), s))
    marks = Const(0, code.r)
    for number, chosen in enumerate(channel):
        ones = (column for bit, column in zip(range(len(channel).bit_length()), columns) if number >> bit & 1)
        marks |= Mux(chosen, reduce(xor, ones, 0), 0)
    return marks


def marked(header: Header, bits, marks):
    """Bits of a head flit whose check bits are inverted by ``marks``."""
    check = header.layout["check"]
    first, end = check.offset, check.offset + check.width
    return Cat(bits[:first], (bits[first:end] ^ marks)[: check.width], bits[end:])


class Transmitter(wiring.Component):
    """Converts flits to blocks. Combinational from flit to block; one block per cycle.

    Flits wait in the skid buffer (:class:`Skid`); with retransmission, those that are sent again go before them
    (:class:`ReplayBuffer`). :class:`SenderArbiter` decides what the next block carries, a multiplexer joins its link word, and
    :class:`Numbers` adds the number. While the link is not open, flits are dropped.

    Members
    -------
    - valid, flit, stall: A flit of a channel, one-hot or 0; the core must pause (:class:`Skid`).
    - active, ready, seen: The other end accepts flits; this end does; it has received the other end's parameters.
    - says_hello, hello: Send hellos; their fields are constant meanwhile, but for those of a virtual network, which are those of
      the hello one cycle later.
    - hello_sent: With several virtual networks: a hello enters the line.
    - urgent: Send counts before the next flit.
    - entry, entry_freed, first, details: Counts of the next head and of the next block with details (:class:`Reports`).
    - tag: Tag of this end, for blocks of counts.
    - answer: Which flits of the other end have arrived; without retransmission, how many packets.
    - answered, its_answer: The other end says which flits of this end have arrived.
    - packets: Heads that have entered the line, without those that were sent again. Registered.
    - complete, newest: With retransmission: no packet is sent in part; number of the next new flit.
    - sent, dropped: A flit of a channel enters the line, is dropped; one-hot or 0.
    - counts_sent, entry_sent: A block with the details, with the entry enters the line.
    - refused_packet: The head of a packet was dropped. The rest of a packet of which a part was sent does not count.
    - resumed: A block was spent to name the channel of the packet that goes on.
    - retransmitted, failed: A flit enters the line again; retransmission does not help.
    - block, taken: The block for the line (:func:`transmitter_members`); it enters the line.
    """

    def __init__(self, shape: FabricShape):
        self._shape, self._header = shape, Header(shape.core)
        self._several = len(shape.networks) > 1
        inputs = ("active", "says_hello", "ready", "seen", "urgent", "answered", "taken")
        outputs = ("counts_sent", "entry_sent", "refused_packet", "resumed", "retransmitted", "failed")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "valid": In(shape.channels),
                "flit": In(flit_layout(shape.core)),
                "stall": Out(1),
                "entry": In(5),
                "entry_freed": In(14),
                "first": In(5),
                "details": In(DETAILS_CODE.k),
                "hello": In(hello_layout(self._several)),
                "tag": In(END_TAG),
                **dict.fromkeys(("answer", "its_answer"), In(answer_layout())),
                **({"complete": Out(1), "newest": Out(NUMBER_BITS)} if shape.replay else {}),
                "packets": Out(NUMBER_BITS),
                **dict.fromkeys(("sent", "dropped"), Out(shape.channels)),
                **{name: Out(1) for name in outputs},
                **({"hello_sent": Out(1)} if self._several else {}),
                "block": Out(wiring.Signature({name: Out(width) for name, width in SENT_BLOCK.items()})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        shape, block, channels = self._shape, self.block, self._shape.channels
        layout = flit_layout(shape.core)
        early = layout["head"].offset
        m.submodules.skid = skid = Skid(layout.size + channels, layout.size - early + channels, bool(shape.replay))
        m.submodules.arbiter = arbiter = SenderArbiter(channels)
        m.submodules.numbers = numbers = Numbers(shape)
        replay = self._replay(m, skid, arbiter, numbers) if shape.replay else None
        again, full = (replay.replaying, self.active & replay.full) if replay else (Const(0, 1), Const(0, 1))
        flit = data.View(layout, skid.front[: layout.size])
        channel, sends, drops = skid.front[layout.size :], arbiter.sends, arbiter.drops
        # The check bits in the register are those of a hello.
        hello_now = Signal()
        is_new = Signal()
        m.d.sync += hello_now.eq(self.says_hello)
        marks = channel_marks(self._header, channel & flit.head.replicate(channels))
        connect_ports(m, self, arbiter, ("active", "urgent", "taken"))
        connect_ports(m, skid, self, ("stall",))
        connect_ports(m, numbers, self, ("packets",))
        connect_ports(m, arbiter, block, ("frame_open",))
        m.d.comb += [
            skid.valid.eq(self.valid.any()),
            skid.entry.eq(Cat(self.flit, self.valid)),
            skid.pop.eq(drops | is_new),
            arbiter.waits.eq(skid.front_valid & ~full),
            arbiter.again.eq(again),
            arbiter.channel.eq(channel),
            *(getattr(arbiter, name).eq(flit[name]) for name in ("head", "tail", "bad")),
            # A flit of the skid buffer enters the line.
            is_new.eq(arbiter.leaves & ~again),
            numbers.new_head.eq(is_new & flit.head),
            self.sent.eq(channel & is_new.replicate(channels)),
            self.dropped.eq(channel & drops.replicate(channels)),
            self.resumed.eq(self.taken & sends.resume),
            self.entry_sent.eq(self.taken & sends.head),
            self.counts_sent.eq(self.taken & ~sends.data & ~sends.head & ~hello_now),
            self.refused_packet.eq(drops & flit.head),
            *([self.hello_sent.eq(self.taken & hello_now)] if self._several else []),
            block.is_data.eq(sends.data),
            block.carries.eq(sends.data | sends.head),
            block.flit.eq(marked(self._header, flit.data, marks)),
            block.details.eq(self._details(m, hello_now)),
            block.starts.eq(sends.head | sends.resume | sends.abort),
            block.link_word.eq(self._link_word(m, flit, channel, sends, hello_now, again, numbers)),
        ]
        return m

    def _replay(self, m, skid, arbiter, numbers):
        """The replay buffer, which keeps what leaves the skid buffer."""
        m.submodules.replay = replay = ReplayBuffer(self._shape.replay, len(skid.entry))
        connect_ports(m, self, replay, ("active",))
        connect_ports(m, self, numbers, ("active",))
        connect_ports(m, arbiter, numbers, ("leaves",))
        connect_ports(m, arbiter, self, ("complete",))
        connect_ports(m, replay, numbers, ("restarts", "target", "following", "answered"))
        connect_ports(m, replay, self, ("failed", "newest"))
        # The other end drops data blocks until a start, so a replay begins with one. If a bad codeword hits it, a second one,
        # which the same codeword does not hit, shows that it is lost.
        burst = self._shape.kind.burst
        second = Signal(range(burst + 1))
        m.d.sync += second.eq(Mux(replay.restarts, burst, second - second.any()))
        m.d.comb += [
            arbiter.restarts.eq(replay.restarts | (second == 1)),
            replay.sent.eq(arbiter.leaves),
            replay.entry.eq(skid.front),
            skid.inserts.eq(replay.replays),
            skid.inserted.eq(replay.front),
            replay.update.eq(self.answered),
            replay.accepted.eq(self.its_answer.accepted),
            replay.request.eq(self.its_answer.request),
            self.retransmitted.eq(arbiter.leaves & replay.replaying),
        ]
        return replay

    def _details(self, m, hello_now):
        """The details with their check bits."""
        counts = Signal(DETAILS_CODE.k, reset_less=True)
        sums = Signal(DETAILS_CODE.r, name="details_sums")
        bits = 2 * self._shape.count_width * self._shape.per_block
        hello_sums = check_sums(m, DETAILS_CODE, self.hello.as_value(), "hello_sum")
        count_sums = check_sums(m, DETAILS_CODE, self.details[:bits], "count_sum")
        m.d.sync += [counts.eq(self.details), sums.eq(Mux(self.says_hello, hello_sums, count_sums))]
        return Cat(Mux(hello_now, self._shown(m), counts), sums)

    def _shown(self, m):
        """The hello, to which the check bits in the register belong."""
        if not self._several:
            return self.hello.as_value()
        fields = []
        for name, field in self.hello.shape():
            turns = name in ("channels", "depth", "virtual_network")
            fields.append(Signal(field.width, name=f"shown_{name}") if turns else self.hello[name])
            if turns:
                m.d.sync += fields[-1].eq(self.hello[name])
        return Cat(fields)

    def _link_word(self, m, flit, channel, sends, hello_now, again, numbers):
        """Multiplexer of the link words of the senders. What is known early, with its check bits, is in registers."""
        quiet = Signal()
        with m.If(self.taken):
            m.d.sync += quiet.eq(~(sends.data | sends.head | sends.abort))
        early = Signal(LINK_CODE.n, name="early_word")
        entry = Signal(LINK_CODE.n, name="entry_word")
        state = state_of_head = {"ready": self.ready, "seen": self.seen}
        if self._shape.replay:
            # Without a hello, ``seen`` is the request that was answered, in a head just after a hello, too.
            state_of_head, state = {"ready": self.ready}, state | {"seen": self.seen & self.says_hello}
        m.d.sync += [
            early.eq(link_word(m, "early_sum", **state, entry=self.first, freed=self.answer.as_value())),
            entry.eq(link_word(m, "entry_sum", **state_of_head, entry=self.entry, freed=self.entry_freed)),
        ]
        counts = link_word(m, "counts_sum", kind=Const(Kind.CREDIT, 3), **tag_fields(self.tag))
        idle = Mux(hello_now, constant_word(kind=Kind.HELLO) ^ numbers.hello_word, counts)
        words = [idle, *(constant_word(kind=kind) for kind in (Kind.HEAD, Kind.RESUME, Kind.ABORT))]
        kind_word = Signal(LINK_CODE.n)
        channel_word = Signal(LINK_CODE.n)
        marks_word = Signal(LINK_CODE.n)
        named = channel & (sends.head | sends.resume | sends.abort).replicate(len(channel))
        m.d.comb += [
            kind_word.eq(selected((sends.idle, sends.head, sends.resume, sends.abort), words)),
            channel_word.eq(reduce(xor, (Mux(one, constant_word(channel=v), 0) for v, one in enumerate(named)))),
            marks_word.eq(
                Mux(quiet & ~again & ~sends.head, constant_word(exact=1), 0)
                ^ Mux(flit.tail & sends.head, constant_word(single=1), 0)
            ),
        ]
        return Mux(sends.head, entry, early) ^ kind_word ^ channel_word ^ marks_word ^ numbers.word
