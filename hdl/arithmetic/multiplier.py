"""Products of two variables, and sums of them."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..gf import Field, matrix
from .linear import linear

__all__ = ["Multiplier"]


class Multiplier(wiring.Component):
    """Sum of products: ``a_0 * b_0 + a_1 * b_1 + ..``. Combinational, latency 0 cycles.

    After Mastrovito: the multiples ``a * x**j`` first, which are few XORs for a sparse polynomial, then for each bit of the
    result one tree over all products of bits. Two-input levels: those of the multiples, 1, ``ceil(log2(m * terms))``.

    Parameters
    ----------
    field : Field
    terms : int
        Products to add.

    Members
    -------
    a_0, b_0, a_1, b_1, .. : In(m)
    o : Out(m)
    """

    def __init__(self, field: Field, terms=1):
        if terms < 1:
            raise ValueError(f"Multiplier terms must be at least 1, not {terms}")
        self._field, self._terms = field, terms
        ports = {f"{name}_{term}": In(field.m) for term in range(terms) for name in "ab"}
        super().__init__(ports | {"o": Out(field.m)})

    def elaborate(self, platform):
        m = Module()
        size, field = self._field.m, self._field
        multiples = [row for j in range(size) for row in matrix.constant(field, field.power(j))]
        bits = [[] for _ in range(size)]
        for term in range(self._terms):
            a, b = getattr(self, f"a_{term}"), getattr(self, f"b_{term}")
            found = linear(m, multiples, a, f"multiple_{term}")
            for place in range(size):
                bits[place].append(Cat(found[size * j + place] for j in range(size)) & b)
        m.d.comb += [self.o[place].eq(Cat(products).xor()) for place, products in enumerate(bits)]
        return m
