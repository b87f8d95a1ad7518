"""Fields of 2**m elements, an element being an integer: bit i is the coefficient of x**i. No Amaranth."""

from dataclasses import dataclass
from functools import cached_property

__all__ = ["Field"]


@dataclass(frozen=True)
class Field:
    """GF(2**m) by a primitive polynomial, alpha = x = 2.

    Parameters
    ----------
    m : int
        2 to 16.
    polynomial : int
        With its highest term: bit m is set.

    Raises
    ------
    ValueError
        If m is out of range, the degree is not m, or alpha does not run through all elements but 0.
    """

    m: int
    polynomial: int

    def __post_init__(self):
        for name in ("m", "polynomial"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"Field {name} must be an integer, not {value!r}")
        if not 2 <= self.m <= 16:
            raise ValueError(f"Field m must be in 2..16, not {self.m}")
        if self.polynomial.bit_length() - 1 != self.m:
            raise ValueError(f"Polynomial of GF(2**{self.m}) must have degree {self.m}, not {self.polynomial:#x}")
        # Of x**2 two powers and 0 are as many as the elements that are not 0.
        if 0 in self.powers or len(set(self.powers)) != self.order:
            raise ValueError(f"Polynomial of GF(2**{self.m}) must be primitive, not {self.polynomial:#x}")

    @property
    def order(self):
        """Number of elements that are not 0."""
        return (1 << self.m) - 1

    @cached_property
    def powers(self):
        """alpha**0, alpha**1, ... as often as there are elements that are not 0."""
        found, value = [], 1
        for _ in range(self.order):
            found.append(value)
            value <<= 1
            if value >> self.m:
                value ^= self.polynomial
        return tuple(found)

    @cached_property
    def logs(self):
        """Exponent of each element; None of 0."""
        found = [None] * (1 << self.m)
        for exponent, value in enumerate(self.powers):
            found[value] = exponent
        return tuple(found)

    def power(self, exponent):
        """alpha**exponent; the exponent may be negative."""
        return self.powers[exponent % self.order]

    def multiply(self, a, b):
        """Product."""
        return self.power(self.logs[a] + self.logs[b]) if a and b else 0

    def divide(self, a, b):
        """Quotient.

        Raises
        ------
        ZeroDivisionError
            If ``b`` is 0.
        """
        if not b:
            raise ZeroDivisionError(f"division by 0 in GF(2**{self.m})")
        return self.power(self.logs[a] - self.logs[b]) if a else 0

    def evaluate(self, polynomial, x):
        """Value of a polynomial, its coefficients from the constant up."""
        value = 0
        for coefficient in reversed(polynomial):
            value = self.multiply(value, x) ^ coefficient
        return value
