"""Check of the seven-bit codes of control characters by their syndromes.

All codes of IEEE 802.3 Table 49-1 except that of LPI are codewords of a linear code of distance 4. A four-bit syndrome and
the three high bits of a code together determine its seven bits, and a syndrome can be computed from scrambled bits.
"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.characters import CODES, ERROR

__all__ = ["CHECKS", "CodeCheck", "syndrome"]

#: Bits of a code that each bit of the syndrome sums, and the number of high bits that are used besides the syndrome.
CHECKS, HIGH = (0b1100001, 0b0000111, 0b0011001, 0b1001100), 3


def syndrome(code):
    """Syndrome of the integer ``code``; 0 for all characters but LPI."""
    return sum(((code & check).bit_count() & 1) << bit for bit, check in enumerate(CHECKS))


class CodeCheck(wiring.Component):
    """Checks a code by its syndrome and its high bits. Combinational.

    Members
    -------
    syndrome : In(4)
        Syndrome of the code.
    high : In(3)
        Bits 4 to 6 of the code.
    known : Out(1)
        The code is the code of a character.
    error : Out(1)
        The character is the error character; valid with ``known``.
    """

    syndrome: In(len(CHECKS))
    high: In(HIGH)
    known: Out(1)
    error: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.known.eq(~(self.syndrome[:3].any() | self.syndrome[3] & self.high.any())),
            self.error.eq(self.high == CODES[ERROR] >> 7 - HIGH),
        ]
        return m
