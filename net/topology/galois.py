"""Finite fields of prime-power order as tables, for the constructions of Slim Fly and OFT."""

from itertools import product

import numpy as np


def prime_power(q):
    """``(p, m)`` with ``q = p^m`` and p prime; None if q is no prime power."""
    p = next((p for p in range(2, q + 1) if q % p == 0), None)
    m, rest = 0, q
    while p and rest % p == 0:
        m, rest = m + 1, rest // p
    return (p, m) if p and rest == 1 else None


class GaloisField:
    """GF(q). An element is a number in ``0..q-1``, whose digits to base p are the coefficients of a polynomial.

    Attributes
    ----------
    powers : array (q - 1,)
        Powers 0, 1, .. of a primitive element.
    add, multiply : arrays (q, q)
    negative : array (q,)
    """

    def __init__(self, q):
        self.q, (self.p, self.m) = q, prime_power(q)
        digits = np.array(list(product(range(self.p), repeat=self.m)))[:, ::-1].reshape(q, self.m)
        place = self.p ** np.arange(self.m)
        self.add = ((digits[:, None] + digits) % self.p) @ place
        self.negative = (-digits % self.p) @ place
        self.powers = self._primitive_powers()
        log = np.zeros(q, np.int64)
        log[self.powers] = np.arange(q - 1)
        self.multiply = self.powers[(log[:, None] + log) % (q - 1)]
        self.multiply[0] = self.multiply[:, 0] = 0

    def _primitive_powers(self):
        """Powers of the first primitive element: an integer modulo p, or x modulo the first polynomial that makes it one."""
        if self.m == 1:
            candidates = ([pow(g, k, self.p) for k in range(self.p - 1)] for g in range(1, self.p))
        else:
            candidates = (self._of_x(low) for low in product(range(self.p), repeat=self.m))
        return np.array(next(found for found in candidates if len(set(found)) == self.q - 1))

    def _of_x(self, low):
        """Powers of x modulo the polynomial ``x^m + low``."""
        found, here = [], (1, *(0,) * (self.m - 1))
        for _ in range(self.q - 1):
            found.append(sum(digit * self.p**index for index, digit in enumerate(here)))
            top = here[-1]
            here = tuple((digit - top * term) % self.p for digit, term in zip((0, *here[:-1]), low))
        return found if 0 not in found else [0]
