"""Finite fields of prime-power order as tables, for the constructions of Slim Fly and OFT."""

from itertools import product


def prime_power(q: int) -> tuple[int, int] | None:
    """``(p, m)`` with ``q = p^m`` and p prime; None if q is no prime power."""
    p = next((p for p in range(2, q + 1) if q % p == 0), None)
    m, rest = 0, q
    while p and rest % p == 0:
        m, rest = m + 1, rest // p
    return (p, m) if p and rest == 1 else None


class GaloisField:
    """GF(q). An element is a number in ``0..q-1``, whose digits to base p are the coefficients of a polynomial.

    ``powers`` are the powers 0 to q - 2 of a primitive element.
    """

    def __init__(self, q):
        self.q, (self.p, self.m) = q, prime_power(q)
        self._digits = [digits[::-1] for digits in product(range(self.p), repeat=self.m)]
        self.powers = self._primitive_powers()
        self._log = {power: exponent for exponent, power in enumerate(self.powers)}

    def add(self, a: int, b: int) -> int:
        return self._number((one + other) % self.p for one, other in zip(self._digits[a], self._digits[b]))

    def negative(self, a: int) -> int:
        return self._number(-digit % self.p for digit in self._digits[a])

    def multiply(self, a: int, b: int) -> int:
        return self.powers[(self._log[a] + self._log[b]) % (self.q - 1)] if a and b else 0

    def _number(self, digits):
        return sum(digit * self.p**place for place, digit in enumerate(digits))

    def _primitive_powers(self):
        """Powers of the first primitive element: an integer modulo p, or x modulo the first polynomial that makes it one."""
        if self.m == 1:
            candidates = ([pow(g, k, self.p) for k in range(self.p - 1)] for g in range(1, self.p))
        else:
            candidates = (self._of_x(low) for low in product(range(self.p), repeat=self.m))
        return next(found for found in candidates if len(set(found)) == self.q - 1 and 0 not in found)

    def _of_x(self, low):
        """Powers of x modulo the polynomial ``x^m + low``."""
        found, here = [], (1, *(0,) * (self.m - 1))
        for _ in range(self.q - 1):
            found.append(self._number(here))
            top = here[-1]
            here = tuple((digit - top * term) % self.p for digit, term in zip((0, *here[:-1]), low))
        return found
