"""How words and blocks lie in signals."""

from amaranth.hdl import Cat, Signal
from amaranth.lib import data

from ..logic import Lookup
from .block_types import BLOCK_TYPES, DATA, KINDS
from .characters import ERROR

__all__ = [
    "ALL_TYPES",
    "ERRORS",
    "FAULT",
    "block66",
    "control_of",
    "kinds_of",
    "mii",
    "name_bit",
    "named",
    "translate",
    "type_bit",
    "type_signals",
    "word_of",
]

#: In the order of the one-hot code of a word's type; a word of no type is an error.
ALL_TYPES = (*BLOCK_TYPES, DATA)

#: A word of eight error characters, and two local fault ordered sets, as ``(octets, control)``.
ERRORS = (int.from_bytes([ERROR] * 8, "little"), 0xFF)
FAULT = (0x0100_009C_0100_009C, 0x11)


def mii(words=1):
    """Layout of ``words`` words of the media independent interface.

    ``data``: 64 bits a word, word 0 and in it lane 0 lowest. ``control``: 8 bits a word, bit j marks lane j as control.
    """
    return data.StructLayout({"data": 64 * words, "control": 8 * words})


def block66():
    """Layout of a 64b/66b block, the bits in the order in which they are sent: ``header`` (2 bits), ``payload`` (64)."""
    return data.StructLayout({"header": 2, "payload": 64})


def word_of(words, index):
    """``(data, control)`` of word ``index`` of a view of :func:`mii`."""
    return words.data.word_select(index, 64), words.control.word_select(index, 8)


def type_bit(types, kind):
    """Whether one-hot ``types`` say that the word is of :class:`~.block_types.BlockType` ``kind``."""
    return types[ALL_TYPES.index(kind)]


def named(name):
    """The :class:`~.block_types.BlockType` of this name."""
    return next(kind for kind in ALL_TYPES if kind.name == name)


def name_bit(types, name):
    """The same by name; ``E``, an error, is no bit of them."""
    return ~types.any() if name == "E" else type_bit(types, named(name))


def type_signals(name):
    """One-hot types of a word, one signal each: as parts of one they would look like a loop to a simulator."""
    return Cat(Signal(name=f"{name}_{kind.name.lower()}") for kind in ALL_TYPES)


def kinds_of(m, types, name):
    """One-hot kind (in the order of ``KINDS``) of one-hot ``types``."""
    kinds = Signal(len(KINDS), name=name)
    for place, letter in enumerate(KINDS):
        of_kind = [types[index] for index, kind in enumerate(ALL_TYPES) if kind.kind == letter]
        m.d.comb += kinds[place].eq(Cat(of_kind).any())
    return kinds


def control_of(types):
    """Which lanes of a word of one-hot ``types`` are control: 8 bits."""
    return ~Cat(
        Cat(types[index] for index, kind in enumerate(ALL_TYPES) if kind.lanes[lane] == "D").any() for lane in range(8)
    )


def translate(m, name, value, table, result_width):
    """``(result, known)`` of a :class:`~..logic.lookup.Lookup` of ``value`` in ``table``, as submodule ``name``."""
    m.submodules[name] = lookup = Lookup(table, len(value), result_width)
    m.d.comb += lookup.value.eq(value)
    return lookup.result, lookup.known
