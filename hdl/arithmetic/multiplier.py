"""Multipliers in GF(2**m): products of two variables, and sums of such products."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic.linear import linear
from dsnswitch.hdl.gf import matrix
from dsnswitch.hdl.gf.field import Field

__all__ = ["Multiplier"]


class Multiplier(wiring.Component):
    """Sum of products: ``a[0] * b[0] + a[1] * b[1] + ..``. Combinational, latency 0 cycles.

    After Mastrovito: the first step makes the multiples ``a * x**j``, which takes few XORs for a sparse polynomial. The second
    step sums, for each bit of the result, all products of bits in one tree. The depth in two-input gates is that of the
    multiples, plus 1, plus ``ceil(log2(m * terms))``.

    Parameters
    ----------
    field : Field
        The field.
    terms : int
        Number of products to add.

    Members
    -------
    a, b : In(m).array(terms)
        Factors of each product.
    o : Out(m)
        Sum of the products.
    """

    def __init__(self, field: Field, terms=1):
        if terms < 1:
            raise ValueError(f"Multiplier terms must be at least 1, not {terms}")
        self._field = field
        super().__init__({"a": In(field.m).array(terms), "b": In(field.m).array(terms), "o": Out(field.m)})

    def elaborate(self, platform):
        m = Module()
        size, field = self._field.m, self._field
        multiples = [row for j in range(size) for row in matrix.constant(field, field.power(j))]
        bits = [[] for _ in range(size)]
        for term, (a, b) in enumerate(zip(self.a, self.b)):
            shifted = linear(m, multiples, a, f"multiple_{term}")
            for bit in range(size):
                bits[bit].append(Cat(shifted[size * j + bit] for j in range(size)) & b)
        m.d.comb += [self.o[bit].eq(Cat(products).xor()) for bit, products in enumerate(bits)]
        return m
