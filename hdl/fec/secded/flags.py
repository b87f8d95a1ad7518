"""Which errors a syndrome tells of: one bit, or more."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...logic import Threshold, Timed, both, either
from .parameters import SecdedCode

__all__ = ["Flags", "by_parity", "countable"]


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


def by_parity(code: SecdedCode):
    """Whether parity and syndrome tell the columns without a comparison with each: by a formula or by counting."""
    return code.formula is not None or countable(code)


class Flags(wiring.Component):
    """``corrected`` and ``uncorrectable`` of a syndrome. Combinational.

    A code with a formula V (:mod:`.formulas`): ``corrected`` is the parity without V, ``uncorrectable`` any syndrome that is not
    corrected.

    Other codes count. An odd syndrome is heavier than its columns, *bad*, by a count. Let w be the greatest weight, u the number
    of ones in rows 0 and 1, v that in the others. If weight w has the columns with u = 1 alone, an odd syndrome names a column
    unless ``v >= w``, or u = 2 and ``v >= w - 2``: what these exclude at u = 1 has v = w + 1 at least, as the sum is odd. If
    weight w is complete, unless ``u + v >= w + 1``. For even syndromes but 0 the thresholds do no harm: all of these are
    uncorrectable. Where counting does not tell, ``named_bits`` does.

    Parameters
    ----------
    code : SecdedCode
    late : int
        Gate levels by which ``parity`` comes after ``syndrome``.

    Members
    -------
    syndrome : In(r)
    none : In(1)
        The syndrome is 0; comes with the minterms of the syndrome, ``ceil(log2 r)`` levels after it.
    parity : In(1)
        Sum of all bits of the word, which is that of the syndrome's. Only where :func:`by_parity` is true.
    named_bits : In(n)
        Bit i: the syndrome is column i. Only where :func:`by_parity` is false.
    corrected : Out(1)
        The syndrome names a column.
    uncorrectable : Out(1)
        It is not 0 and names none.
    """

    def __init__(self, code: SecdedCode, late=0):
        self._code, self._late = code, late
        told = {"parity": In(1)} if by_parity(code) else {"named_bits": In(code.n)}
        super().__init__({"syndrome": In(code.r), "none": In(1), **told, "corrected": Out(1), "uncorrectable": Out(1)})

    def elaborate(self, platform):
        m = Module()
        if not by_parity(self._code):
            m.d.comb += self.corrected.eq(self.named_bits.any())
        elif self._code.formula is not None:
            terms = self._code.formula.terms(*map(Timed, self.syndrome))
            m.d.comb += self.corrected.eq(both([Timed(self.parity, self._late), *(~term for term in terms)]).value)
        else:
            self._count(m)
            return m
        m.d.comb += self.uncorrectable.eq(~self.none & ~self.corrected)
        return m

    def _count(self, m):
        code, syndrome = self._code, self.syndrome
        if not _missing(code):
            bad = Threshold(m, syndrome, "ones").terms(code.weight + 1)
        else:
            others, pair = Threshold(m, syndrome[2:], "ones"), Timed(syndrome[0] & syndrome[1], 1)
            bad = [*others.terms(code.weight), *(both([pair, term]) for term in others.terms(code.weight - 3))]
        even = Timed(~self.parity, self._late)
        nonzero = Timed(~self.none, (code.r - 1).bit_length())
        # Two wide gates instead of one and what follows it: a level less.
        m.d.comb += [
            self.corrected.eq(~either([even, *bad]).value),
            self.uncorrectable.eq(either([both([even, nonzero]), *bad]).value),
        ]
