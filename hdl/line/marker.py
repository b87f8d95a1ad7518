"""Marker: the word that announces a change of format on the line of a selected link. This project's own design."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.ones import ones

__all__ = ["FILLER", "GAP", "LIGHT", "NEAR", "STRICT", "Marker"]

_WORD = 160

#: Marker before the strict format, 160 bits of a PRBS of which 80 are ones. The marker before the light format is its
#: complement. Fillers have a distance of 80 from both.
STRICT = 0xF21547CCF5114C3CEFAE95963237B84A5F18D421
LIGHT = ~STRICT & (1 << _WORD) - 1
FILLER = STRICT ^ int("5" * (_WORD // 4), 16)

#: Fillers after the marker of the light format, in which a receiver passes on the codeword that it holds.
GAP = 88

#: Greatest number of wrong bits with which a marker is recognised. A random word is that near with probability 3.1e-27.
NEAR = 16


class Marker(wiring.Component):
    """Recognises markers. Combinational.

    Members
    -------
    word : In(160)
        A word of the line.
    strict, light : Out(1)
        The word is the marker of this format, with up to :data:`NEAR` wrong bits.
    """

    word: In(_WORD)
    strict: Out(1)
    light: Out(1)

    def elaborate(self, platform):
        m = Module()
        differs = Signal(_WORD)
        wrong = ones(differs)
        m.d.comb += [
            differs.eq(self.word ^ STRICT),
            self.strict.eq(wrong <= NEAR),
            self.light.eq(wrong >= _WORD - NEAR),
        ]
        return m
