"""The last thing that every receiver of four words does: errors in place of what is not to be believed."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .block_types import KINDS
from .sequencer import Sequencer, state_layout
from .words import ERRORS, FAULT, mii, word_of

__all__ = ["WordsOut", "give_words"]


class WordsOut(wiring.Component):
    """The sequencer, and what becomes of words. Combinational; the user keeps the state, which is the same for all formats.

    Members
    -------
    read : In(mii(4))
        Words as they were read. Word 0 is the first.
    kinds : In(4 bits, 4 times)
        One-hot in the order of ``KINDS``; 0 is an error.
    bad : In(1)
        None of them is to be believed: four words of errors.
    fault : In(1)
        There is no lock: every word is two local fault ordered sets.
    previous, latest : In(state_layout()), Out(state_layout())
        State before the first word and after the last.
    words : Out(mii(4))
    good : Out(4)
        Bit j: word j is as it was read, unless ``fault``.
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
            for place in range(4):
                for part, found, error in zip(word_of(self.words, place), word_of(self.read, place), ERRORS):
                    m.d.comb += part.eq(Mux(self.good[place], found, error))
            m.d.comb += self.latest.eq(Mux(self.bad, 0, sequencer.latest.as_value()))
        return m


def give_words(m: Module, taken, given, read, kinds, doubts, spoils, fault):
    """:class:`WordsOut` of what was read of a block, to the register ``given``, with the state; both move on where ``taken``.

    With any of the bits ``doubts`` the block is not to be believed. One that ``spoils`` is not either, nor is the next one,
    whose first bits the descrambler sums with wrong ones.
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
