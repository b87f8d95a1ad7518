"""Last step of every receiver of four words: replace words that cannot be trusted by errors."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.block_types import KINDS
from dsnswitch.hdl.pcs.layouts import ERRORS, FAULT, mii, word_of
from dsnswitch.hdl.pcs.sequencer import Sequencer, state_layout

__all__ = ["WordsOut", "give_words"]


class WordsOut(wiring.Component):
    """Checks the order of four words with the sequencer, and replaces words by errors or local faults. Combinational.

    The parent keeps the state, which is the same for all formats.

    Members
    -------
    read : In(mii(4))
        Words from the unpacker. Word 0 is the first.
    kinds : In(4 bits, 4 times)
        Kind of each word, one-hot in the order of ``KINDS``; 0 is an error.
    bad : In(1)
        The block has errors that cannot be corrected: all four words become errors.
    fault : In(1)
        There is no lock: every word becomes two local fault ordered sets.
    previous, latest : In(state_layout()), Out(state_layout())
        State before the first word and after the last word.
    words : Out(mii(4))
        Words for the media independent interface.
    good : Out(4)
        Bit j: word j is passed on unchanged, unless ``fault``.
    """

    read: In(mii(4))
    kinds: In(data.ArrayLayout(len(KINDS), 4))
    bad: In(1)
    fault: In(1)
    previous: In(state_layout())
    latest: Out(state_layout())
    words: Out(mii(4))
    good: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = Sequencer(4)
        m.d.comb += [
            sequencer.kinds.eq(self.kinds),
            sequencer.previous.eq(self.previous),
            self.good.eq(Mux(self.bad, 0, sequencer.good)),
        ]
        with m.If(self.fault):
            m.d.comb += [
                self.words.data.eq(Cat(Const(FAULT[0], 64) for _ in range(4))),
                self.words.control.eq(Cat(Const(FAULT[1], 8) for _ in range(4))),
                self.latest.idle.eq(1),
            ]
        with m.Else():
            for index in range(4):
                for part, read, error in zip(word_of(self.words, index), word_of(self.read, index), ERRORS):
                    m.d.comb += part.eq(Mux(self.good[index], read, error))
            m.d.comb += self.latest.eq(Mux(self.bad, 0, sequencer.latest.as_value()))
        return m


def give_words(m: Module, taken, given, read, kinds, doubts, spoils, fault):
    """Load the register ``given`` with the words of a block after :class:`WordsOut`. Returns that component.

    Adds the component and its state, which ``taken`` enables like the register.

    Parameters
    ----------
    m : Module
        Module of the receiver.
    taken : Value
        A block is accepted in this cycle.
    given : Signal
        Output register.
    read, kinds : Value
        Words of the block, and the kind of each.
    doubts : sequence of 1-bit values
        If one of them is 1, all words of the block become errors.
    spoils : Value
        If 1, all words of this block and of the next one become errors: the descrambler adds wrong bits to the next block.
    fault : Value
        There is no lock.
    """
    m.submodules.words_out = words_out = WordsOut()
    state = Signal(state_layout(), init={"idle": 1})
    spoiled = Signal()
    bad = spoils | spoiled
    for doubt in doubts:
        bad = bad | doubt
    m.d.comb += [
        words_out.read.eq(read),
        words_out.kinds.eq(kinds),
        words_out.bad.eq(bad),
        words_out.fault.eq(fault),
        words_out.previous.eq(state),
    ]
    with m.If(taken):
        m.d.sync += [spoiled.eq(spoils), given.eq(words_out.words), state.eq(words_out.latest)]
    return words_out
