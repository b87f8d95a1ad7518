"""Parameters of a Reed-Solomon code. No Amaranth."""

from dataclasses import dataclass
from functools import cached_property

from dsnswitch.hdl.gf.field import Field

__all__ = ["NAMED", "ReedSolomonCode"]


@dataclass(frozen=True)
class ReedSolomonCode:
    """Reed-Solomon code with codewords of ``n`` symbols, ``k`` of them data. It corrects up to ``(n - k) // 2`` wrong symbols.

    The generator is ``(x - alpha**b) (x - alpha**(b+1)) ...`` with n - k factors; b is the first root. A word is a sequence
    of n symbols in the order of transmission: data first, then parity. Symbol i is the coefficient of ``x**(n - 1 - i)``.
    With n below 2**m - 1 the code is shortened: the symbols that are not sent are 0.

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer, or is out of range.
    """

    n: int
    k: int
    field: Field
    first_root: int = 0

    def __post_init__(self):
        for name in ("n", "k", "first_root"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"Reed-Solomon {name} must be an integer, not {value!r}")
        if not 3 <= self.n <= self.field.order:
            raise ValueError(
                f"Reed-Solomon n must be in 3..{self.field.order} over GF(2**{self.field.m}), not {self.n}"
            )
        if not 1 <= self.k <= self.n - 2:
            raise ValueError(f"Reed-Solomon k must be in 1..{self.n - 2}, not {self.k}")
        if not 0 <= self.first_root < self.field.order:
            raise ValueError(f"Reed-Solomon first root must be in 0..{self.field.order - 1}, not {self.first_root}")

    @property
    def parity(self):
        """Number of parity symbols."""
        return self.n - self.k

    @property
    def t(self):
        """Greatest number of wrong symbols that the code corrects."""
        return self.parity // 2

    @cached_property
    def roots(self):
        """Roots of the generator."""
        return tuple(self.field.power(self.first_root + i) for i in range(self.parity))

    @cached_property
    def generator(self):
        """Coefficients of the generator, from the constant up; the last is 1."""
        coefficients = [1]
        for root in self.roots:
            shifted, scaled = [0, *coefficients], [self.field.multiply(root, c) for c in coefficients] + [0]
            coefficients = [a ^ b for a, b in zip(shifted, scaled)]
        return tuple(coefficients)


_GF10, _GF8, _GF3 = Field(10, 0x409), Field(8, 0x11D), Field(3, 0xB)

#: Codes by name: those of IEEE 802.3 Clause 91 (the first two), of D Table 5.1, and one small enough for exhaustive tests.
NAMED = {
    "rs-528-514": ReedSolomonCode(528, 514, _GF10),
    "rs-544-514": ReedSolomonCode(544, 514, _GF10),
    "rs-255-239": ReedSolomonCode(255, 239, _GF8),
    "rs-7-3": ReedSolomonCode(7, 3, _GF3),
}
