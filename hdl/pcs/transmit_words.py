"""The first thing that every transmitter of four words does: what the words are, and whether they may follow each other."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .classifier import Classifier
from .sequencer import Sequencer, state_layout
from .words import ALL_TYPES, kinds_of, mii, word_of

__all__ = ["WordsIn", "take_words"]


class WordsIn(wiring.Component):
    """Four classifiers and the sequencer. Combinational; the user keeps the state, which is the same for all formats.

    Members
    -------
    words : In(mii(4))
        Word 0 is the first.
    previous, latest : In(state_layout()), Out(state_layout())
        State before the first word and after the last.
    types : Out(16 bits, 4 times)
        One-hot; 0 is an error.
    good : Out(4)
        Bit j: word j is as it may be. If not it counts as an error.
    """

    words: In(mii(4))
    previous: In(state_layout())
    latest: Out(state_layout())
    types: Out(data.ArrayLayout(len(ALL_TYPES), 4))
    good: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = Sequencer(4)
        for place in range(4):
            m.submodules[f"classifier_{place}"] = classifier = Classifier()
            octets, control = word_of(self.words, place)
            m.d.comb += [
                classifier.word.data.eq(octets),
                classifier.word.control.eq(control),
                sequencer.kinds[place].eq(kinds_of(m, classifier.types, f"kinds_{place}")),
                self.types[place].eq(classifier.types),
            ]
        m.d.comb += [
            sequencer.previous.eq(self.previous),
            self.latest.eq(sequencer.latest),
            self.good.eq(sequencer.good),
        ]
        return m


def take_words(m: Module, taken, words, packers):
    """Words to packers of blocks, with the state that moves on where ``taken``."""
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
