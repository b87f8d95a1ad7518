"""Layouts of words and blocks in signals, and helpers for one-hot block types."""

from amaranth.hdl import Cat, Signal
from amaranth.lib import data

from dsnswitch.hdl.logic.decoders import Lookup
from dsnswitch.hdl.pcs.block_types import BLOCK_TYPES, DATA, KINDS
from dsnswitch.hdl.pcs.characters import ERROR

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
    return ~Cat(
        Cat(types[index] for index, kind in enumerate(ALL_TYPES) if kind.lanes[lane] == "D").any() for lane in range(8)
    )


def translate(m, name, value, table, result_width):
    """Add a :class:`Lookup` of ``value`` in ``table`` as submodule ``name``; returns ``(result, known)``."""
    m.submodules[name] = lookup = Lookup(table, len(value), result_width)
    m.d.comb += lookup.value.eq(value)
    return lookup.result, lookup.known
