"""Fields of the protected format: four bits of information in a codeword of the [8,4,4] code."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FieldDecoder", "field_octet"]


def field_octet(nibble):
    """Codeword of four bits: they are the low nibble, and each bit of the high nibble sums three of them (``type_byte``)."""
    return Cat(nibble, nibble ^ nibble.xor().replicate(4))


class FieldDecoder(wiring.Component):
    """Decodes a field: corrects one wrong bit, detects two. Combinational.

    Members
    -------
    octet : In(8)
        The received field.
    nibble : Out(4)
        The corrected information.
    corrected, bad : Out(1)
        One bit was wrong; two bits were wrong.
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
            # A wrong low bit changes three of the four sums, all but one; a wrong high bit changes one.
            self.nibble.eq(Cat(low[bit] ^ (syndrome == 0xF ^ 1 << bit) for bit in range(4))),
            self.corrected.eq(syndrome.xor()),
            self.bad.eq(~syndrome.xor() & syndrome.any()),
        ]
        return m
