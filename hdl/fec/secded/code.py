"""Parameters of a SECDED code with odd-weight columns (Hsiao 1970). No Amaranth."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from itertools import combinations
from typing import NamedTuple

from dsnswitch.net.checks import integer


class Formula(NamedTuple):
    """Formula that chooses the columns of a code.

    Attributes
    ----------
    terms : callable
        Takes the bits of a syndrome, bit 0 first, and returns terms whose OR is V. The bits may be of any type with ``&`` and
        ``|``: integers give the columns, signals give the decoder.
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


def _270_260(*rows):
    b, f, g, a, j, e, h, c, i, d = rows
    return [((e | c) | (g & j)) & ((h & d) | (i & f)), (g | j) & (a & b)]


def _formula(terms, order, rows=None):
    rows = list(rows or signature(terms).parameters)
    return Formula(terms, tuple(map(rows.index, order)))


#: Formulas by ``(n, k)`` of their code.
FORMULAS = {
    (13, 8): _formula(_13_8, "abcde"),
    (22, 16): _formula(_22_16, "abcdef"),
    (39, 32): _formula(_39_32, "abcdefg"),
    (72, 64): _formula(_72_64, "abcdefgh"),
    (270, 260): _formula(_270_260, "hdcifabegj", "bfgajehcid"),
}


#: Largest number of data bits.
MAX_K = 1024

#: Forms of the output ``position`` of a decoder.
POSITIONS = ("none", "onehot", "binary")

#: Codes of baselines: odd-weight columns with balanced rows (Hsiao 1970), or a Hamming code with a parity bit over everything.
CONSTRUCTIONS = ("hsiao", "hamming")


@dataclass(frozen=True)
class SecdedCode:
    """SECDED code: corrects one wrong bit and detects two, in codewords of ``n`` bits with ``k`` data bits.

    A codeword is an integer: bits 0..k-1 are the data, bits k..n-1 the check bits. ``columns[i]`` is the syndrome of an
    error in bit i; for check bit j it is ``1 << j``. All columns are different and of odd weight, so that the syndrome of
    two errors is even and not 0.

    The choice of columns decides the cost of the decoder. Sizes in :data:`FORMULAS` take the columns that their
    formula allows. Other sizes take the lightest columns of weight 3 and up, which have the fewest ones. Where a code needs
    only a part of the columns of a weight, it takes those with exactly one of rows 0 and 1 if their number fits, else
    columns that balance the rows.

    Raises ValueError if ``n - k`` check bits are too few for ``k`` data bits, or k is not in 1..MAX_K.
    """

    n: int
    k: int

    def __post_init__(self):
        integer("SECDED k", self.k, 1, MAX_K)
        integer("SECDED n", self.n, self.k, self.k + 16)
        most = (1 << self.r - 1) - self.r if self.r > 0 else 0
        if most < self.k:
            raise ValueError(f"SECDED({self.n},{self.k}) is impossible: {self.n - self.k} check bits protect {most} bits")

    @property
    def r(self):
        """Number of check bits."""
        return self.n - self.k

    @cached_property
    def columns(self):
        """Syndrome of an error in each bit of the codeword."""
        data = self._lightest() if self.formula is None else self._by_formula()
        return (*data, *(1 << row for row in range(self.r)))

    @property
    def formula(self):
        """The :class:`Formula` that chooses the columns, or None."""
        return FORMULAS.get((self.n, self.k))

    def _by_formula(self):
        odd = (s for s in range(1 << self.r) if s.bit_count() % 2 and s.bit_count() > 1)
        left = [s for s in odd if self.formula.names(s)]
        return sorted(left, key=lambda column: (column.bit_count(), column))

    def _lightest(self):
        chosen, loads = [], [0] * self.r
        for weight in range(3, self.r + 1, 2):
            rows = list(combinations(range(self.r), weight))
            if len(rows) + len(chosen) > self.k:
                rows = _balanced(rows, self.k - len(chosen), loads)
            for column in rows:
                for row in column:
                    loads[row] += 1
            chosen += rows
            if len(chosen) == self.k:
                break
        return [sum(1 << row for row in column) for column in chosen]

    @property
    def weight(self):
        """Greatest weight of a column."""
        return max(column.bit_count() for column in self.columns)

    @property
    def rows(self):
        """For each check bit the data bits that it sums, as an integer: the data part of the parity check matrix."""
        return tuple(
            sum(1 << bit for bit, column in enumerate(self.columns[: self.k]) if column >> row & 1) for row in range(self.r)
        )


#: Codes by name. The dissertation's is the first.
NAMED = {f"secded-{n}-{k}": SecdedCode(n, k) for n, k in ((270, 260), (72, 64), (39, 32))}


def _balanced(candidates, count, loads):
    """Choose ``count`` of ``candidates`` as :class:`SecdedCode` says; balancing takes the one with the least loaded rows next."""
    one = [column for column in candidates if (0 in column) != (1 in column)]
    if len(one) == count:
        return one
    loads, left, chosen = list(loads), list(candidates), []
    for _ in range(count):
        best = min(left, key=lambda column: (sum(loads[row] for row in column), column))
        left.remove(best)
        chosen.append(best)
        for row in best:
            loads[row] += 1
    return sorted(chosen)


class Decoded(NamedTuple):
    """Result of decoding a word.

    Attributes
    ----------
    - data: Data bits: corrected, or as received if ``uncorrectable``.
    - corrected: One bit of the codeword was wrong.
    - uncorrectable: More than one bit is wrong.
    - position: Index of the corrected bit; None if no bit was corrected.
    """

    data: int
    corrected: bool
    uncorrectable: bool
    position: int | None


def encode(code: SecdedCode, data):
    """Codeword of ``data``. Raises ValueError if ``data`` is not a number of k bits."""
    if not 0 <= data < 1 << code.k:
        raise ValueError(f"SECDED data must have {code.k} bits, not {data.bit_length()}")
    check = sum(((data & row).bit_count() & 1) << j for j, row in enumerate(code.rows))
    return data | check << code.k


def syndrome(code: SecdedCode, word):
    """Syndrome of ``word``: 0 for a codeword."""
    return (encode(code, word & (1 << code.k) - 1) ^ word) >> code.k


def decode(code: SecdedCode, word):
    """Decode ``word``; returns a :class:`Decoded`.

    Every syndrome that is neither 0 nor a column of the code is uncorrectable, whether it is odd or even.
    """
    value = syndrome(code, word)
    data = word & (1 << code.k) - 1
    if value == 0:
        return Decoded(data, False, False, None)
    if value not in code.columns:
        return Decoded(data, False, True, None)
    position = code.columns.index(value)
    return Decoded(data ^ (1 << position) & (1 << code.k) - 1, True, False, position)
