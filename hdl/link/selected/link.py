"""Transmitter of the selected link, whose format is selected at run time (D 5.2.2).

The markers by which the ends agree on a change are this project's own design.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...logic import Beside
from ...pcs.dual import DualTx
from ...pcs.layouts import mii
from ..light import fec as light_fec
from ..light.fec import LightEncode
from ..strict.fec import BEATS, StrictEncode, strict_pacer
from .marker import FILLER, GAP, LIGHT, STRICT
from .receiver import SelectedLinkRx

__all__ = ["SelectedLink", "SelectedLinkTx"]


class SelectedLinkTx(wiring.Component):
    """Transmitter: converts four words at a time to 160-bit words of the line, in either format.

    Latency 3 cycles (PCS, gearbox, code), one word of the line per cycle. The latency is counted from four words of the MII
    to the word of the line with the first bit of their block. It is the same for every block while the line does not stall,
    as the transmitter accepts blocks at the pace of the line (:mod:`~dsnswitch.hdl.link.pacer`).

    The format changes after a group: 20 blocks of the strict format, 16 of the light format. The transmitter sends all
    accepted blocks, then a marker (:mod:`.marker`), before the light format also :data:`~.marker.GAP` fillers, then the
    other format. Meanwhile it accepts no blocks. Scrambler and sequencer keep their states, so that a frame may continue
    across the change.

    Members
    -------
    i : In(stream of mii(4))
        The words; word 0 is sent first.
    strict : In(1)
        The requested format, read between groups of blocks. The first group needs no marker. An incomplete group is not
        filled up: the format stays until the words of the group have arrived.
    o : Out(stream of 160 bits)
        Words of the line; bit 0 is sent first. The payload holds its value until it is accepted.
    is_strict : Out(1)
        The format of the words that are accepted.
    """

    latency = 3
    #: Groups of four words of the MII, in the format that carries fewer.
    results_per_cycle = light_fec.BLOCKS_PER_CYCLE

    i: In(stream.Signature(mii(4)))
    strict: In(1)
    o: Out(stream.Signature(BEATS.bits))
    is_strict: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pcs = pcs = DualTx()
        m.submodules.strict_fec = strict = StrictEncode()
        m.submodules.light_fec = light = LightEncode()
        m.submodules.strict_pacer = strict_pace = strict_pacer()
        m.submodules.light_pacer = light_pace = light_fec.light_pacer()
        mode = Signal()
        word = Signal(range(BEATS.count))
        # Groups that have been accepted and not yet sent completely; whether any block has been accepted since reset.
        on_the_way = Signal(range(4))
        began = Signal()
        accepted = Signal()
        sent = Signal()
        wanted = Signal()
        go = Signal()
        due = Signal()
        last_block = Signal()
        last_word = Signal()
        m.d.comb += [
            self.is_strict.eq(mode),
            wanted.eq(Mux(mode, strict_pace.begins, light_pace.begins) & (mode != self.strict)),
            go.eq(self.o.ready | ~self.o.valid),
            due.eq(Mux(mode, strict_pace.due, light_pace.due) & go & ~wanted),
            accepted.eq(self.i.valid & self.i.ready),
            last_block.eq(Mux(mode, strict_pace.ends, light_pace.ends)),
            last_word.eq(word == Mux(mode, BEATS.count, light_fec.WORDS) - 1),
            pcs.i.payload.eq(self.i.payload),
            pcs.strict.eq(mode),
        ]
        for fec, of_mode in ((strict, pcs.o.payload.strict), (light, ~pcs.o.payload.strict)):
            m.d.comb += [fec.i.payload.eq(pcs.o.payload.block), fec.i.valid.eq(pcs.o.valid & of_mode)]
        m.d.comb += pcs.o.ready.eq(Mux(pcs.o.payload.strict, strict.i.ready, light.i.ready))
        for pace, of_mode in ((strict_pace, mode), (light_pace, ~mode)):
            m.d.comb += [pace.go.eq(go), pace.accepted.eq(accepted & of_mode)]
        with m.If(accepted):
            m.d.sync += began.eq(1)
        m.d.sync += on_the_way.eq(on_the_way + (accepted & last_block) - (sent & last_word))
        marker = self._mark(m, mode, wanted, began, on_the_way)
        m.d.comb += [
            pcs.i.valid.eq(self.i.valid & due & ~marker.valid),
            self.i.ready.eq(pcs.i.ready & due & ~marker.valid),
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


class SelectedLink(Beside):
    """One end of a selected link: transmitter and receiver side by side.

    Members
    -------
    tx, rx
        Ports of :class:`SelectedLinkTx` and :class:`~.receiver.SelectedLinkRx`.
    """

    results_per_cycle = light_fec.BLOCKS_PER_CYCLE

    def __init__(self, **parameters):
        receiver = SelectedLinkRx(**parameters)
        self.latency = receiver.latency
        super().__init__(tx=SelectedLinkTx(), rx=receiver)
