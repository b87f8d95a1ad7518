"""Classifier: the block type of a word of the media independent interface."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.block_types import BLOCK_TYPES, DATA
from dsnswitch.hdl.pcs.characters import CODES, ERROR, ORDERED_SETS, START, TERMINATE
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, mii, type_bit

__all__ = ["Classifier"]


class Classifier(wiring.Component):
    """Finds the block type of a word: T_BLOCK_TYPE of Clause 49.2.13.2.3, in more detail. Combinational.

    Members
    -------
    word : In(mii())
        The word.
    types : Out(16)
        Block type, one-hot in the order of ``ALL_TYPES``; 0 is an error. A word of eight control characters is an error if
        one of them is the error character.
    """

    word: In(mii())
    types: Out(len(ALL_TYPES))

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data.word_select(lane, 8) for lane in range(8)]
        is_control = self.word.control
        names = {"C": CODES, "O": ORDERED_SETS, "S": (START,), "T": (TERMINATE,)}
        fits = {letter: Signal(8, name=f"is_{word}") for letter, word in zip("DCOST", _NAMES)}
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


_NAMES = ("data", "control", "ordered_set", "start", "terminate")
