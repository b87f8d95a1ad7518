"""The selected link's line (D 5.2.2): either format of the light and the strict link, in words of 160 bits."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.block_codec import BlockDecoder, BlockEncoder
from dsnswitch.hdl.line.light import LightDecode, LightEncode, light_pacer
from dsnswitch.hdl.line.line_format import SENT_BLOCK, receiver_members, transmitter_members
from dsnswitch.hdl.line.rates import BEATS, BLOCKS, CODEWORDS, STRICT_COUNTERS, WORDS
from dsnswitch.hdl.line.strict import StrictDecode, StrictEncode, strict_pacer
from dsnswitch.hdl.logic.numbers import count, ones
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.dual import received_dual_layout, sent_dual_layout
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS
from dsnswitch.hdl.stream.stage import stage

_WORD = 160

#: Marker before the strict format, 160 bits of a PRBS of which 80 are ones. The marker before the light format is its
#: complement. Fillers have a distance of 80 from both.
STRICT = 0xF21547CCF5114C3CEFAE95963237B84A5F18D421
LIGHT = ~STRICT & (1 << _WORD) - 1
FILLER = STRICT ^ int("5" * (_WORD // 4), 16)

#: Fillers after the marker of the light format, in which a receiver passes on the codeword that it holds.
GAP = 88

#: Greatest number of wrong bits with which a marker is recognised. A random word is that near with probability 3.1e-27.
NEAR = 16


class Marker(wiring.Component):
    """Recognises markers, which announce a change of format on the line (this project's own design). Combinational.

    Members
    -------
    - word: A word of the line.
    - strict, light: The word is the marker of this format, with up to :data:`NEAR` wrong bits.
    """

    word: In(_WORD)
    strict: Out(1)
    light: Out(1)

    def elaborate(self, platform):
        m = Module()
        differs = Signal(_WORD)
        wrong = ones(differs)
        m.d.comb += [differs.eq(self.word ^ STRICT), self.strict.eq(wrong <= NEAR), self.light.eq(wrong >= _WORD - NEAR)]
        return m


class SelectedEncode(wiring.Component):
    """Encoder of both formats: converts blocks to words of the line. Latency 2 cycles (gearbox, code), one word per cycle.

    The unit before it makes a block in one cycle. It accepts the words of the next block only if ``due`` is 1, so that no block
    waits (:class:`Pacer`).

    The format changes after a group: 20 blocks of the strict format, 16 of the light format. The encoder sends all
    accepted blocks, then a marker (:class:`Marker`), before the light format also :data:`GAP` fillers, then the
    other format. Meanwhile no block is due.

    Members
    -------
    - strict: The requested format, read between groups of blocks. The first group needs no marker. An incomplete group is not
      filled up: the format stays until the blocks of the group have arrived.
    - due: The unit before may accept the words of a block, in the format ``is_strict``.
    - accepted: It accepts them; only with ``due``.
    - i: Blocks.
    - o: Words of the line; bit 0 is sent first. The payload holds its value until it is accepted.
    - is_strict: The format of the blocks that are accepted.
    """

    latency = 2

    i: In(stream.Signature(sent_dual_layout()))
    strict: In(1)
    due: Out(1)
    accepted: In(1)
    o: Out(stream.Signature(BEATS.bits))
    is_strict: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.strict_fec = strict = StrictEncode()
        m.submodules.light_fec = light = LightEncode()
        m.submodules.strict_pacer = strict_pace = strict_pacer()
        m.submodules.light_pacer = light_pace = light_pacer()
        mode = Signal()
        word = Signal(range(BEATS.count))
        # Groups that have been accepted and not yet sent completely; whether any block has been accepted since reset.
        on_the_way = Signal(range(4))
        began = Signal()
        sent = Signal()
        wanted = Signal()
        go = Signal()
        pace_due = Signal()
        last_block = Signal()
        last_word = Signal()
        m.d.comb += [
            self.is_strict.eq(mode),
            wanted.eq(Mux(mode, strict_pace.begins, light_pace.begins) & (mode != self.strict)),
            go.eq(self.o.ready | ~self.o.valid),
            pace_due.eq(Mux(mode, strict_pace.due, light_pace.due) & go & ~wanted),
            last_block.eq(Mux(mode, strict_pace.ends, light_pace.ends)),
            last_word.eq(word == Mux(mode, BEATS.count, WORDS) - 1),
        ]
        block = self.i.payload
        for fec, of_mode in ((strict, block.strict), (light, ~block.strict)):
            m.d.comb += [fec.i.payload.eq(block.block), fec.i.valid.eq(self.i.valid & of_mode)]
        m.d.comb += self.i.ready.eq(Mux(block.strict, strict.i.ready, light.i.ready))
        for pace, of_mode in ((strict_pace, mode), (light_pace, ~mode)):
            m.d.comb += [pace.go.eq(go), pace.accepted.eq(self.accepted & of_mode)]
        with m.If(self.accepted):
            m.d.sync += began.eq(1)
        m.d.sync += on_the_way.eq(on_the_way + (self.accepted & last_block) - (sent & last_word))
        marker = self._mark(m, mode, wanted, began, on_the_way)
        m.d.comb += [
            self.due.eq(pace_due & ~marker.valid),
            strict.o.ready.eq(self.o.ready & mode),
            light.o.ready.eq(self.o.ready & ~mode),
            self.o.payload.eq(Mux(marker.valid, marker.payload, Mux(mode, strict.o.payload, light.o.payload))),
            self.o.valid.eq(marker.valid | Mux(mode, strict.o.valid, light.o.valid)),
            marker.ready.eq(self.o.ready),
            sent.eq(self.o.valid & self.o.ready & ~marker.valid),
        ]
        with m.If(sent):
            m.d.sync += word.eq(Mux(last_word, 0, word + 1))
        return m

    def _mark(self, m, mode, wanted, began, on_the_way):
        """Send marker and fillers when all groups have been sent; after them, change the format."""
        marker = stream.Signature(BEATS.bits).create(path=("marker",))
        filler = Signal(range(GAP + 1))
        with m.If(~marker.valid):
            with m.If(wanted & ~began):
                m.d.sync += mode.eq(self.strict)
            with m.Elif(wanted & ~on_the_way.any()):
                m.d.sync += [marker.valid.eq(1), marker.payload.eq(Mux(mode, LIGHT, STRICT)), filler.eq(Mux(mode, GAP, 0))]
        with m.Elif(marker.ready):
            m.d.sync += marker.payload.eq(FILLER)
            with m.If(filler.any()):
                m.d.sync += filler.eq(filler - 1)
            with m.Else():
                m.d.sync += [marker.valid.eq(0), mode.eq(~mode)]
        return marker


_LIGHT_COUNTERS = ("light_corrected", "light_uncorrectable")
#: Flags of the decoders without counters.
_FLAGS = ("ended_corrected", "ended_uncorrectable", "one_corrected", "one_uncorrectable")

#: Positions that a boundary can have in the strict format, which are more than in the light format.
POSITIONS = BEATS.count * BEATS.bits

#: Counters of the decoders, and of markers.
FEC_COUNTERS = (*STRICT_COUNTERS, *_LIGHT_COUNTERS, "changes")


class SelectedDecode(wiring.Component):
    """Decoder of both formats: converts 160-bit words of the line to blocks. One word per cycle.

    With lock, the receiver looks for the marker of the other format where the next codeword (strict) or group (light) would
    begin. At a marker it changes to the other format and stays locked. It passes on all blocks of the old format before the
    first block of the new one. After a loss of lock, it tests the old boundary first
    (:class:`CodewordLock`), and then searches in the format that ``strict`` selects. After a slip to each
    position it searches in the other format, and so on: the other end may send either.

    The latency from the first word of a group to its first block is one cycle more than that of the format's decoder.

    Other parameters and members are those of :class:`StrictDecode` and :class:`LightDecode`; without
    ``managed``, also the flags of both.

    Members
    -------
    - i: Words of the line; bit 0 was sent first.
    - strict: The format to search for first without lock, read between groups.
    - o: Blocks.
    - is_strict: Format of the words that arrive.
    - locked, slip: Lock and slip of the current format's decoder.
    - changes: Number of markers.
    """

    def __init__(self, unroll=1, settle=0, window=8192, limit=417, keep=160, managed=True):
        self._managed = managed
        # The register before the marker detector adds a word to the pipeline.
        self._strict = StrictDecode(unroll, settle + 1, window, limit, keep, managed)
        self._light = LightDecode(settle + 1, managed)
        inputs = ("bypass_correction", "bypass_indication", "clear") if managed else ()
        flags = ("hi_ser",) if managed else _FLAGS
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(received_dual_layout())),
                **{name: In(1) for name in ("strict", *inputs)},
                **{name: Out(1) for name in ("is_strict", "locked", "slip", *flags)},
                **{name: Out(COUNTER_BITS) for name in (FEC_COUNTERS if managed else ())},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.strict_fec = strict = self._strict
        m.submodules.light_fec = light = self._light
        if self._managed:
            for part, names in ((strict, STRICT_COUNTERS), (light, _LIGHT_COUNTERS)):
                connect_ports(m, part, self, names)
                connect_ports(m, self, part, ("clear",))
            connect_ports(m, self, strict, ("bypass_correction", "bypass_indication"))
            connect_ports(m, strict, self, ("hi_ser",))
        else:
            connect_ports(m, strict, self, _FLAGS[:2])
            connect_ports(m, light, self, _FLAGS[2:])
        mode = Signal()
        m.d.comb += [
            self.is_strict.eq(mode),
            self.locked.eq(Mux(mode, strict.locked, light.locked)),
            self.slip.eq(Mux(mode, strict.slip, light.slip)),
        ]
        on_the_way = self._merge(m, strict, light, mode)
        self._divide(m, strict, light, mode, on_the_way)
        return m

    def _look(self, m):
        """Register the words that arrive. Returns the registered stream, and whether its word is a marker of each format."""
        m.submodules.marker = marker = Marker()
        line = stream.Signature(BEATS.bits).create(path=("line",))
        marks_strict = Signal()
        marks_light = Signal()
        m.d.comb += marker.word.eq(self.i.payload)
        with m.If(stage(m, self.i, line)):
            m.d.sync += [line.payload.eq(self.i.payload), marks_strict.eq(marker.strict), marks_light.eq(marker.light)]
        return line, marks_strict, marks_light

    def _divide(self, m, strict, light, mode, on_the_way):
        """Pass words to the decoder of the current format; drop markers and fillers. Changes the format."""
        line, marks_strict, marks_light = self._look(m)
        word = Signal(range(BEATS.count))
        skipped = Signal(range(GAP + 1))
        begins = Signal()
        found = Signal()
        told = Signal()
        # Slips in the searched format; whether it is the other one.
        slips = Signal(range(POSITIONS))
        turned = Signal()
        leaves = Signal()
        passes = Signal()
        moved = Signal()
        into = {1: Signal(name="strict_begins"), 0: Signal(name="light_begins")}
        m.d.comb += [
            begins.eq(~word.any() & ~skipped.any()),
            found.eq(self.locked & line.valid & Mux(mode, marks_light, marks_strict)),
            told.eq(~self.locked & ~Mux(mode, strict.stays, light.stays) & (mode != self.strict ^ turned)),
            # Change only after the other decoder is empty.
            leaves.eq(begins & (found | told) & ~Mux(mode, on_the_way[0], on_the_way[1]).any()),
            passes.eq(~skipped.any() & ~(begins & (found | told))),
            strict.i.payload.eq(line.payload),
            light.i.payload.eq(line.payload),
            strict.i.valid.eq(line.valid & passes & mode),
            light.i.valid.eq(line.valid & passes & ~mode),
            line.ready.eq(skipped.any() | leaves & found | passes & Mux(mode, strict.i.ready, light.i.ready)),
            moved.eq(line.valid & line.ready & passes),
            strict.start.eq(leaves & ~mode),
            light.start.eq(leaves & mode),
            strict.start_locked.eq(found),
            light.start_locked.eq(found),
        ]
        for of_mode, began in into.items():
            m.d.comb += began.eq(moved & begins & (mode == of_mode))
        with m.If(moved):
            m.d.sync += word.eq(Mux(word == Mux(mode, BEATS.count, WORDS) - 1, 0, word + 1))
        with m.If(self.locked):
            m.d.sync += [slips.eq(0), turned.eq(0)]
        with m.Elif(self.slip):
            m.d.sync += slips.eq(slips + 1)
            with m.If(slips == POSITIONS - 1):
                m.d.sync += [slips.eq(0), turned.eq(~turned)]
        with m.If(leaves):
            m.d.sync += [mode.eq(~mode), skipped.eq(Mux(mode & found, GAP, 0))]
        with m.Elif(line.valid & skipped.any()):
            m.d.sync += skipped.eq(skipped - 1)
        for of_mode, groups in on_the_way.items():
            m.d.sync += groups.eq(groups + into[of_mode] - self._ended[of_mode])
        if self._managed:
            count(m, self, changes=leaves & found)

    def _merge(self, m, strict, light, mode):
        """Pass on blocks of the current format. Returns the number of groups in each decoder, by format."""
        source = Signal()
        block = Signal(range(BLOCKS))
        last = Signal()
        goes = Signal()
        on_the_way = {1: Signal(range(8), name="strict_on_the_way"), 0: Signal(range(8), name="light_on_the_way")}
        self._ended = {1: Signal(name="strict_ended"), 0: Signal(name="light_ended")}
        came = self.o.payload
        m.d.comb += [
            came.strict.eq(source),
            came.block.eq(Mux(source, strict.o.payload.block, light.o.payload.block)),
            came.bad.eq(Mux(source, strict.o.payload.bad, light.o.payload.bad)),
            came.fault.eq(Mux(source, strict.o.payload.fault, light.o.payload.fault)),
            self.o.valid.eq(Mux(source, strict.o.valid, light.o.valid)),
            strict.o.ready.eq(self.o.ready & source),
            light.o.ready.eq(self.o.ready & ~source),
            last.eq(block == Mux(source, BLOCKS, CODEWORDS) - 1),
            goes.eq(self.o.valid & self.o.ready),
        ]
        for of_mode, ended in self._ended.items():
            m.d.comb += ended.eq(goes & last & (source == of_mode))
        with m.If(goes):
            m.d.sync += block.eq(Mux(last, 0, block + 1))
        with m.If((source != mode) & ~Mux(source, on_the_way[1], on_the_way[0]).any()):
            m.d.sync += source.eq(mode)
        return on_the_way


class SelectedLineTx(wiring.Component):
    """Sends groups of 20 blocks in 33 words, or of 16 blocks in 27 words. Latency 3 cycles to the word with the first bit.

    A change of the format takes a marker, and before the light format fillers. Meanwhile no block is taken, and none is lost.
    The scrambler keeps its state.

    Members
    -------
    - strict: The requested format.
    - is_strict: The format of the blocks that are taken.
    - others: :func:`transmitter_members`
    """

    latency = 3

    def __init__(self):
        super().__init__({**transmitter_members(BEATS.bits), "strict": In(1), "is_strict": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = BlockEncoder(selected=True)
        m.submodules.fec = fec = SelectedEncode()
        connect_ports(m, self, encoder, SENT_BLOCK)
        connect_ports(m, encoder, self, ("taken",))
        connect_ports(m, self, fec, ("strict",))
        connect_ports(m, fec, self, ("is_strict",))
        connect_ports(m, fec, encoder, ("due",))
        wiring.connect(m, encoder.o, fec.i)
        wiring.connect(m, fec.o, wiring.flipped(self.o))
        m.d.comb += [encoder.strict.eq(fec.is_strict), fec.accepted.eq(encoder.taken)]
        return m


class SelectedLineRx(wiring.Component):
    """Receives blocks of either format from words of 160 bits, and follows the markers of the other end.

    From the first word of a codeword to its first block, the code takes 5 cycles in the light format and 88 in the strict format.
    One of them is a register, because the decoder of the block's format is chosen late.

    Parameters
    ----------
    settle : int
        Words in the pipeline between the unit that moves the boundary on ``slip`` and this component.

    Members
    -------
    - strict: The format to search for first without lock.
    - is_strict: The format of the words that arrive.
    - others: :func:`receiver_members`
    """

    def __init__(self, settle=0):
        self._fec = SelectedDecode(settle=settle, managed=False)
        super().__init__({**receiver_members(BEATS.bits), "strict": In(1), "is_strict": Out(1)})

    @property
    def may_be_noise(self):
        """The same as that of a light line; any block in the light format."""
        return ~self.is_strict

    def elaborate(self, platform):
        m = Module()
        m.submodules.fec = fec = self._fec
        m.submodules.decoder = decoder = BlockDecoder(selected=True)
        wiring.connect(m, wiring.flipped(self.i), fec.i)
        connect_ports(m, decoder, self, ("is_data", "no_start", "plain"))
        connect_ports(m, self, fec, ("strict",))
        connect_ports(m, fec, self, ("locked", "slip", "is_strict"))
        came = Signal(received_dual_layout())
        arrives = Signal()
        m.d.sync += arrives.eq(fec.o.valid)
        with m.If(fec.o.valid):
            m.d.sync += came.eq(fec.o.payload)
        m.d.comb += [
            fec.o.ready.eq(1),
            decoder.valid.eq(arrives),
            decoder.coded.eq(came.block),
            decoder.strict.eq(came.strict),
            self.valid.eq(arrives),
            self.bad.eq(came.bad | came.fault | decoder.bad),
            self.corrected.eq((fec.ended_corrected | fec.one_corrected) & fec.locked),
            self.uncorrectable.eq((fec.ended_uncorrectable | fec.one_uncorrectable) & fec.locked),
        ]
        return m
