"""Formulas that choose the columns of a SECDED code so that its decoder is small. No Amaranth.

A SECDED code may take any ``n`` syndromes of odd weight as its columns, if the unit vectors are among them. The columns can
therefore be chosen for the decoder: they are the odd syndromes for which a cheap formula V is 0. The decoder then needs
only V and the parity of the word to separate a corrected word from an uncorrectable one. The rules for a formula:

- V is monotone: it has AND and OR gates only. Removing two ones from a column then gives another column, which the sharing of
  sums requires (:mod:`sharing`).
- Exactly ``n`` odd syndromes have V = 0, and all those of weight 1 are among them.
- No row has more ones than the XOR levels allow that the lightest columns need, so that the encoder has as few levels as
  with them.
- V arrives at most two levels after the parity of the word.
- No more errors of three bits are miscorrected than with the lightest columns.

The formulas were found by simulated annealing of trees of 8 or 16 leaves: the cost is ``|columns - n|`` plus the ones of
each row above the limit. Sizes without a formula take the lightest columns; for (137,128) none was found that flags as many
errors of three bits.
"""

from collections.abc import Callable
from inspect import signature
from typing import NamedTuple

__all__ = ["FORMULAS", "Formula"]


class Formula(NamedTuple):
    """Formula that chooses the columns of a code.

    Attributes
    ----------
    terms : callable
        Takes the bits of a syndrome, bit 0 first, and returns terms whose OR is V. The bits may be of any type with ``&``
        and ``|``: integers give the columns, signals give the decoder.
    order : tuple of int
        Order of the syndrome's bits in which its minterms share gates with V.
    """

    terms: Callable
    order: tuple

    def names(self, syndrome):
        """Whether the odd integer ``syndrome`` is a column of the code."""
        return not any(self.terms(*(syndrome >> bit & 1 for bit in range(len(self.order)))))


def _13_8(a, b, c, d, e):
    return [(a | b) & (d & e)]


def _22_16(a, b, c, d, e, f):
    return [(a | c) & (b & d), (a | e) & (c & f)]


def _39_32(b, d, g, f, e, a, c):
    return [(d & e) & ((f | g) & (b | c)), a & (b & c), (d | e) & (f & g)]


def _72_64(a, b, c, d, e, f, g, h):
    return [((a & b) | (c & d)) & (g | h), (e & f) & (g | h)]


def _270_260(b, f, g, a, j, e, h, c, i, d):
    return [((e | c) | (g & j)) & ((h & d) | (i & f)), (g | j) & (a & b)]


def _formula(terms, order):
    rows = list(signature(terms).parameters)
    return Formula(terms, tuple(map(rows.index, order)))


#: Formulas by ``(n, k)`` of their code.
FORMULAS = {
    (13, 8): _formula(_13_8, "abcde"),
    (22, 16): _formula(_22_16, "abcdef"),
    (39, 32): _formula(_39_32, "abcdefg"),
    (72, 64): _formula(_72_64, "abcdefgh"),
    (270, 260): _formula(_270_260, "hdcifabegj"),
}
