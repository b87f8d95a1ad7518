"""Tower fields: GF(2**(2s)) as pairs of elements of GF(2**s), which makes multipliers and inverses small. No Amaranth.

An element is ``high * theta + low``, where theta is a root of ``y**2 + y + nu``. Its conjugate is
``high * theta + (high + low)``. Its norm, the product of the element and its conjugate, is an element of GF(2**s):

    norm = low * (low + high) + nu * high**2

The inverse of an element is its conjugate divided by its norm, so that only the norm has to be inverted, in GF(2**s).
"""

from dataclasses import dataclass
from functools import cache

from dsnswitch.hdl.gf import matrix
from dsnswitch.hdl.gf.field import Field

__all__ = ["Tower", "tower"]


@dataclass(frozen=True)
class Tower:
    """A field and its representation by pairs. Bits 0..s-1 of a pair are the low element, bits s..2s-1 the high element.

    Attributes
    ----------
    field : Field
        GF(2**(2s)).
    half : Field
        GF(2**s).
    nu : int
        Constant of the polynomial ``y**2 + y + nu``, an element of ``half``.
    into, back : tuple of int
        Maps (:mod:`matrix`) from an element to its pair, and from a pair to its element.
    """

    field: Field
    half: Field
    nu: int
    into: tuple
    back: tuple

    def split(self, element):
        """``(high, low)`` of an element."""
        pair = matrix.apply(self.into, element)
        return pair >> self.half.m, pair & self.half.order

    def join(self, high, low):
        """The element of the pair ``(high, low)``."""
        return matrix.apply(self.back, high << self.half.m | low)

    def norm(self, high, low):
        """Norm of a pair, an element of ``half``."""
        half = self.half
        return half.multiply(low, low ^ high) ^ half.multiply(self.nu, half.multiply(high, high))

    def multiply(self, a, b):
        """Product of two pairs, each ``(high, low)``."""
        half = self.half
        both, lows = half.multiply(a[0], b[0]), half.multiply(a[1], b[1])
        return half.multiply(a[0] ^ a[1], b[0] ^ b[1]) ^ lows, lows ^ half.multiply(self.nu, both)


@cache
def tower(field: Field):
    """The :class:`Tower` of a field of even m. Of all choices it has the fewest XORs in the map ``back`` and in products with nu.

    Raises
    ------
    ValueError
        If m is odd, or less than 4.
    """
    if field.m % 2 or field.m < 4:
        raise ValueError(f"Field m must be even and at least 4 for pairs, not {field.m}")
    s = field.m // 2
    step = field.order // ((1 << s) - 1)
    powers = [field.power(step * exponent) for exponent in range((1 << s) - 1)]
    # Candidates are generators of the subfield; s of them share a polynomial. Only the sparsest polynomials are tried.
    polynomials = {exponent: _polynomial(field, powers, exponent, s) for exponent in range(1, len(powers))}
    known = {exponent: p for exponent, p in polynomials.items() if p is not None}
    least = min(p.bit_count() for p in known.values())
    thetas = [e for e in range(1 << field.m) if e ^ field.power(field.logs[e] << s if e else 0) == 1 and e > 1]
    best = None
    for exponent, polynomial in known.items():
        if polynomial.bit_count() > least:
            continue
        half = Field(s, polynomial)
        basis = [powers[exponent * index % len(powers)] for index in range(s)]
        element = {0: 0} | {powers[exponent * e % len(powers)]: half.power(e) for e in range(half.order)}
        for theta in thetas[:64]:
            nu = element[field.multiply(theta, theta ^ 1)]
            back = matrix.from_columns(basis + [field.multiply(theta, b) for b in basis], field.m)
            cost = sum(row.bit_count() for row in (*back, *matrix.constant(half, nu)))
            if best is None or cost < best[0]:
                best = cost, Tower(field, half, nu, matrix.inverse(back), back)
    return best[1]


def _polynomial(field, powers, exponent, s):
    """Polynomial of degree s over GF(2) with the root ``powers[exponent]``; None if that does not generate the subfield."""
    roots = {exponent * (1 << i) % len(powers) for i in range(s)}
    if len(roots) < s:
        return None
    coefficients = [1]
    for root in roots:
        scaled = [field.multiply(powers[root], c) for c in coefficients]
        coefficients = [a ^ b for a, b in zip([0, *coefficients], [*scaled, 0])]
    polynomial = sum(c << power for power, c in enumerate(coefficients))
    try:
        Field(s, polynomial)
    except ValueError:
        return None
    return polynomial
