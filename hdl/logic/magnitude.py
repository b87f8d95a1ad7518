"""Magnitude of a difference without the difference itself: leading-zero anticipation. Combinational, latency 0 cycles."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Magnitude"]


class Magnitude(wiring.Component):
    """``below[j] = (a - b) mod 2**width < 2**j`` for every j, in about ``4 + 2 ceil(log2(width))`` two-input levels.

    Bits j and up of the difference are 0 in two cases: a and b are equal there and the bits below do not borrow, or a is
    larger by exactly 1 there and the bits below borrow. Both conditions and the borrow are prefix trees that work in
    parallel, whereas a subtraction and a search for its leading one would work one after the other.

    Written as digit differences (1, 0, -1), a part of a is larger by exactly 1 if it is any number of 0, a 1, then -1 to the
    end; modulo a power of two also if it is -1 throughout.

    Members
    -------
    a, b : In(width)
        Unsigned numbers.
    below : Out(width)
        Bit j: the difference is less than 2**j. Bit 0 is equality.
    borrow : Out(1)
        ``a < b``.
    """

    def __init__(self, width):
        super().__init__({"a": In(width), "b": In(width), "below": Out(width), "borrow": Out(1)})

    def elaborate(self, platform):
        m = Module()
        width = len(self.a)
        plus, minus, same = (
            [Signal(name=f"{name}_{bit}") for bit in range(width)] for name in ("plus", "minus", "same")
        )
        m.d.comb += [
            Cat(plus).eq(self.a & ~self.b),
            Cat(minus).eq(~self.a & self.b),
            Cat(same).eq(~(self.a ^ self.b)),
        ]
        top = Signal(name="differs")
        m.d.comb += top.eq(~same[-1])

        def less(high, low):
            """``(a < b, a <= b)`` of two adjacent ranges of bits together."""
            return high[0] | high[1] & low[0], high[1] & low[1]

        borrows = self._prefixes(m, [(less_, ~more) for less_, more in zip(minus, plus)], less, ("less", "at_most"))

        def one(high, low):
            """``(a == b, a == b + 1, all digits -1)`` of two adjacent ranges of bits together."""
            return high[0] & low[0], high[1] & low[2] | high[0] & low[1], high[2] & low[2]

        leaves = [*zip(same, plus, minus)]
        leaves[-1] = (same[-1], top, minus[-1])
        highs = self._prefixes(m, leaves[::-1], lambda low, high: one(high, low), ("equal", "one_more", "all_minus"))[
            ::-1
        ]
        m.d.comb += self.borrow.eq(borrows[-1][0])
        m.d.comb += self.below[0].eq(highs[0][0])
        for bit in range(1, width):
            borrow = borrows[bit - 1][0]
            equal, one_more, _ = highs[bit]
            m.d.comb += self.below[bit].eq(equal & ~borrow | one_more & borrow)
        return m

    @staticmethod
    def _prefixes(m, leaves, merge, names):
        """Prefixes by Sklansky's tree: ``merge(new, old)`` over leaves 0..i for every i, in ``ceil(log2(leaves))`` steps."""
        nodes = list(leaves)
        half = 1
        while half < len(nodes):
            for index in range(len(nodes)):
                if index & half:
                    start = index & ~(2 * half - 1)
                    merged = merge(nodes[index], nodes[start + half - 1])
                    nodes[index] = tuple(Signal(name=f"{name}_{start}_{index}") for name in names)
                    m.d.comb += [signal.eq(value) for signal, value in zip(nodes[index], merged)]
            half *= 2
        return nodes
