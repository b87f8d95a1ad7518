"""The transmitter of a fabric link: from flits and counts to codewords."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..link import CODE
from ..switch.packet import Header, flit_layout
from .header_marks import channel_marks
from .line_encoder import LineEncoder
from .line_format import (
    BOTH_SIGNAL,
    DETAILS_CODE,
    LINK_CODE,
    ORDERED_SET,
    START,
    TERMINATE,
    Kind,
    check_sums,
    details_body,
    link_word_layout,
)
from .shape import FabricShape
from .skid import Skid

__all__ = ["SENT", "Transmitter"]

#: What the transmitter tells about the flits that it got, one pulse each.
SENT = ("refused_packet", "resumed")


class Transmitter(wiring.Component):
    """Turns flits into codewords. Latency 1 cycle from flit to codeword; one block per cycle.

    A flit that follows one of its packet becomes a data block. A head becomes a start block. A flit whose packet was interrupted
    by another channel's takes two blocks, the first of which names the channel; meanwhile flits wait in the skid buffer. While
    there is no flit, counts of flits are sent, or hellos. While the link is not open, flits are dropped.

    Parameters
    ----------
    shape : FabricShape

    Members
    -------
    valid, flit : In(channels), In(flit_layout)
        A flit of a channel, one-hot or 0.
    stall : Out(1)
        The core must pause (:class:`~.skid.Skid`).
    active : In(1)
        The other end accepts flits.
    says_hello, ready, seen : In(1)
        Send hellos; this end accepts flits; it has received the other end's parameters.
    urgent : In(1)
        Send counts before the next flit.
    entry, freed : In(5), In(14)
        Count of freed flits of one channel, for the next head.
    first, details : In(5), In(135)
        First channel of the next details, and the details: counts, or a hello.
    sent, dropped : Out(channels)
        A flit of a channel enters the line, is dropped; one-hot or 0.
    counts_sent, entry_sent : Out(1)
        A block with the details, with the entry enters the line.
    refused_packet : Out(1)
        A packet was dropped: its head, or its rest after a part of it was sent.
    resumed : Out(1)
        A block was spent to name the channel of the packet that goes on.
    o : Out(stream of 270 bits)
        Codewords.
    """

    latency = 1

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
                "sent": Out(shape.channels),
                "dropped": Out(shape.channels),
                **{name: Out(1) for name in ("counts_sent", "entry_sent", *SENT)},
                "o": Out(stream.Signature(CODE.n)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels, layout = self._shape.channels, flit_layout(self._shape.core)
        m.submodules.encoder = encoder = LineEncoder()
        m.submodules.skid = skid = Skid(layout.size + channels)
        wiring.connect(m, encoder.o, wiring.flipped(self.o))
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
        taken = encoder.taken
        # Since the details in the register is that of a hello.
        hello_now = Signal()
        m.d.sync += hello_now.eq(self.says_hello)
        m.d.comb += [
            skid.valid.eq(self.valid.any()),
            skid.entry.eq(Cat(self.flit, self.valid)),
            self.stall.eq(skid.stall),
            ours.eq(skid.front_valid & self.active & Mux(flit.head, ~spoiled, (channel & sending).any())),
            spoiled.eq(flit.tail & flit.bad),
            follows.eq((channel & frame).any() & ~self.urgent),
            kind["data"].eq(ours & ~flit.head & ~spoiled & follows),
            kind["resume"].eq(ours & ~flit.head & ~spoiled & ~follows),
            kind["abort"].eq(ours & ~flit.head & spoiled),
            kind["head"].eq(ours & flit.head & ~self.urgent),
            drop.eq(skid.front_valid & ~ours),
            skid.pop.eq(drop | taken & (kind["data"] | kind["abort"] | kind["head"])),
            self.sent.eq(channel & (skid.pop & ~drop).replicate(channels)),
            self.dropped.eq(channel & drop.replicate(channels)),
            self.resumed.eq(taken & kind["resume"]),
            self.entry_sent.eq(taken & kind["head"]),
            self.counts_sent.eq(taken & ~kind["data"] & ~kind["head"] & ~hello_now),
            self.refused_packet.eq(drop & flit.head),
            encoder.is_data.eq(kind["data"]),
            encoder.carries.eq(kind["data"] | kind["head"]),
            encoder.flit.eq(self._marked(flit, channel)),
            encoder.control.eq(self._control(m, flit, channel, kind, frame_open, taken, hello_now)),
            encoder.details.eq(self._details(m)),
        ]
        with m.If(taken):
            m.d.sync += [
                frame_open.eq(Cat(kind.values()).any()),
                frame.eq(Mux(kind["data"], frame, channel & (kind["head"] | kind["resume"]).replicate(channels))),
            ]
        with m.If(~self.active):
            m.d.sync += sending.eq(0)
        with m.Elif(skid.pop & ~drop):
            m.d.sync += sending.eq(Mux(flit.tail, sending & ~channel, sending | channel))
        return m

    def _marked(self, flit, channel):
        """The flit's bits; the channel marks the check bits of a head."""
        check = self._header.layout["check"]
        marks = Const(0, check.width)
        for v, mark in enumerate(channel_marks(self._header, self._shape.channels)):
            marks |= Mux(channel[v] & flit.head, mark, 0)
        first, end = check.offset, check.offset + check.width
        return Cat(flit.data[:first], (flit.data[first:end] ^ marks)[: check.width], flit.data[end:])

    def _control(self, m, flit, channel, kind, frame_open, taken, hello_now):
        """The first bits of a control block."""
        starts = Signal()
        m.d.comb += starts.eq(kind["head"] | kind["resume"] | kind["abort"])
        return Cat(
            Mux(frame_open, TERMINATE, ORDERED_SET),
            Const(BOTH_SIGNAL, 8),
            self._link_word(m, flit, channel, kind, taken, hello_now),
            Mux(starts, START, ORDERED_SET),
        )

    def _details(self, m):
        """The last bits of a control block without a head."""
        checked = Signal(DETAILS_CODE.n)
        m.d.sync += checked.eq(Cat(self.details, check_sums(DETAILS_CODE, self.details)))
        return details_body(checked)

    def _link_word(self, m, flit, channel, kind, taken, hello_now):
        """The link word: what is known early, with its check bits, is in registers; the rest adds its own check bits."""
        layout = link_word_layout()
        number = Signal(8)
        number_sums = Signal(LINK_CODE.r)
        quiet = Signal()
        following = Signal(8)
        m.d.comb += following.eq(number + 1)
        with m.If(taken):
            m.d.sync += quiet.eq(~(kind["data"] | kind["head"] | kind["abort"]))
            with m.If(kind["head"]):
                m.d.sync += [number.eq(following), number_sums.eq(_sums(number=following))]
        ready = Signal(LINK_CODE.n, name="early_word")
        entry = Signal(LINK_CODE.n, name="entry_word")
        m.d.sync += [
            ready.eq(_word(ready=self.ready, seen=self.seen, entry=self.first)),
            entry.eq(_word(ready=self.ready, seen=self.seen, entry=self.entry, freed=self.freed)),
        ]
        word = Mux(kind["head"], entry, ready) ^ Mux(quiet & ~kind["head"], _constant(exact=1), 0)
        idle = Mux(hello_now, _constant(kind=Kind.HELLO), _constant(kind=Kind.CREDIT))
        chosen = Mux(Cat(kind.values()).any(), 0, idle)
        for name, value in (("head", Kind.HEAD), ("resume", Kind.RESUME), ("abort", Kind.ABORT)):
            chosen |= Mux(kind[name], _constant(kind=value), 0)
        word ^= chosen ^ Mux(flit.tail & kind["head"], _constant(single=1), 0)
        for v in range(self._shape.channels):
            word ^= Mux(channel[v] & (kind["head"] | kind["resume"] | kind["abort"]), _constant(channel=v), 0)
        field = layout["number"]
        word ^= Cat(Const(0, field.offset), number, Const(0, LINK_CODE.k - field.offset - field.width), number_sums)
        result = Signal(LINK_CODE.n, name="link_word")
        m.d.comb += result.eq(word)
        return result


def _constant(**values):
    """Link word of constant fields, the others 0, with its check bits. The code is linear, so such words can be added."""
    layout = link_word_layout()
    bits = sum(value << layout[name].offset for name, value in values.items())
    checks = sum(((bits & row).bit_count() & 1) << place for place, row in enumerate(LINK_CODE.rows))
    return Const(bits | checks << LINK_CODE.k, LINK_CODE.n)


def _fields(values):
    """Information bits of a link word with ``values``, the other fields 0."""
    layout = link_word_layout()
    parts = []
    for name, field in list(layout)[:-1]:
        value = values.get(name, Const(0, field.width))
        parts.append(Cat(value, Const(0, field.width - len(value))))
    return Cat(parts)


def _sums(**values):
    return check_sums(LINK_CODE, _fields(values))


def _word(**values):
    return Cat(_fields(values), _sums(**values))
