"""Receiver of a fabric link: converts blocks to flits and link words."""

from amaranth.hdl import Cat, Module, Mux, Signal
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
from dsnswitch.hdl.logic.gates import decode, equals
from dsnswitch.hdl.logic.numbers import TrailingOne
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.early import EarlyFlits
from dsnswitch.hdl.port.order import AnyOrder, BlockOrder
from dsnswitch.hdl.port.shape import FabricShape
from dsnswitch.hdl.port.transmitter import channel_marks, marked


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
    - breaks: Channels whose open packet is to end.
    - space: The buffer can take a flit.
    - free: The block that arrives now leaves a cycle for a bad tail.
    - is_open: A packet lacks flits. It may go on.
    - last: It lacks one flit.
    - broken: It is to end.
    - ends: Its bad tail is sent now; one-hot or 0.
    """

    def __init__(self, channels, length):
        super().__init__(
            {
                **dict.fromkeys(("valid", "breaks", "space"), In(channels)),
                **dict.fromkeys(("head", "tail", "refused", "free"), In(1)),
                "length": In(length),
                **dict.fromkeys(("is_open", "last", "broken", "ends"), Out(channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels = len(self.valid)
        lacking = Signal(channels)
        waits = Signal(channels)
        for v in range(channels):
            left = Signal.like(self.length, name=f"left_{v}")
            lacks = Signal.like(left, name=f"lacks_{v}")
            rest = Mux(self.head, self.length, left) - 1
            m.d.comb += [
                lacks.eq(Mux(self.valid[v], Mux(self.tail | self.refused, 0, rest), left)),
                lacking[v].eq(lacks.any()),
                self.last[v].eq(equals(lacks, 1)),
            ]
            m.d.sync += left.eq(lacks)
        m.submodules.lowest = lowest = TrailingOne(channels)
        m.d.comb += [
            self.broken.eq(lacking & (waits | self.breaks)),
            self.is_open.eq(lacking & ~self.broken),
            lowest.i.eq(self.broken & self.space),
            self.ends.eq(lowest.o & self.free.replicate(channels)),
        ]
        m.d.sync += waits.eq(self.broken)
        return m


class ControlCheck(wiring.Component):
    """Checks the link word and the details of control blocks. Latency 1 cycle.

    Members
    -------
    - plain, is_control: The body of a block, and whether it is a block of control that is free of errors.
    - control: The block before was one.
    - link_valid, link: Its link word, whose check bits are right.
    - details_valid, details: Its details, if their check bits are right too.
    """

    plain: In(256)
    is_control: In(1)
    control: Out(1)
    link_valid: Out(1)
    link: Out(link_word_layout())
    details_valid: Out(1)
    details: Out(DETAILS_CODE.n)

    def elaborate(self, platform):
        m = Module()
        body = Signal(256, reset_less=True)
        m.d.sync += [body.eq(self.plain), self.control.eq(self.is_control)]
        m.d.comb += [self.link.eq(body[16:64]), self.details.eq(details_bits(body))]
        codes = (
            ("link", LINK_CODE, self.link.as_value(), self.link_valid, self.control),
            ("details", DETAILS_CODE, self.details, self.details_valid, self.link_valid),
        )
        for name, code, bits, valid, present in codes:
            wrong = check_sums(m, code, bits[: code.k], f"{name}_sum") ^ bits[code.k :]
            m.d.comb += valid.eq(present & ~wrong.any())
        return m


class Receiver(wiring.Component):
    """Converts blocks to flits. Latency 1 cycle from block to flit, 2 cycles to link word; one block per cycle.

    A block is accepted if its codeword was correct or could be corrected, and that of the block before it too, because the
    descrambler sums bits of both. Without retransmission, nothing says after a block that is not accepted to which packet data
    blocks belong. So all open packets end with a bad tail, and data blocks are dropped until a start (:class:`AnyOrder`). With
    retransmission, packets stay open, and only flits that arrive in order are accepted (:class:`BlockOrder`).

    A block passes these stages: its link word is read; it is judged by the packets that are open (:class:`PacketGuard`), by the
    frame and by its order; the flit goes into a register. In the next cycle its checks complete (:class:`ControlCheck`).

    Members
    -------
    - line: The block that arrives (:func:`receiver_members`).
    - active: Flits are accepted. When it falls, all open packets end with a bad tail.
    - space: The buffer of a channel can take a flit.
    - into, flit: A flit for a channel, one-hot or 0; registered.
    - early (Out(``valid``, ``flit``, ``confirmed``)): With speculation: the same flits for the core, in the cycle of their block
      (:class:`EarlyFlits`).
    - link_valid, link, details_valid, details: What a control block says (:class:`ControlCheck`).
    - pending, is_open: A packet is open; it may go on.
    - arrived: A block has arrived in the cycle before.
    - bad_packet: A packet has ended with a bad tail.
    - none_missing, head, lost_packet, dropped_flit: Of the block before (:class:`AnyOrder`).
    - reported, locked, may_be_noise, answer, urgent: With retransmission (:class:`BlockOrder`). A block that arrives without
      lock is not accepted, and neither is the next.
    """

    def __init__(self, shape: FabricShape):
        self._shape, self._header = shape, Header(shape.core)
        self.early_flits = EarlyFlits(shape) if shape.speculates else None
        early = {"valid": Out(shape.channels), "flit": Out(flit_layout(shape.core)), "confirmed": Out(1)}
        bits = ("pending", "arrived", "urgent", "bad_packet", "none_missing", "head", "lost_packet", "dropped_flit")
        super().__init__(
            {
                "line": In(wiring.Signature({name: Out(width) for name, width in self.block(shape).items()})),
                **({"early": Out(wiring.Signature(early))} if shape.speculates else {}),
                **{name: In(1) for name in ("active", "reported", "locked", "may_be_noise")},
                "space": In(shape.channels),
                "into": Out(shape.channels),
                "flit": Out(flit_layout(shape.core)),
                "link_valid": Out(1),
                "link": Out(link_word_layout()),
                "details_valid": Out(1),
                "details": Out(DETAILS_CODE.n),
                **{name: Out(1) for name in bits},
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
        line, channels, replay = self.line, self._shape.channels, self._shape.replay
        m.submodules.guard = guard = PacketGuard(channels, self._header.layout["length"].width)
        m.submodules.check = check = ControlCheck()
        m.submodules.order = order = (BlockOrder if replay else AnyOrder)(self._shape)
        connect_ports(m, self, guard, ("space",))
        connect_ports(m, self, order, ("active", "space"))
        connect_ports(m, guard, order, ("is_open",))
        connect_ports(m, guard, self, ("is_open",))
        connect_ports(m, check, order.previous, ("control", "link_valid", "link"))
        connect_ports(m, check, self, ("link_valid", "link", "details_valid", "details"))
        connect_ports(m, order, self, ("none_missing", "head", "lost_packet", "dropped_flit"))
        if replay:
            connect_ports(m, self, order, ("reported", "locked", "may_be_noise"))
            connect_ports(m, order, self, ("answer", "urgent"))
        block, link = order.block, data.View(link_word_layout(), line.plain[16:64])
        frame, guessed_frame = self._frame(m, check, order.closes, order.none_missing)
        m.d.comb += [
            check.plain.eq(line.plain),
            check.is_control.eq(block.usable & ~line.is_data),
            block.usable.eq(line.valid & ~line.bad & ~order.previous.bad),
            block.is_data.eq(line.is_data),
            block.no_start.eq(line.no_start),
            block.is_head.eq(equals(link.kind, Kind.HEAD)),
            block.is_abort.eq(equals(link.kind, Kind.ABORT)),
            block.number.eq(link.number),
            block.channel.eq(decode(link.channel, channels)),
            block.cuts.eq(block.is_head & (block.channel & (guard.is_open | guard.broken)).any()),
            block.frame.eq(frame),
        ]
        self._watch(m, guard, order)
        allowed = Signal(channels)
        begins = Signal(channels)
        m.d.comb += [
            allowed.eq(self.space & (self.active & ~order.previous.bad & ~order.undone).replicate(channels)),
            begins.eq(block.channel & (block.is_head.replicate(channels) | block.is_abort.replicate(channels) & guard.is_open)),
        ]
        arrives = (
            Mux(line.is_data, frame & guard.is_open, Mux(line.no_start | ~order.in_order, 0, begins))
            & allowed
            & (line.valid & ~line.bad).replicate(channels)
        )
        flit = Signal(flit_layout(self._shape.core), reset_less=True)
        ending = guard.ends.any()
        is_last = (frame & guard.last).any()
        m.d.sync += [
            self.into.eq(guard.ends | arrives),
            flit.head.eq(~ending & ~line.is_data & block.is_head & ~block.cuts),
            flit.tail.eq(ending | Mux(line.is_data, is_last, link.single | block.cuts | ~block.is_head)),
            flit.bad.eq(ending | ~line.is_data & (block.cuts | ~block.is_head)),
            flit.data.eq(self._flit_data(m, line.plain, line.is_data, block.channel)),
            self.arrived.eq(line.valid),
        ]
        m.d.comb += self.flit.eq(flit)
        if self._shape.speculates:
            self._speculate(m, guard, order, guessed_frame, is_last, allowed, ending | arrives.any())
        return m

    def _frame(self, m, check, closes, none_missing):
        """Channel of the packet that data blocks continue, one-hot or 0; and a guess of it, known before checks complete."""
        frame = Signal(self._shape.channels)
        latest = Signal.like(frame)
        channel = Signal.like(frame)
        starts = Signal()
        opens = starts & check.link_valid & none_missing
        m.d.comb += [
            channel.eq(decode(check.link.channel, len(frame))),
            starts.eq(Cat(equals(check.link.kind, kind) for kind in (Kind.HEAD, Kind.RESUME)).any()),
            frame.eq(Mux(check.control, channel & opens.replicate(len(frame)), latest)),
        ]
        with m.If(closes | ~self.active):
            m.d.comb += frame.eq(0)
        m.d.sync += latest.eq(frame)
        return frame, Mux(check.control, channel, latest)

    def _watch(self, m, guard, order):
        """Tell what the block before gave to the core, and whether it had errors."""
        line, previous, layout = self.line, order.previous, self._header.layout
        header = data.View(layout, self.flit.data[: layout.size])
        bad = Signal()
        was_active = Signal()
        m.d.comb += [
            previous.bad.eq(bad),
            previous.gives.eq(self.into.any()),
            previous.gives_head.eq(previous.gives & self.flit.head),
            previous.wrong_header.eq(self._header.syndrome(header).any()),
            guard.valid.eq(self.into),
            guard.head.eq(self.flit.head),
            guard.tail.eq(self.flit.tail),
            guard.length.eq(header.length),
            guard.refused.eq(self.flit.head & previous.wrong_header),
            guard.breaks.eq(order.breaks | (was_active & ~self.active).replicate(self._shape.channels)),
            guard.free.eq(~line.valid | bad | ~self.active | ~line.is_data & line.no_start),
            self.bad_packet.eq(previous.gives & self.flit.tail & self.flit.bad),
            self.pending.eq((guard.is_open | guard.broken).any()),
        ]
        m.d.sync += was_active.eq(self.active)
        with m.If(line.valid):
            m.d.sync += bad.eq(line.bad)
        if self._shape.replay:
            with m.If(~self.locked):
                m.d.sync += bad.eq(1)

    def _flit_data(self, m, plain, is_data, channel, name="flit_bits"):
        """The flit's bits: without the link word, if the block is a head."""
        check = self._header.layout["check"]
        high = plain[:FIRST] & is_data.replicate(FIRST)
        bits = Signal(self._shape.core.flit, name=name)
        m.d.comb += bits.eq(Cat(plain[FIRST:], high))
        return marked(self._header, bits, channel_marks(self._header, channel) & (~is_data).replicate(check.width))

    def _speculate(self, m, guard, order, frame, is_last, allowed, accepts):
        """Offer the flit of the block that arrives to the core, before it is corrected.

        Heads of channels without an open packet and data blocks are offered; bad tails take the slow way. Few bits decide whether
        a flit is offered, because the core waits for this: ``frame`` is a guess.
        """
        line, channels = self.line, self._shape.channels
        link = data.View(link_word_layout(), line.early_plain[16:64])
        next_head = equals(link.kind, Kind.HEAD) & ~line.no_start
        if self._shape.replay:
            next_head &= link.number == order.expected
        heads = Signal(channels)
        early_channel = Signal(channels)
        low = link.channel[: (channels - 1).bit_length()]
        begins = early_channel & next_head.replicate(channels)
        m.submodules.early_flits = early = self.early_flits
        connect_ports(m, self, early, ("into", "flit"))
        m.d.comb += [
            heads.eq(decode(low, channels) & (link.kind[1] & ~link.kind[0]).replicate(channels)),
            early_channel.eq(decode(link.channel, channels)),
            early.offers.eq(Mux(line.early_data, frame, heads) & (line.valid & self.active).replicate(channels)),
            early.takes.eq(
                Mux(line.early_data, order.block.frame & guard.is_open, begins & ~guard.is_open & ~guard.broken)
                & allowed
                & line.valid.replicate(channels)
            ),
            early.early.head.eq(~line.early_data),
            early.early.tail.eq(Mux(line.early_data, is_last, link.single)),
            early.early.data.eq(self._flit_data(m, line.early_plain, line.early_data, early_channel, "early_bits")),
            early.exact.eq(line.exact),
            early.accepts.eq(accepts),
            self.early.valid.eq(early.valid),
            self.early.flit.eq(early.offered),
            self.early.confirmed.eq(early.confirmed),
        ]
