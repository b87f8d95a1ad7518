"""Whether a seven-bit code of a control character exists, by parity checks.

The codes of IEEE 802.3 Table 49-1 but that of LPI are the words of a linear code of distance 4. A syndrome of four bits, and the
three high bits of the code, say all that its seven bits say; and a syndrome can be summed from scrambled bits.
"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..characters import CODES, ERROR

__all__ = ["CHECKS", "CodeCheck", "syndrome"]

#: Bits of a code that each bit of the syndrome sums, and the number of high bits that are looked at beside it.
CHECKS, HIGH = (0b1100001, 0b0000111, 0b0011001, 0b1001100), 3


def syndrome(code):
    """Syndrome of the integer ``code``; 0 for all characters but LPI."""
    return sum(((code & check).bit_count() & 1) << place for place, check in enumerate(CHECKS))


class CodeCheck(wiring.Component):
    """Reads a code from its syndrome and high bits. Combinational.

    Members
    -------
    syndrome : In(4)
    high : In(3)
        Bits 4 to 6 of the code.
    known : Out(1)
        It is the code of a character.
    error : Out(1)
        If ``known``: of the error character.
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
