"""FEC layer of the selected format, transmitter: groups of blocks of either format, and markers between them (D 5.2.2).

The markers by which the ends agree on a change are this project's own design.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line import light_fec
from dsnswitch.hdl.line.light_fec import LightEncode
from dsnswitch.hdl.line.marker import FILLER, GAP, LIGHT, STRICT
from dsnswitch.hdl.line.strict_fec import BEATS, StrictEncode, strict_pacer
from dsnswitch.hdl.pcs.dual import sent_dual_layout

__all__ = ["SelectedEncode"]


class SelectedEncode(wiring.Component):
    """Encoder of both formats: converts blocks to words of the line. Latency 2 cycles (gearbox, code), one word per cycle.

    The unit before it makes a block in one cycle. It accepts the words of the next block only if ``due`` is 1, so that no block
    waits (:mod:`pacer`).

    The format changes after a group: 20 blocks of the strict format, 16 of the light format. The encoder sends all
    accepted blocks, then a marker (:mod:`marker`), before the light format also :data:`GAP` fillers, then the
    other format. Meanwhile no block is due.

    Members
    -------
    strict : In(1)
        The requested format, read between groups of blocks. The first group needs no marker. An incomplete group is not
        filled up: the format stays until the blocks of the group have arrived.
    due : Out(1)
        The unit before may accept the words of a block, in the format ``is_strict``.
    accepted : In(1)
        It accepts them; only with ``due``.
    i : In(stream of sent_dual_layout())
        Blocks.
    o : Out(stream of 160 bits)
        Words of the line; bit 0 is sent first. The payload holds its value until it is accepted.
    is_strict : Out(1)
        The format of the blocks that are accepted.
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
        m.submodules.light_pacer = light_pace = light_fec.light_pacer()
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
            last_word.eq(word == Mux(mode, BEATS.count, light_fec.WORDS) - 1),
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
                m.d.sync += [
                    marker.valid.eq(1),
                    marker.payload.eq(Mux(mode, LIGHT, STRICT)),
                    filler.eq(Mux(mode, GAP, 0)),
                ]
        with m.Elif(marker.ready):
            m.d.sync += marker.payload.eq(FILLER)
            with m.If(filler.any()):
                m.d.sync += filler.eq(filler - 1)
            with m.Else():
                m.d.sync += [marker.valid.eq(0), mode.eq(~mode)]
        return marker
