"""Finite fields GF(2**m). An element is an integer: bit i is the coefficient of x**i. No Amaranth."""

from dataclasses import dataclass
from functools import cached_property

__all__ = ["Field"]


@dataclass(frozen=True)
class Field:
    """The field GF(2**m) that a primitive polynomial defines; its root alpha is x, the integer 2.

    Parameters
    ----------
    m : int
        Bits of an element, 2 to 16.
    polynomial : int
        The polynomial with its highest term: bit m is set.

    Raises
    ------
    ValueError
        If m is out of range, the degree is not m, or the polynomial is not primitive.
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
        # The powers of a root of x**2 are 1, 2 and 0: three different values, so their number alone does not exclude 0.
        if 0 in self.powers or len(set(self.powers)) != self.order:
            raise ValueError(f"Polynomial of GF(2**{self.m}) must be primitive, not {self.polynomial:#x}")

    @property
    def order(self):
        """Number of elements that are not 0."""
        return (1 << self.m) - 1

    @cached_property
    def powers(self):
        """alpha**0, alpha**1, ... alpha**(order - 1): every element but 0."""
        powers, value = [], 1
        for _ in range(self.order):
            powers.append(value)
            value <<= 1
            if value >> self.m:
                value ^= self.polynomial
        return tuple(powers)

    @cached_property
    def logs(self):
        """Discrete logarithm of each element; None for 0."""
        logs = [None] * (1 << self.m)
        for exponent, value in enumerate(self.powers):
            logs[value] = exponent
        return tuple(logs)

    def power(self, exponent):
        """alpha**exponent; the exponent may be negative."""
        return self.powers[exponent % self.order]

    def multiply(self, a, b):
        """Product of two elements."""
        return self.power(self.logs[a] + self.logs[b]) if a and b else 0

    def divide(self, a, b):
        """Quotient ``a / b``.

        Raises
        ------
        ZeroDivisionError
            If ``b`` is 0.
        """
        if not b:
            raise ZeroDivisionError(f"division by 0 in GF(2**{self.m})")
        return self.power(self.logs[a] - self.logs[b]) if a else 0

    def evaluate(self, polynomial, x):
        """Value at ``x`` of a polynomial, given by its coefficients from the constant up."""
        value = 0
        for coefficient in reversed(polynomial):
            value = self.multiply(value, x) ^ coefficient
        return value
