"""The word between two formats of a line. Our own design, no standard's."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...logic import ones

__all__ = ["FILLER", "GAP", "LIGHT", "NEAR", "STRICT", "Marker"]

_WORD = 160

#: Word ahead of the strict format: 80 ones of a PRBS. That ahead of the light format is its complement. Fillers are at a
#: distance of 80 from both.
STRICT = 0xF21547CCF5114C3CEFAE95963237B84A5F18D421
LIGHT = ~STRICT & (1 << _WORD) - 1
FILLER = STRICT ^ int("5" * (_WORD // 4), 16)

#: Fillers behind the marker of the light format: meanwhile a receiver gets rid of the codeword that it holds.
GAP = 88

#: So many wrong bits of a marker are borne. A word of random bits is as near with probability 3.1e-27.
NEAR = 16


class Marker(wiring.Component):
    """Whether a word is a marker. Combinational.

    Members
    -------
    word : In(160)
    strict, light : Out(1)
        Marker of this format, with up to :data:`NEAR` wrong bits.
    """

    word: In(_WORD)
    strict: Out(1)
    light: Out(1)

    def elaborate(self, platform):
        m = Module()
        wrong = ones(self.word ^ STRICT)
        m.d.comb += [self.strict.eq(wrong <= NEAR), self.light.eq(wrong >= _WORD - NEAR)]
        return m
