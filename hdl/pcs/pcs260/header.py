"""The four-bit header of 256b/260b: two codewords of distance 4, of alternating bits."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CONTROL", "DATA", "HeaderDecoder"]

#: Bit 0 is sent first: in the order of transmission 0101 is data, 1010 control.
DATA, CONTROL = 0b1010, 0b0101


class HeaderDecoder(wiring.Component):
    """Decodes a header: corrects one wrong bit, detects two. Combinational.

    Members
    -------
    header : In(4)
        The received header.
    is_data : Out(1)
        The block has four data words.
    exact : Out(1)
        No bit is wrong.
    bad : Out(1)
        Two bits are wrong.
    """

    header: In(4)
    is_data: Out(1)
    exact: Out(1)
    bad: Out(1)

    def elaborate(self, platform):
        m = Module()
        off = self.header ^ DATA
        odd = Signal()
        same = Signal()
        two = Signal()
        m.d.comb += [
            odd.eq(off.xor()),
            same.eq(off.all() | ~off.any()),
            two.eq(off[0] & off[1] | off[2] & off[3] | (off[0] | off[1]) & (off[2] | off[3])),
            self.is_data.eq(~two),
            self.exact.eq(same),
            self.bad.eq(~odd & ~same),
        ]
        return m
