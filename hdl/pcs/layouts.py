"""Layouts of words and blocks in signals, and helpers for one-hot block types."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import Lookup
from dsnswitch.hdl.pcs.characters import BLOCK_TYPES, CODES, DATA, ERROR, KINDS, ORDERED_SETS, START, TERMINATE

#: Bits of an event counter, which saturates.
COUNTER_BITS = 32

#: All block types, in the order of their one-hot code. A word without a type is an error.
ALL_TYPES = (*BLOCK_TYPES, DATA)

#: A word of eight error characters, and a word of two local fault ordered sets, as ``(octets, control)``.
ERRORS = (int.from_bytes([ERROR] * 8, "little"), 0xFF)
FAULT = (0x0100_009C_0100_009C, 0x11)


def mii(words=1):
    """Layout of ``words`` words of the media independent interface.

    ``data``: 64 bits per word, word 0 lowest, and lane 0 lowest in a word. ``control``: 8 bits per word; bit j marks lane j
    as control.
    """
    return data.StructLayout({"data": 64 * words, "control": 8 * words})


def block66():
    """Layout of a 64b/66b block, bits in the order of transmission: ``header`` (2 bits), ``payload`` (64 bits)."""
    return data.StructLayout({"header": 2, "payload": 64})


def word_of(words, index):
    """``(data, control)`` of word ``index`` in a view of the layout :func:`mii`."""
    return words.data.word_select(index, 64), words.control.word_select(index, 8)


def type_bit(types, kind):
    """The bit of one-hot ``types`` for the :class:`BlockType` ``kind``."""
    return types[ALL_TYPES.index(kind)]


def named(name):
    """The :class:`BlockType` with this name."""
    return next(kind for kind in ALL_TYPES if kind.name == name)


def name_bit(types, name):
    """The bit of one-hot ``types`` for the block type with this name. ``E``, an error, is the absence of every type."""
    return ~types.any() if name == "E" else type_bit(types, named(name))


def type_signals(name):
    """One-hot types of a word, one signal per type: as bits of one signal they would look like a loop to a simulator."""
    return Cat(Signal(name=f"{name}_{kind.name.lower()}") for kind in ALL_TYPES)


def kinds_of(m, types, name):
    """Signal ``name``: the kind of one-hot ``types``, one-hot in the order of ``KINDS``."""
    kinds = Signal(len(KINDS), name=name)
    for bit, letter in enumerate(KINDS):
        of_kind = [types[index] for index, kind in enumerate(ALL_TYPES) if kind.kind == letter]
        m.d.comb += kinds[bit].eq(Cat(of_kind).any())
    return kinds


def control_of(types):
    """Control bits of a word whose block type is one-hot ``types``: bit j marks lane j as control."""
    return ~Cat(Cat(types[index] for index, kind in enumerate(ALL_TYPES) if kind.lanes[lane] == "D").any() for lane in range(8))


def translate(m, name, value, table, result_width):
    """Add a :class:`Lookup` of ``value`` in ``table`` as submodule ``name``; returns ``(result, known)``."""
    m.submodules[name] = lookup = Lookup(table, len(value), result_width)
    m.d.comb += lookup.value.eq(value)
    return lookup.result, lookup.known


def packer_members():
    """Ports of a packer.

    Members
    -------
    - words: The words; word 0 is sent first.
    - types (In(16 bits, 4 times)): Block type of each word, one-hot; 0 is an error.
    - good: Bit j: word j is allowed after the word before it. Other words are sent as errors. Arrives late, as it depends on
      all words.
    - is_data: All four words are data, and the body is their octets.
    - body_bits: The body.
    """
    types = data.ArrayLayout(len(ALL_TYPES), 4)
    return {"words": In(mii(4)), "types": In(types), "good": In(4), "is_data": Out(1), "body_bits": Out(256)}


def unpacker_members():
    """Ports of an unpacker.

    Members
    -------
    - is_data: The header says that all four words are data.
    - body_bits: The body.
    - words: The words; word 0 was sent first.
    - kinds (Out(4 bits, 4 times)): Kind of each word, one-hot in the order of ``KINDS``; 0 is an error for any word.
    - corrected: A wrong bit of a protected field was corrected.
    - bad: The block has errors that cannot be corrected.
    """
    kinds = data.ArrayLayout(len(KINDS), 4)
    return {"is_data": In(1), "body_bits": In(256), "words": Out(mii(4)), "kinds": Out(kinds), "corrected": Out(1), "bad": Out(1)}


class Classifier(wiring.Component):
    """Finds the block type of a word: T_BLOCK_TYPE of Clause 49.2.13.2.3, in more detail. Combinational.

    Members
    -------
    - word: The word.
    - types: Block type, one-hot in the order of ``ALL_TYPES``; 0 is an error. A word of eight control characters is an error
      if one of them is the error character.
    """

    word: In(mii())
    types: Out(len(ALL_TYPES))

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data.word_select(lane, 8) for lane in range(8)]
        is_control = self.word.control
        names = {"C": CODES, "O": ORDERED_SETS, "S": (START,), "T": (TERMINATE,)}
        words = {"D": "data", "C": "control", "O": "ordered_set", "S": "start", "T": "terminate"}
        fits = {letter: Signal(8, name=f"is_{word}") for letter, word in words.items()}
        m.d.comb += fits["D"].eq(~is_control)
        for letter, characters in names.items():
            for lane, octet in enumerate(octets):
                known = Cat(octet == character for character in characters).any()
                m.d.comb += fits[letter][lane].eq(is_control[lane] & known)
        for kind in (*BLOCK_TYPES, DATA):
            right = Cat(fits[letter][lane] for lane, letter in enumerate(kind.lanes)).all()
            if kind.lanes == "C" * 8:
                right &= ~Cat(octet == ERROR for octet in octets).any()
            m.d.comb += type_bit(self.types, kind).eq(right)
        return m
