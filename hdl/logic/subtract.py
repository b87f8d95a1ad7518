"""Subtraction with a parallel-prefix borrow. Combinational, latency 0 cycles."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Subtract"]


class Subtract(wiring.Component):
    """``o = (a - b) mod 2**width`` and the borrow out, in ``4 + 2 ceil(log2(width))`` two-input levels.

    Sklansky's tree: the borrow out of each bit from ranges that double. At the widths of a coordinate its fan-out does not
    matter.

    Members
    -------
    a, b : In(width)
        Unsigned numbers.
    o : Out(width)
        Difference.
    borrow : Out(1)
        ``a < b``.
    """

    def __init__(self, width):
        super().__init__({"a": In(width), "b": In(width), "o": Out(width), "borrow": Out(1)})

    def elaborate(self, platform):
        m = Module()
        width = len(self.a)
        # generate: a < b in the range; keep: a <= b in the range, so that a borrow from below passes.
        generate = [~bit & other for bit, other in zip(self.a, self.b)]
        keep = [~bit | other for bit, other in zip(self.a, self.b)]
        half = 1
        while half < width:
            for bit in range(width):
                if bit & half:
                    start = bit & ~(2 * half - 1)
                    low = start + half - 1
                    name = f"{start}_{bit}"
                    new_generate, new_keep = Signal(name=f"less_{name}"), Signal(name=f"at_most_{name}")
                    m.d.comb += [
                        new_generate.eq(generate[bit] | keep[bit] & generate[low]),
                        new_keep.eq(generate[bit] | keep[bit] & keep[low]),
                    ]
                    generate[bit], keep[bit] = new_generate, new_keep
            half *= 2
        m.d.comb += [
            self.o.eq(self.a ^ self.b ^ Cat(Const(0, 1), *generate[:-1])),
            self.borrow.eq(generate[-1]),
        ]
        return m
