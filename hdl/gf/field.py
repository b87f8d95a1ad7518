"""Finite fields GF(2**m). An element is an integer: bit i is the coefficient of x**i. No Amaranth."""

from dataclasses import dataclass
from functools import cache, cached_property

from dsnswitch.net.checks import integer


@dataclass(frozen=True)
class Field:
    """The field GF(2**m) that a primitive polynomial defines; its root alpha is x, the integer 2.

    Parameters
    ----------
    m : int
        Bits of an element, 2 to 16.
    polynomial : int
        The polynomial with its highest term: bit m is set.

    Raises ValueError if m is out of range, the degree is not m, or the polynomial is not primitive.
    """

    m: int
    polynomial: int

    def __post_init__(self):
        integer("Field m", self.m, 2, 16)
        integer("Field polynomial", self.polynomial, 0, (1 << 17) - 1)
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
        """Quotient ``a / b``. Raises ZeroDivisionError if ``b`` is 0."""
        if not b:
            raise ZeroDivisionError(f"division by 0 in GF(2**{self.m})")
        return self.power(self.logs[a] - self.logs[b]) if a else 0

    def evaluate(self, polynomial, x):
        """Value at ``x`` of a polynomial, given by its coefficients from the constant up."""
        value = 0
        for coefficient in reversed(polynomial):
            value = self.multiply(value, x) ^ coefficient
        return value


def from_columns(columns, height):
    """The map that sends input i to the integer ``columns[i]`` of ``height`` bits."""
    return tuple(sum((column >> row & 1) << index for index, column in enumerate(columns)) for row in range(height))


def apply(rows, value):
    """Image of the integer ``value``."""
    return sum(((row & value).bit_count() & 1) << index for index, row in enumerate(rows))


def compose(rows, first):
    """The map ``rows`` applied after the map ``first``."""
    result = []
    for row in rows:
        total = 0
        for index, inner in enumerate(first):
            total ^= inner * (row >> index & 1)
        result.append(total)
    return tuple(result)


def inverse(rows):
    """The inverse of a square map, by Gauss-Jordan elimination. Raises ValueError if the map has no inverse."""
    size = len(rows)
    work = [row | 1 << size + index for index, row in enumerate(rows)]
    for column in range(size):
        pivot = next((r for r in range(column, size) if work[r] >> column & 1), None)
        if pivot is None:
            raise ValueError(f"A map of {size} bits has no inverse: {rows}")
        work[column], work[pivot] = work[pivot], work[column]
        for row in range(size):
            if row != column and work[row] >> column & 1:
                work[row] ^= work[column]
    return tuple(row >> size for row in work)


def constant(field: Field, factor):
    """The map that multiplies an element by the constant ``factor``."""
    return from_columns([field.multiply(1 << bit, factor) for bit in range(field.m)], field.m)


def square(field: Field):
    """The map that squares an element (squaring is linear in characteristic 2)."""
    return from_columns([field.multiply(1 << bit, 1 << bit) for bit in range(field.m)], field.m)


@dataclass(frozen=True)
class Tower:
    """A field and its representation by pairs of elements of a smaller field, which makes multipliers and inverses small.

    Bits 0..s-1 of a pair are the low element, bits s..2s-1 the high element. The pair is ``high * y + low``.

    Attributes
    ----------
    - field: GF(2**(2s)).
    - half: GF(2**s).
    - nu: Constant of the polynomial ``y**2 + y + nu``, an element of ``half``.
    - into, back: Maps (rows, as in :func:`apply`) from an element to its pair, and from a pair to its element.
    """

    field: Field
    half: Field
    nu: int
    into: tuple
    back: tuple


@cache
def tower(field: Field):
    """The :class:`Tower` of a field of even m. Of all choices it has the fewest XORs in the map ``back`` and in products with nu.

    Raises ValueError if m is odd, or less than 4.
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
            back = from_columns(basis + [field.multiply(theta, b) for b in basis], field.m)
            cost = sum(row.bit_count() for row in (*back, *constant(half, nu)))
            if best is None or cost < best[0]:
                best = cost, Tower(field, half, nu, inverse(back), back)
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
