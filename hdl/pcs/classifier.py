"""Which block type a word of the media independent interface takes."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .block_types import BLOCK_TYPES, DATA
from .characters import CODES, ERROR, ORDERED_SETS, START, TERMINATE
from .words import ALL_TYPES, mii, type_bit

__all__ = ["Classifier"]


class Classifier(wiring.Component):
    """T_BLOCK_TYPE of Clause 49.2.13.2.3, with the type itself. Combinational.

    Members
    -------
    word : In(mii())
    types : Out(16)
        One-hot in the order of ``ALL_TYPES``; 0 is an error. Eight control characters with an error among them are one.
    """

    word: In(mii())
    types: Out(len(ALL_TYPES))

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data[8 * lane : 8 * lane + 8] for lane in range(8)]
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
