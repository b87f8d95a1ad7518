"""First step of every transmitter of four words: find the words' block types, and check that they may follow each other."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.classifier import Classifier
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, kinds_of, mii, word_of
from dsnswitch.hdl.pcs.sequencer import Sequencer, state_layout

__all__ = ["WordsIn", "take_words"]


class WordsIn(wiring.Component):
    """Classifies four words and checks their order: four classifiers and the sequencer. Combinational.

    The parent keeps the state, which is the same for all formats.

    Members
    -------
    words : In(mii(4))
        Word 0 is the first.
    previous, latest : In(state_layout()), Out(state_layout())
        State before the first word and after the last word.
    types : Out(16 bits, 4 times)
        Block type of each word, one-hot; 0 is an error.
    good : Out(4)
        Bit j: word j is allowed after the word before it. Otherwise it must be sent as an error.
    """

    words: In(mii(4))
    previous: In(state_layout())
    latest: Out(state_layout())
    types: Out(data.ArrayLayout(len(ALL_TYPES), 4))
    good: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = Sequencer(4)
        for index in range(4):
            m.submodules[f"classifier_{index}"] = classifier = Classifier()
            octets, control = word_of(self.words, index)
            m.d.comb += [
                classifier.word.data.eq(octets),
                classifier.word.control.eq(control),
                sequencer.kinds[index].eq(kinds_of(m, classifier.types, f"kinds_{index}")),
                self.types[index].eq(classifier.types),
            ]
        m.d.comb += [
            sequencer.previous.eq(self.previous),
            self.latest.eq(sequencer.latest),
            self.good.eq(sequencer.good),
        ]
        return m


def take_words(m: Module, taken, words, packers):
    """Drive ``packers`` with ``words``, their types and order. Adds :class:`WordsIn` and its state, enabled by ``taken``."""
    m.submodules.words_in = words_in = WordsIn()
    state = Signal(state_layout(), init={"idle": 1})
    m.d.comb += [words_in.words.eq(words), words_in.previous.eq(state)]
    for packer in packers:
        m.d.comb += [
            packer.words.eq(words),
            packer.types.eq(words_in.types),
            packer.good.eq(words_in.good),
        ]
    with m.If(taken):
        m.d.sync += state.eq(words_in.latest)
