"""256b/260b transmitter."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...logic import stage
from ..classifier import Classifier
from ..scrambler import TAPS, Scrambler
from ..sequencer import Sequencer, state_layout
from ..words import kinds_of, mii, word_of
from .header import CONTROL, DATA
from .literal import LiteralPacker
from .protected import ProtectedPacker

__all__ = ["FORMATS", "Pcs260Tx"]

#: Packer of each format.
FORMATS = {"protected": ProtectedPacker, "literal": LiteralPacker}


class Pcs260Tx(wiring.Component):
    """Four words of the media independent interface to a scrambled block. Latency 1 cycle, one block a cycle.

    A word that may not follow the one before it (IEEE 802.3 Figure 49-16) is sent as an error.

    Parameters
    ----------
    layout : str
        ``protected`` or ``literal``.

    Members
    -------
    i : In(stream of mii(4))
        Word 0 is the first.
    o : Out(stream of 260 bits)
        Bits 0..3 header, not scrambled; bits 4..259 the body. Bit 0 is sent first. Holds while it is not taken.
    """

    latency = 1

    def __init__(self, layout="protected"):
        if layout not in FORMATS:
            raise ValueError(f"256b/260b format must be one of {', '.join(FORMATS)}, not {layout!r}")
        self._layout = layout
        super().__init__({"i": In(stream.Signature(mii(4))), "o": Out(stream.Signature(260))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = Sequencer(4)
        m.submodules.packer = packer = FORMATS[self._layout]()
        m.submodules.scrambler = scrambler = Scrambler(256)
        state = Signal(state_layout(), init={"idle": 1})
        sent = Signal(TAPS[1])
        for place in range(4):
            m.submodules[f"classifier_{place}"] = classifier = Classifier()
            octets, control = word_of(self.i.payload, place)
            m.d.comb += [
                classifier.word.data.eq(octets),
                classifier.word.control.eq(control),
                sequencer.kinds[place].eq(kinds_of(m, classifier.types, f"kinds_{place}")),
                packer.types[place].eq(classifier.types),
            ]
        m.d.comb += [
            sequencer.previous.eq(state),
            packer.words.eq(self.i.payload),
            packer.good.eq(sequencer.good),
            scrambler.plain.eq(packer.body),
            scrambler.previous.eq(sent),
        ]
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += [
                state.eq(sequencer.latest),
                sent.eq(scrambler.latest),
                self.o.payload.eq(Cat(Mux(packer.is_data, DATA, CONTROL), scrambler.scrambled)),
            ]
        return m
