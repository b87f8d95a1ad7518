"""64b/66b transmitter."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.classifier import Classifier
from dsnswitch.hdl.pcs.layouts import block66, kinds_of, mii
from dsnswitch.hdl.pcs.pcs66.word_encoder import WordEncoder
from dsnswitch.hdl.pcs.scrambler import scramble
from dsnswitch.hdl.pcs.sequencer import Sequencer, state_layout
from dsnswitch.hdl.stream.stage import stage

__all__ = ["Pcs66Tx"]


class Pcs66Tx(wiring.Component):
    """64b/66b transmitter: converts MII words to scrambled blocks. Latency 1 cycle, one block per cycle.

    A word that may not follow the word before it (Clause 49, Figure 49-16) is sent as eight errors.

    Members
    -------
    i : In(stream of mii())
        Words.
    o : Out(stream of block66())
        Scrambled blocks. The payload holds its value until it is accepted.
    """

    latency = 1

    i: In(stream.Signature(mii()))
    o: Out(stream.Signature(block66()))

    def elaborate(self, platform):
        m = Module()
        m.submodules.classifier = classifier = Classifier()
        m.submodules.sequencer = sequencer = Sequencer()
        m.submodules.encoder = encoder = WordEncoder()
        state = Signal(state_layout(), init={"idle": 1})
        m.d.comb += [
            classifier.word.eq(self.i.payload),
            sequencer.kinds[0].eq(kinds_of(m, classifier.types, "kinds")),
            sequencer.previous.eq(state),
            encoder.word.eq(self.i.payload),
            encoder.types.eq(classifier.types & sequencer.good.replicate(len(classifier.types))),
        ]
        taken = stage(m, self.i, self.o)
        scrambled = scramble(m, taken, encoder.coded.payload)
        with m.If(taken):
            m.d.sync += [
                state.eq(sequencer.latest),
                self.o.payload.header.eq(encoder.coded.header),
                self.o.payload.payload.eq(scrambled),
            ]
        return m
