"""Which errors a syndrome tells of: one bit, or more."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...logic import Threshold, Timed, both, either
from .parameters import SecdedCode

__all__ = ["Flags", "countable"]


def _missing(code):
    """Odd syndromes, no heavier than the columns, that name none."""
    odd = (s for s in range(1 << code.r) if s.bit_count() % 2 and s.bit_count() <= code.weight)
    return set(odd) - set(code.columns)


def countable(code: SecdedCode):
    """Whether counting tells the odd syndromes that name a column.

    So it is if all weights are used up, or the heaviest has just the columns with one of rows 0 and 1.
    """
    heavy = [s for s in range(1 << code.r) if s.bit_count() == code.weight]
    others = {s for s in heavy if s & 3 in (0, 3)}
    return _missing(code) in (set(), others)


class Flags(wiring.Component):
    """``corrected`` and ``uncorrectable`` of a syndrome. Combinational.

    An odd syndrome is heavier than its columns, *bad*, by a count. Let w be the greatest weight, u the number of ones in
    rows 0 and 1, v that in the others. If weight w has the columns with u = 1 alone, an odd syndrome names a column unless
    ``v >= w``, or u = 2 and ``v >= w - 2``: what these exclude at u = 1 has v = w + 1 at least, as the sum is odd. If
    weight w is complete, unless ``u + v >= w + 1``. For even syndromes but 0 the thresholds do no harm: all of these are
    uncorrectable. Where counting does not tell, ``named_bits`` does.

    Members
    -------
    syndrome : In(r)
    named_bits : In(n)
        Bit i: the syndrome is column i. Only where :func:`countable` is false.
    corrected : Out(1)
        The syndrome names a column.
    uncorrectable : Out(1)
        It is not 0 and names none.
    """

    def __init__(self, code: SecdedCode):
        self._code = code
        members = {"syndrome": In(code.r), "corrected": Out(1), "uncorrectable": Out(1)}
        if not countable(code):
            members["named_bits"] = In(code.n)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        code, syndrome = self._code, self.syndrome
        if not countable(code):
            named = self.named_bits.any()
            m.d.comb += [self.corrected.eq(named), self.uncorrectable.eq(syndrome.any() & ~named)]
            return m
        odd = Signal()
        m.d.comb += odd.eq(syndrome.xor())
        parity = Timed(odd, (code.r - 1).bit_length())
        if not _missing(code):
            bad = Threshold(m, syndrome, "ones").terms(code.weight + 1)
        else:
            others, pair = Threshold(m, syndrome[2:], "ones"), Timed(syndrome[0] & syndrome[1], 1)
            bad = [*others.terms(code.weight), *(both([pair, term]) for term in others.terms(code.weight - 3))]
        even = Timed(~odd, parity.level)
        nonzero = Timed(syndrome.any(), parity.level)
        # Two wide gates instead of one and what follows it: a level less.
        m.d.comb += [
            self.corrected.eq(~either([even, *bad]).value),
            self.uncorrectable.eq(either([both([even, nonzero]), *bad]).value),
        ]
        return m
