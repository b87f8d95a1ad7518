"""A field of the protected format: four bits in a word of the [8,4,4] code."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FieldDecoder", "field_octet"]


def field_octet(nibble):
    """Octet of four bits: the low ones are these, each high one is the sum of the other three (``type_byte``)."""
    return Cat(nibble, nibble ^ nibble.xor().replicate(4))


class FieldDecoder(wiring.Component):
    """Corrects one wrong bit, detects two. Combinational.

    Members
    -------
    octet : In(8)
    nibble : Out(4)
        The information, corrected.
    corrected, bad : Out(1)
        One bit was wrong; two were.
    """

    octet: In(8)
    nibble: Out(4)
    corrected: Out(1)
    bad: Out(1)

    def elaborate(self, platform):
        m = Module()
        low, high = self.octet[:4], self.octet[4:]
        syndrome = Signal(4)
        m.d.comb += [
            syndrome.eq(field_octet(low)[4:] ^ high),
            # A wrong low bit is missing in its own sum alone; a wrong high bit is its own sum.
            self.nibble.eq(Cat(low[bit] ^ (syndrome == 0xF ^ 1 << bit) for bit in range(4))),
            self.corrected.eq(syndrome.xor()),
            self.bad.eq(~syndrome.xor() & syndrome.any()),
        ]
        return m
