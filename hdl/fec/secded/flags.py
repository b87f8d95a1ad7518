"""Flags of the SECDED decoder: whether a syndrome stands for one wrong bit or for more."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.hdl.logic.gates import Timed, both, either
from dsnswitch.hdl.logic.ones import Threshold

__all__ = ["Flags", "by_parity", "countable"]


def _missing(code):
    """Odd syndromes that are not columns of the code, up to the greatest weight of a column."""
    odd = (s for s in range(1 << code.r) if s.bit_count() % 2 and s.bit_count() <= code.weight)
    return set(odd) - set(code.columns)


def countable(code: SecdedCode):
    """Whether the number of ones in parts of an odd syndrome shows if the syndrome is a column.

    This is the case if the code has all columns of each of its weights, or all but those of the greatest weight that have
    both or neither of rows 0 and 1.
    """
    heavy = [s for s in range(1 << code.r) if s.bit_count() == code.weight]
    others = {s for s in heavy if s & 3 in (0, 3)}
    return _missing(code) in (set(), others)


def by_parity(code: SecdedCode):
    """Whether the decoder separates columns from other odd syndromes by a formula or by counting, without comparing with each."""
    return code.formula is not None or countable(code)


class Flags(wiring.Component):
    """Computes ``corrected`` and ``uncorrectable`` from a syndrome. Combinational.

    A syndrome is *corrected* if it is a column of the code. There are three ways to find out.

    - The code has a formula V (:mod:`formulas`): an odd syndrome is a column if V is 0.
    - Counting (:func:`countable`). Let w be the greatest weight of a column, u the number of ones of the syndrome in rows 0
      and 1, v the number of ones in the other rows. If the code has all columns of weight w, an odd syndrome is a column
      unless ``u + v >= w + 1``. If it has only those with u = 1, an odd syndrome is a column unless ``v >= w``, or u = 2
      and ``v >= w - 2``. (With u = 1 the first condition means ``v >= w + 1``, as u + v is odd.) The conditions may also
      hold for even syndromes, all of which but 0 are uncorrectable.
    - Otherwise the decoder compares the syndrome with every column: ``named_bits``.

    Parameters
    ----------
    code : SecdedCode
        The code.
    late : int
        Gate levels by which ``parity`` arrives after ``syndrome``.

    Members
    -------
    syndrome : In(r)
        The syndrome.
    none : In(1)
        The syndrome is 0; arrives with the minterms of the syndrome, ``ceil(log2 r)`` levels after it.
    parity : In(1)
        Sum of all bits of the word, which equals the sum of the syndrome's bits. Only where :func:`by_parity` is true.
    named_bits : In(n)
        Bit i: the syndrome is column i. Only where :func:`by_parity` is false.
    corrected : Out(1)
        The syndrome is a column.
    uncorrectable : Out(1)
        The syndrome is neither 0 nor a column.
    """

    def __init__(self, code: SecdedCode, late=0):
        self._code, self._late = code, late
        more = {"parity": In(1)} if by_parity(code) else {"named_bits": In(code.n)}
        super().__init__({"syndrome": In(code.r), "none": In(1), **more, "corrected": Out(1), "uncorrectable": Out(1)})

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
        # Two separate wide gates save a level over deriving ``uncorrectable`` from ``corrected``.
        m.d.comb += [
            self.corrected.eq(~either([even, *bad]).value),
            self.uncorrectable.eq(either([both([even, nonzero]), *bad]).value),
        ]
