"""Comparison as a balanced tree. Combinational, latency 0 cycles."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AtLeast"]


class AtLeast(wiring.Component):
    """``o = a >= b`` in ``2 + 2 log2(width)`` two-input levels.

    A range of bits yields "greater" and "at least"; two neighbouring ranges combine as
    ``greater = high.greater | high.at_least & low.greater``, and alike for "at least". Synthesis makes ripple or
    carry-lookahead adders of the operator ``>=``, which are deeper at these widths.

    Members
    -------
    a, b : In(width)
        Unsigned numbers.
    o : Out(1)
        ``a >= b``.
    """

    def __init__(self, width):
        super().__init__({"a": In(width), "b": In(width), "o": Out(1)})

    def elaborate(self, platform):
        m = Module()

        def compare(low, high):
            """Greater and at least of bits low..high-1."""
            if high - low == 1:
                return self.a[low] & ~self.b[low], self.a[low] | ~self.b[low]
            middle = (low + high) // 2
            low_greater, low_at_least = compare(low, middle)
            high_greater, high_at_least = compare(middle, high)
            greater, at_least = Signal(name=f"greater_{low}_{high - 1}"), Signal(name=f"at_least_{low}_{high - 1}")
            m.d.comb += [
                greater.eq(high_greater | high_at_least & low_greater),
                at_least.eq(high_greater | high_at_least & low_at_least),
            ]
            return greater, at_least

        m.d.comb += self.o.eq(compare(0, len(self.a))[1])
        return m
