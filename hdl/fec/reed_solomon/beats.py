"""Codewords in beats of W symbols, and the linear maps of a beat. No Amaranth."""

from dataclasses import dataclass

from dsnswitch.hdl.fec.reed_solomon.parameters import ReedSolomonCode
from dsnswitch.hdl.gf import matrix

__all__ = ["Beats"]


@dataclass(frozen=True)
class Beats:
    """A codeword sent in beats of ``width`` symbols, symbol 0 of a beat first.

    If ``width`` does not divide n, the last beat ends in padding. The hardware therefore treats a codeword as one of
    ``count * width`` symbols, of which the last :attr:`pad` are 0: symbol i is the coefficient of
    ``x**(count * width - 1 - i)``.

    Raises
    ------
    TypeError, ValueError
        If the width is not an integer, or out of range.
    """

    code: ReedSolomonCode
    width: int

    def __post_init__(self):
        if not isinstance(self.width, int) or isinstance(self.width, bool):
            raise TypeError(f"Symbols per beat must be an integer, not {self.width!r}")
        if not 1 <= self.width <= self.code.n:
            raise ValueError(f"Symbols per beat must be in 1..{self.code.n}, not {self.width}")

    @property
    def count(self):
        """Beats of a codeword."""
        return -(-self.code.n // self.width)

    @property
    def pad(self):
        """Symbols of padding in the last beat."""
        return self.count * self.width - self.code.n

    @property
    def bits(self):
        """Bits of a beat."""
        return self.width * self.code.field.m

    def map(self, constants):
        """The linear map of input symbols to output symbols, each a sum of input symbols times constants.

        Parameters
        ----------
        constants : iterable of sequences
            For each output symbol the factor of each input symbol; None for an input symbol that is not summed.
        """
        field = self.code.field
        rows = []
        for factors in constants:
            total = [0] * field.m
            for symbol, factor in enumerate(factors):
                if factor is not None:
                    for bit, row in enumerate(matrix.constant(field, factor)):
                        total[bit] |= row << field.m * symbol
            rows += total
        return tuple(rows)

    def parity_map(self):
        """The map of a beat to its share of the remainder after the division of that beat.

        The beat is the sum of data symbols and of the highest symbols of the remainder so far. The lowest symbol of a
        remainder is its constant.
        """
        code, field = self.code, self.code.field
        remainder = [1] + [0] * (code.parity - 1)
        remainders = []
        for power in range(code.parity + self.width):
            if power >= code.parity:
                remainders.append(list(remainder))
            top = remainder[-1]
            remainder = [a ^ field.multiply(top, g) for a, g in zip([0, *remainder[:-1]], code.generator)]
        # The first symbol of a beat has the highest power.
        return self.map(zip(*reversed(remainders)))

    def syndrome_map(self):
        """The map of a beat to its share of the n - k syndromes."""
        field, code = self.code.field, self.code
        exponents = range(self.width - 1, -1, -1)
        return self.map(
            [[field.power((code.first_root + j) * exponent) for exponent in exponents] for j in range(code.parity)]
        )

    def syndrome_factors(self):
        """The factor by which each syndrome is multiplied before the share of the next beat is added (Horner's rule)."""
        return [self.code.field.power((self.code.first_root + j) * self.width) for j in range(self.code.parity)]

    def exponents(self):
        """Exponents e of the powers ``X**-e`` by which the coefficients are multiplied at the symbol with locator X.

        The first t + 1 are those of the locator's coefficients, the other t those of the evaluator's. RiBM gives the high
        part of the evaluator, which is ``X**(n - k)`` too large; together with ``X**b``, b the first root, that is part of
        these exponents, so that the quotient needs no further factor.
        """
        code = self.code
        return [*range(code.t + 1), *(j + code.parity + code.first_root for j in range(code.t))]
