"""First step of every transmitter of four words and last step of every receiver: their order, types and errors."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.characters import KINDS
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, ERRORS, FAULT, Classifier, kinds_of, mii, word_of


def state_layout():
    """Layout of the state: ``idle`` (after reset, control or the end of a frame), ``frame``; neither is 1 after an error."""
    return data.StructLayout({"idle": 1, "frame": 1})


class Sequencer(wiring.Component):
    """Checks each word against the words before it. Combinational; the parent keeps the state.

    It is the transmitter's and the receiver's state machine of Clause 49 (Figures 49-16 and 49-17): the states INIT, C and
    T have the same transitions. A word is passed on as it is, or as an error if the state becomes E. In a receiver, T
    counts as an error unless S or C follows; the parent has to check that.

    Parameters
    ----------
    words : int
        Words per cycle. Each word adds two levels of gates.

    Members
    -------
    - kinds (In(4 bits, words times)): Kind of each word, one-hot in the order of ``KINDS``; 0 is an error.
    - previous: State before word 0.
    - good: Bit j: word j is allowed after the word before it. Otherwise it counts as an error.
    - latest: State after the last word.
    """

    def __init__(self, words=1):
        self._words = words
        super().__init__(
            {
                "kinds": In(data.ArrayLayout(len(KINDS), words)),
                "previous": In(state_layout()),
                "good": Out(words),
                "latest": Out(state_layout()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        idle, frame = self.previous.idle, self.previous.frame
        for word in range(self._words):
            control, start, terminate, octets = (self.kinds[word][bit] for bit in range(len(KINDS)))
            next_idle, next_frame = Signal(name=f"idle_{word}"), Signal(name=f"frame_{word}")
            m.d.comb += [
                next_idle.eq(control & ~frame | terminate & ~idle),
                next_frame.eq(start & idle | octets & ~idle),
                self.good[word].eq(next_idle | next_frame),
            ]
            idle, frame = next_idle, next_frame
        m.d.comb += [self.latest.idle.eq(idle), self.latest.frame.eq(frame)]
        return m


class WordsIn(wiring.Component):
    """Classifies four words and checks their order: four classifiers and the sequencer. Combinational.

    The parent keeps the state, which is the same for all formats.

    Members
    -------
    - words: Word 0 is the first.
    - previous, latest: State before the first word and after the last word.
    - types (Out(16 bits, 4 times)): Block type of each word, one-hot; 0 is an error.
    - good: Bit j: word j is allowed after the word before it. Otherwise it must be sent as an error.
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
        m.d.comb += [sequencer.previous.eq(self.previous), self.latest.eq(sequencer.latest), self.good.eq(sequencer.good)]
        return m


def take_words(m: Module, taken, words, packers):
    """Drive ``packers`` with ``words``, their types and order. Adds :class:`WordsIn` and its state, enabled by ``taken``."""
    m.submodules.words_in = words_in = WordsIn()
    state = Signal(state_layout(), init={"idle": 1})
    m.d.comb += [words_in.words.eq(words), words_in.previous.eq(state)]
    for packer in packers:
        m.d.comb += [packer.words.eq(words), packer.types.eq(words_in.types), packer.good.eq(words_in.good)]
    with m.If(taken):
        m.d.sync += state.eq(words_in.latest)


class WordsOut(wiring.Component):
    """Checks the order of four words with the sequencer, and replaces words by errors or local faults.

    Outputs are combinational. The state after the last word, and whether the block spoils the next one, are registered: they are
    the same for all formats.

    Members
    -------
    - taken: A block is accepted in this cycle.
    - read: Words from the unpacker. Word 0 is the first.
    - kinds (In(4 bits, 4 times)): Kind of each word, one-hot in the order of ``KINDS``; 0 is an error.
    - doubtful: All four words of this block become errors.
    - spoils: So do those of the next block, to which the descrambler adds wrong bits of this one.
    - fault: There is no lock: every word becomes two local fault ordered sets.
    - words: Words for the media independent interface.
    - bad: The block has errors that cannot be corrected, or is after one that spoils it.
    - good: Bit j: word j is passed on unchanged, unless ``fault``.
    """

    taken: In(1)
    read: In(mii(4))
    kinds: In(data.ArrayLayout(len(KINDS), 4))
    doubtful: In(1)
    spoils: In(1)
    fault: In(1)
    words: Out(mii(4))
    bad: Out(1)
    good: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = Sequencer(4)
        state = Signal(state_layout(), init={"idle": 1})
        latest = Signal(state_layout())
        spoiled = Signal()
        m.d.comb += [
            sequencer.kinds.eq(self.kinds),
            sequencer.previous.eq(state),
            self.bad.eq(self.spoils | spoiled | self.doubtful),
            self.good.eq(Mux(self.bad, 0, sequencer.good)),
        ]
        with m.If(self.fault):
            m.d.comb += [
                self.words.data.eq(Cat(Const(FAULT[0], 64) for _ in range(4))),
                self.words.control.eq(Cat(Const(FAULT[1], 8) for _ in range(4))),
                latest.idle.eq(1),
            ]
        with m.Else():
            for index in range(4):
                for part, read, error in zip(word_of(self.words, index), word_of(self.read, index), ERRORS):
                    m.d.comb += part.eq(Mux(self.good[index], read, error))
            m.d.comb += latest.eq(Mux(self.bad, 0, sequencer.latest.as_value()))
        with m.If(self.taken):
            m.d.sync += [spoiled.eq(self.spoils), state.eq(latest)]
        return m
