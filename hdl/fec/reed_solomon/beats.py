"""Codewords in beats of W symbols, and the linear maps of a beat. No Amaranth."""

from dataclasses import dataclass

from ...gf import matrix
from .parameters import ReedSolomonCode

__all__ = ["Beats"]


@dataclass(frozen=True)
class Beats:
    """A codeword sent in beats of ``width`` symbols, symbol 0 of a beat first.

    If ``width`` does not divide n, the last beat ends in symbols that are not sent. To the hardware a codeword so has
    ``count * width`` symbols, the last of them 0, each an exponent further up than its place says.

    Raises
    ------
    TypeError, ValueError
        If the width is not an integer, or out of range.
    """

    code: ReedSolomonCode
    width: int

    def __post_init__(self):
        if not isinstance(self.width, int) or isinstance(self.width, bool):
            raise TypeError(f"Symbols a beat must be an integer, not {self.width!r}")
        if not 1 <= self.width <= self.code.n:
            raise ValueError(f"Symbols a beat must be in 1..{self.code.n}, not {self.width}")

    @property
    def count(self):
        """Beats of a codeword."""
        return -(-self.code.n // self.width)

    @property
    def pad(self):
        """Symbols of the last beat that are not sent."""
        return self.count * self.width - self.code.n

    @property
    def bits(self):
        """Bits of a beat."""
        return self.width * self.code.field.m

    def map(self, constants):
        """The linear map of symbols to symbols with the table ``constants``: a list of factors for each symbol put out.

        None for a factor means that the symbol does not take part.
        """
        field = self.code.field
        rows = []
        for factors in constants:
            total = [0] * field.m
            for place, factor in enumerate(factors):
                if factor is not None:
                    for bit, row in enumerate(matrix.constant(field, factor)):
                        total[bit] |= row << field.m * place
            rows += total
        return tuple(rows)

    def parity_map(self):
        """A beat, the sum of data and of the remainder's highest symbols, to its share of the remainder behind it.

        Of the remainder its constant is the lowest symbol.
        """
        code, field = self.code, self.code.field
        remainder = [1] + [0] * (code.parity - 1)
        found = []
        for power in range(code.parity + self.width):
            if power >= code.parity:
                found.append(list(remainder))
            top = remainder[-1]
            remainder = [a ^ field.multiply(top, g) for a, g in zip([0, *remainder[:-1]], code.generator)]
        # The first symbol of a beat has the highest power.
        return self.map(zip(*reversed(found)))

    def syndrome_map(self):
        """A beat to its share of the n - k syndromes."""
        field, code = self.code.field, self.code
        exponents = range(self.width - 1, -1, -1)
        return self.map(
            [[field.power((code.first_root + j) * exponent) for exponent in exponents] for j in range(code.parity)]
        )

    def syndrome_factors(self):
        """By what each syndrome is multiplied when another beat comes."""
        return [self.code.field.power((self.code.first_root + j) * self.width) for j in range(self.code.parity)]

    def exponents(self):
        """Powers of 1/X with which coefficients of the locator, t + 1 of them, and of the evaluator, t, enter.

        The evaluator's powers are those of RiBM's high part, divided by X**(n - k) and by X**b for the first root b. With
        these, Forney's formula needs neither derivative nor scale.
        """
        code = self.code
        return [*range(code.t + 1), *(j + code.parity + code.first_root for j in range(code.t))]
