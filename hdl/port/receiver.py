"""Receiver of a fabric link: converts blocks to flits and link words."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.line.line_format import (
    DETAILS_CODE,
    EARLY_BLOCK,
    FIRST,
    LINK_CODE,
    RECEIVED_BLOCK,
    Kind,
    answer_layout,
    check_sums,
    details_bits,
    link_word_layout,
)
from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.logic.numbers import TrailingOne
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.early import EarlyFlits
from dsnswitch.hdl.port.retransmission import BlockOrder
from dsnswitch.hdl.port.shape import FabricShape
from dsnswitch.hdl.port.transmitter import channel_marks


class PacketGuard(wiring.Component):
    """Follows the packets of all channels, and ends those that the line has broken. Outputs are for the block that arrives now.

    A packet ends when it has as many flits as its header states, so a tail needs no mark on the line. A packet that is to end
    early waits in ``broken`` until a block without a flit leaves a cycle for its bad tail.

    Parameters
    ----------
    channels : int
    length : int
        Bits of the length in a header.

    Members
    -------
    - valid: The flit that the block before gave; one-hot or 0.
    - head, tail: Its marks.
    - length: The length of its packet, if it is a head.
    - refused: It is a head whose header is wrong: no packet begins.
    - breaks: All open packets are to end.
    - space: The buffer can take a flit.
    - free: The block that arrives now leaves a cycle for a bad tail.
    - is_open: A packet lacks flits. It may go on.
    - last: It lacks one flit.
    - broken: It is to end.
    - ends: Its bad tail is sent now; one-hot or 0.
    """

    def __init__(self, channels, length, more=()):
        super().__init__(
            {
                **dict(more),
                "valid": In(channels),
                "head": In(1),
                "tail": In(1),
                "length": In(length),
                "refused": In(1),
                "breaks": In(1),
                "space": In(channels),
                "free": In(1),
                **{name: Out(channels) for name in ("is_open", "last", "broken", "ends")},
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels = len(self.valid)
        lacking = Signal(channels)
        waits = Signal(channels)
        for v in range(channels):
            left = Signal.like(self.length, name=f"left_{v}")
            now = Signal.like(left, name=f"left_now_{v}")
            before = Mux(self.head, self.length, left)
            m.d.comb += now.eq(Mux(self.valid[v], Mux(self.tail | self.refused, 0, before - 1), left))
            m.d.sync += left.eq(now)
            m.d.comb += [lacking[v].eq(now.any()), self.last[v].eq(equals(now, 1))]
        m.submodules.lowest = lowest = TrailingOne(channels)
        m.d.comb += [
            self.broken.eq(lacking & self._ending(waits)),
            self.is_open.eq(lacking & ~self.broken),
            lowest.i.eq(self.broken & self.space),
            self.ends.eq(lowest.o & self.free.replicate(channels)),
        ]
        m.d.sync += waits.eq(self.broken)
        return m

    def _ending(self, waits):
        """Channels whose packet is to end if one is open; ``waits``: those on which one waits for it."""
        return waits | self.breaks.replicate(len(self.valid))


class RetryGuard(PacketGuard):
    """Ends single packets, too.

    Members
    -------
    - ended: Channels whose open packet is to end.
    - others: :class:`PacketGuard`.
    """

    def __init__(self, channels, length):
        super().__init__(channels, length, {"ended": In(channels)})

    def _ending(self, waits):
        return super()._ending(waits) | self.ended


#: What the receiver tells about the blocks that arrived, one pulse each.
RECEIVED = ("bad_packet", "lost_packet", "dropped_flit", "head")


class Receiver(wiring.Component):
    """Converts blocks to flits. Latency 1 cycle from block to flit, 2 cycles to link word; one block per cycle.

    A block is accepted if its codeword was correct or could be corrected, and that of the block before it too, because the
    descrambler sums bits of both. After a block that is not accepted nothing says to which packet data blocks belong. So all open
    packets end with a bad tail, and data blocks are dropped until a start.

    :class:`RetryReceiver` is the receiver of a link with retransmission. It replaces the methods that are marked so.

    Members
    -------
    - line: The block that arrives (:func:`receiver_members`).
    - active: Flits are accepted. When it falls, all open packets end with a bad tail.
    - space: The buffer of a channel can take a flit.
    - reported: With retransmission: a block with the ``answer`` of the cycle before enters the line.
    - into, flit: A flit for a channel, one-hot or 0; registered.
    - early (Out(``valid``, ``flit``, ``sure``)): With speculation: the same flits for the core, in the cycle of their block
      (:class:`EarlyFlits`).
    - link_valid, link: A link word has arrived, its check bits are right.
    - details_valid, details: Its details, if their check bits are right.
    - pending, is_open: A packet is open; it may go on.
    - arrived: A block has arrived in the cycle before.
    - bad_packet: A packet has ended with a bad tail.
    - lost_packet: A head was dropped, or became the bad tail of the packet before it on its channel.
    - dropped_flit: A data block was dropped: no packet was open, or there was no space.
    - head: The link word of a head is wrong, so that its number does not count, but its header is right. With retransmission:
      a head was accepted.
    - answer, urgent: With retransmission: what the other end must know, and soon.
    - in_order: The link word shows that no flit is missing; with retransmission.
    """

    def __init__(self, shape: FabricShape, more=()):
        self._shape, self._header = shape, Header(shape.core)
        self.early_flits = EarlyFlits(shape) if shape.speculates else None
        early = {"valid": Out(shape.channels), "flit": Out(flit_layout(shape.core)), "sure": Out(1)}
        super().__init__(
            {
                "line": In(wiring.Signature({name: Out(width) for name, width in self.block(shape).items()})),
                **({"early": Out(wiring.Signature(early))} if shape.speculates else {}),
                "active": In(1),
                "space": In(shape.channels),
                "reported": In(1),
                **dict(more),
                "into": Out(shape.channels),
                "flit": Out(flit_layout(shape.core)),
                "link_valid": Out(1),
                "link": Out(link_word_layout()),
                "details_valid": Out(1),
                "details": Out(DETAILS_CODE.n),
                **{name: Out(1) for name in ("pending", "arrived", "urgent", "in_order", *RECEIVED)},
                "is_open": Out(shape.channels),
                "answer": Out(answer_layout()),
            }
        )

    @staticmethod
    def block(shape):
        """What is read of a block: name and bits."""
        return RECEIVED_BLOCK | (EARLY_BLOCK if shape.speculates else {})

    def elaborate(self, platform):
        m = Module()
        channels, line = self._shape.channels, self.line
        m.submodules.guard = guard = self._guard(channels, self._header.layout["length"].width)
        connect_ports(m, self, guard, ("space",))

        # The block that arrives: late values are those that wait for the correction.
        now = SimpleNamespace(link=data.View(link_word_layout(), line.plain[16:64]))
        now.chosen = Signal(channels)
        now.is_head = Signal()
        now.is_abort = Signal()
        m.d.comb += [
            now.chosen.eq(Cat(equals(now.link.channel, v) for v in range(channels))),
            now.is_head.eq(equals(now.link.kind, Kind.HEAD)),
            now.is_abort.eq(equals(now.link.kind, Kind.ABORT)),
        ]
        # The block before it, in registers.
        body = Signal(256, reset_less=True)
        flit = Signal(flit_layout(self._shape.core), reset_less=True)
        before = SimpleNamespace()
        before.control = Signal()
        before.bad = Signal()
        before.refused = Signal()
        frame = Signal(channels)
        now.frame = Signal(channels, name="frame_now")
        now.usable = Signal()
        before.dropped_head = Signal()
        m.d.comb += now.usable.eq(line.valid & ~line.bad & ~before.bad)
        self._read_link_word(m, body, before.control)
        self._follow(m, guard, before, frame, now.frame)
        now.continues = Signal(channels)
        begins = Signal(channels)
        now.cuts = Signal()
        m.d.comb += [
            now.continues.eq(now.frame & guard.is_open),
            now.cuts.eq(now.is_head & (now.chosen & (guard.is_open | guard.broken)).any()),
            begins.eq(
                now.chosen & (now.is_head.replicate(channels) | now.is_abort.replicate(channels) & guard.is_open)
            ),
        ]
        in_order, undone = self._compare(m, guard, now, before)
        allowed = Signal(channels)
        m.d.comb += allowed.eq(self.space & (self.active & ~before.bad & ~undone).replicate(channels))
        arriving = (
            Mux(line.is_data, now.continues, Mux(line.no_start | ~in_order, 0, begins))
            & allowed
            & (line.valid & ~line.bad).replicate(channels)
        )
        ending = guard.ends.any()
        ends_itself = now.link.single | now.cuts | ~now.is_head
        m.d.sync += [
            self.into.eq(guard.ends | arriving),
            flit.head.eq(~ending & ~line.is_data & now.is_head & ~now.cuts),
            flit.tail.eq(ending | Mux(line.is_data, (now.frame & guard.last).any(), ends_itself)),
            flit.bad.eq(ending | ~line.is_data & (now.cuts | ~now.is_head)),
            flit.data.eq(self._flit_data(m, line.plain, line.is_data, now.link)),
            body.eq(line.plain),
            before.control.eq(now.usable & ~line.is_data),
            self.arrived.eq(line.valid),
        ]
        if self._shape.speculates:
            self._speculate(m, guard, now, frame, before, allowed, guard.ends.any() | arriving.any())
        self._report(m, now, before)
        with m.If(line.valid):
            m.d.sync += before.bad.eq(line.bad)
        self._watch_lock(m, before)
        m.d.comb += [
            self.flit.eq(flit),
            guard.free.eq(~line.valid | before.bad | ~self.active | ~line.is_data & line.no_start),
            self.lost_packet.eq(before.dropped_head & self.link_valid),
            self.bad_packet.eq(self.into.any() & self.flit.tail & self.flit.bad),
            self.pending.eq((guard.is_open | guard.broken).any()),
            self.is_open.eq(guard.is_open),
        ]
        return m

    def _flit_data(self, m, plain, is_data, link, name="flit_bits"):
        """The flit's bits: without the link word, if the block is a head."""
        shape, check = self._shape, self._header.layout["check"]
        high = plain[:FIRST] & is_data.replicate(FIRST)
        bits = Signal(shape.core.flit, name=name)
        m.d.comb += bits.eq(Cat(plain[FIRST:], high))
        marks = Const(0, check.width)
        for v, mark in enumerate(channel_marks(self._header, shape.channels)):
            marks |= Mux(equals(link.channel, v), mark, 0)
        first, end = check.offset, check.offset + check.width
        marked = bits[first:end] ^ (marks & (~is_data).replicate(check.width))
        return Cat(bits[:first], marked[: check.width], bits[end:])

    def _speculate(self, m, guard, now, frame, before, allowed, accepts):
        """Offer the flit of the block that arrives to the core, before it is corrected.

        Heads of channels without an open packet and data blocks are offered; bad tails take the slow way. Few bits decide whether
        a flit is offered, because the core waits for this.
        """
        line, channels = self.line, self._shape.channels
        link = data.View(link_word_layout(), line.early_plain[16:64])
        low = (channels - 1).bit_length()
        early_heads = Signal(channels)
        early_begins = Signal(channels)
        is_head = link.kind[1] & ~link.kind[0]
        exactly = Cat(equals(link.channel, v) for v in range(channels))
        m.submodules.early_flits = early = self.early_flits
        connect_ports(m, self, early, ("into", "flit"))
        m.d.comb += [
            early_heads.eq(Cat(is_head & equals(link.channel[:low], v) for v in range(channels))),
            early_begins.eq(
                exactly
                & (equals(link.kind, Kind.HEAD) & ~line.no_start & self._is_next(link.number)).replicate(channels)
            ),
            early.offers.eq(
                Mux(line.early_data, Mux(before.control, before.opened, frame), early_heads)
                & (line.valid & self.active).replicate(channels)
            ),
            early.takes.eq(
                Mux(line.early_data, now.continues, early_begins & ~guard.is_open & ~guard.broken)
                & allowed
                & line.valid.replicate(channels)
            ),
            early.early.head.eq(~line.early_data),
            early.early.tail.eq(Mux(line.early_data, (now.frame & guard.last).any(), link.single)),
            early.early.data.eq(self._flit_data(m, line.early_plain, line.early_data, link, "early_bits")),
            early.exact.eq(line.exact),
            early.accepts.eq(accepts),
            self.early.valid.eq(early.valid),
            self.early.flit.eq(early.offered),
            self.early.sure.eq(early.sure),
        ]

    def _read_link_word(self, m, body, control):
        """Check the link word and the details of the block before."""
        link, details = body[16:64], details_bits(body)
        codes = (
            (LINK_CODE, link, self.link_valid, control),
            (DETAILS_CODE, details, self.details_valid, self.link_valid),
        )
        for code, bits, valid, present in codes:
            wrong = check_sums(code, bits[: code.k]) ^ bits[code.k :]
            m.d.comb += valid.eq(present & ~wrong.any())
        m.d.comb += [self.link.eq(link), self.details.eq(details)]

    def _follow(self, m, guard, before, frame, frame_now):
        """Follow frames and packets by the block before, which is in registers."""
        channels, layout = self._shape.channels, self._header.layout
        header = data.View(layout, self.flit.data[: layout.size])
        syndrome = self._header.syndrome(header)
        opened = Signal(channels)
        before.opened = opened
        starts = Signal()
        closes = Signal()
        was_open = Signal()
        head_given = Signal()
        opens = starts & self.link_valid & self._follows()
        m.d.comb += [
            opened.eq(Cat(equals(self.link.channel, v) for v in range(channels))),
            starts.eq(Cat(equals(self.link.kind, kind) for kind in (Kind.HEAD, Kind.RESUME)).any()),
            head_given.eq(self.into.any() & self.flit.head),
            closes.eq(before.bad | before.refused | before.control & ~self.link_valid),
            frame_now.eq(Mux(before.control, opened & opens.replicate(channels), frame)),
            guard.valid.eq(self.into),
            guard.head.eq(self.flit.head),
            guard.tail.eq(self.flit.tail),
            guard.length.eq(header.length),
            guard.refused.eq(self.flit.head & syndrome.any()),
            guard.breaks.eq(self._breaks(closes) | was_open & ~self.active),
        ]
        self._judge_head(m, head_given, syndrome.any())
        m.d.sync += was_open.eq(self.active)
        with m.If(closes | ~self.active):
            m.d.comb += frame_now.eq(0)
        m.d.sync += frame.eq(frame_now)

    # Retransmission replaces the methods below, and the guard.

    _guard = PacketGuard

    def _follows(self):
        """Whether a start of the block before opens a frame."""
        return 1

    def _breaks(self, closes):
        """Whether open packets end with the frame."""
        return closes

    def _judge_head(self, m, given, wrong):
        """The block before gave a head to the core, or not; its header is wrong."""
        m.d.comb += self.head.eq(given & ~self.link_valid & ~wrong)

    def _compare(self, m, guard, now, before):
        """Whether the block that arrives is the next one, and whether the flit of the block before does not count."""
        return Const(1, 1), Const(0, 1)

    def _is_next(self, number):
        """Whether a head with ``number`` is the one that is expected."""
        return Const(1, 1)

    def _report(self, m, now, before):
        """Say what was dropped."""
        line, here = self.line, now.usable & self.active
        m.d.sync += [
            before.refused.eq(here & line.is_data & (now.continues & ~self.space).any()),
            before.dropped_head.eq(here & ~line.is_data & now.is_head & (now.cuts | ~(now.chosen & self.space).any())),
            self.dropped_flit.eq(here & line.is_data & ~(now.continues & self.space).any()),
        ]

    def _watch_lock(self, m, before):
        """Without retransmission, a lost lock ends the session."""


class RetryReceiver(Receiver):
    """Receiver of a link with retransmission: packets stay open, and only flits that arrive in order are accepted.

    Blocks that arrive without lock are not accepted, and neither is the next. If the last flits before were perhaps noise, they
    do not count, and their packet ends with a bad tail (:class:`BlockOrder`).

    Members
    -------
    - locked, may_be_noise: Block lock; the block of the cycle before is perhaps noise, if the line fails.
    - others: :class:`Receiver`.
    """

    _guard = RetryGuard

    def __init__(self, shape: FabricShape):
        self._order = BlockOrder(shape)
        super().__init__(shape, {"locked": In(1), "may_be_noise": In(1)})

    def _follows(self):
        return self._order.found

    def _breaks(self, closes):
        return 0

    def _judge_head(self, m, given, wrong):
        m.d.comb += [self._order.given.eq(given), self._order.wrong.eq(wrong)]

    def _compare(self, m, guard, now, before):
        line = self.line
        m.submodules.order = order = self._order
        connect_ports(m, self, order, ("active", "space", "reported", "link_valid", "link", "may_be_noise"))
        connect_ports(m, order, self, ("head", "answer"))
        m.d.comb += [
            # A replay without lock would be in vain.
            self.urgent.eq(order.urgent & self.locked),
            order.valid.eq(now.usable),
            order.is_data.eq(line.is_data),
            order.is_head.eq(now.is_head & ~line.no_start),
            order.is_abort.eq(now.is_abort & ~line.no_start),
            order.number.eq(now.link.number),
            order.chosen.eq(now.chosen),
            order.frame.eq(now.frame),
            order.is_open.eq(guard.is_open),
            order.control.eq(before.control),
            guard.ended.eq(order.revoked),
            self.in_order.eq(order.found),
        ]
        return order.in_order, order.undone

    def _is_next(self, number):
        return number == self._order.expected

    def _report(self, m, now, before):
        order, given = self._order, self.into.any()
        was_head = self.link_valid & equals(self.link.kind, Kind.HEAD)
        m.d.sync += before.refused.eq(order.skipped)
        m.d.comb += [
            before.dropped_head.eq(order.took & was_head & ~(given & self.flit.head)),
            self.dropped_flit.eq(order.took & ~before.control & ~given),
        ]

    def _watch_lock(self, m, before):
        with m.If(~self.locked):
            m.d.sync += before.bad.eq(1)
        m.d.sync += self._order.fails.eq(~self.locked & before.bad)
