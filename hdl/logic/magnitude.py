"""How large a difference is, without the difference: leading-zero anticipation. Combinational, latency 0 cycles."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Magnitude"]


class Magnitude(wiring.Component):
    """``below[j] = (a - b) mod 2**width < 2**j`` for every j, in about ``4 + 2 ceil(log2(width))`` two-input levels.

    The bits from j up of the difference are 0 if they are equal in a and b and nothing is borrowed from below, or if a is
    larger by just 1 there and 1 is borrowed. Both conditions and the borrow come from trees side by side; a subtraction and
    a search for its leading one would stand behind each other. As differences of digits (1, 0, -1), *larger by just 1* is
    any number of 0, a 1, then -1 to the end; modulo a power of two also -1 throughout.

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
            """a < b in both ranges, and a <= b."""
            return high[0] | high[1] & low[0], high[1] & low[1]

        borrows = self._prefixes(m, [(less_, ~more) for less_, more in zip(minus, plus)], less, ("less", "at_most"))

        def one(high, low):
            """a == b, a == b + 1, and all digits -1."""
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
        """Sklansky's tree: ``merge(new, old)`` of leaves 0..i for every i, in ceil(log2) steps."""
        nodes = list(leaves)
        half = 1
        while half < len(nodes):
            for place in range(len(nodes)):
                if place & half:
                    start = place & ~(2 * half - 1)
                    merged = merge(nodes[place], nodes[start + half - 1])
                    nodes[place] = tuple(Signal(name=f"{name}_{start}_{place}") for name in names)
                    m.d.comb += [signal.eq(value) for signal, value in zip(nodes[place], merged)]
            half *= 2
        return nodes
