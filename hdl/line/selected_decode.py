"""FEC layer of the selected format, receiver: words of the line, in either format, to blocks."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line import light_fec
from dsnswitch.hdl.line.light_fec import LightDecode
from dsnswitch.hdl.line.marker import GAP, Marker
from dsnswitch.hdl.line.strict_fec import BEATS, BLOCKS, STRICT_COUNTERS, StrictDecode
from dsnswitch.hdl.logic.counter import count
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.dual import received_dual_layout
from dsnswitch.hdl.stream.stage import stage

__all__ = ["FEC_COUNTERS", "SelectedDecode"]

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
    i : In(stream of 160 bits)
        Words of the line; bit 0 was sent first.
    strict : In(1)
        The format to search for first without lock, read between groups.
    o : Out(stream of received_dual_layout())
        Blocks.
    is_strict : Out(1)
        Format of the words that arrive.
    locked, slip : Out(1)
        Lock and slip of the current format's decoder.
    changes : Out(counter_width)
        Number of markers.
    """

    def __init__(self, unroll=1, settle=0, window=8192, limit=417, keep=160, counter_width=32, managed=True):
        self._managed = managed
        # The register before the marker detector adds a word to the pipeline.
        self._strict = StrictDecode(unroll, settle + 1, window, limit, keep, counter_width, managed)
        self._light = LightDecode(settle + 1, counter_width, managed)
        inputs = ("bypass_correction", "bypass_indication", "clear") if managed else ()
        flags = ("hi_ser",) if managed else _FLAGS
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(received_dual_layout())),
                **{name: In(1) for name in ("strict", *inputs)},
                **{name: Out(1) for name in ("is_strict", "locked", "slip", *flags)},
                **{name: Out(counter_width) for name in (FEC_COUNTERS if managed else ())},
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
            m.d.sync += word.eq(Mux(word == Mux(mode, BEATS.count, light_fec.WORDS) - 1, 0, word + 1))
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
            last.eq(block == Mux(source, BLOCKS, light_fec.CODEWORDS) - 1),
            goes.eq(self.o.valid & self.o.ready),
        ]
        for of_mode, ended in self._ended.items():
            m.d.comb += ended.eq(goes & last & (source == of_mode))
        with m.If(goes):
            m.d.sync += block.eq(Mux(last, 0, block + 1))
        with m.If((source != mode) & ~Mux(source, on_the_way[1], on_the_way[0]).any()):
            m.d.sync += source.eq(mode)
        return on_the_way
