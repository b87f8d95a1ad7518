"""Inversion in GF(2**m)."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic.linear import linear
from dsnswitch.hdl.arithmetic.multiplier import Multiplier
from dsnswitch.hdl.gf import matrix
from dsnswitch.hdl.gf.field import Field
from dsnswitch.hdl.gf.tower import tower
from dsnswitch.hdl.logic.decoders import Lookup

__all__ = ["Inverse", "Norm"]

#: Greatest m of a field whose inverses are a table.
TABLE = 5


class Norm(wiring.Component):
    """Norm of a pair (:mod:`dsnswitch.hdl.gf.tower`): ``low * (low + high) + nu * high**2``. Combinational.

    Members
    -------
    high, low : In(s)
        The pair.
    o : Out(s)
        Its norm.
    """

    def __init__(self, field: Field):
        self._tower = tower(field)
        s = self._tower.half.m
        super().__init__({"high": In(s), "low": In(s), "o": Out(s)})

    def elaborate(self, platform):
        m = Module()
        half = self._tower.half
        m.submodules.product = product = Multiplier(half)
        scaled = matrix.compose(matrix.constant(half, self._tower.nu), matrix.square(half))
        m.d.comb += [
            product.a[0].eq(self.low),
            product.b[0].eq(self.low ^ self.high),
            self.o.eq(product.o ^ linear(m, scaled, self.high, "scaled")),
        ]
        return m


class Inverse(wiring.Component):
    """``1 / i``, and 0 for 0. Combinational, latency 0 cycles.

    Small fields have a table. For even m an element is a pair over the field of half the size; the inverse of its norm is
    computed in the same way. For odd m the inverse is the power 2**m - 2 (Itoh and Tsujii 1988), which takes more levels.

    Members
    -------
    i : In(m)
        An element.
    o : Out(m)
        Its inverse.
    """

    def __init__(self, field: Field):
        self._field = field
        super().__init__({"i": In(field.m), "o": Out(field.m)})

    def elaborate(self, platform):
        m = Module()
        if self._field.m <= TABLE:
            self._table(m)
        elif self._field.m % 2:
            self._power(m)
        else:
            self._pair(m)
        return m

    def _table(self, m):
        field = self._field
        table = {value: field.divide(1, value) for value in range(1, field.order + 1)}
        m.submodules.inverses = inverses = Lookup(table, field.m, field.m)
        m.d.comb += [inverses.value.eq(self.i), self.o.eq(inverses.result)]

    def _pair(self, m):
        made = tower(self._field)
        s = made.half.m
        pair = Signal(2 * s)
        m.d.comb += pair.eq(linear(m, made.into, self.i, "into"))
        high, low = pair[s:], pair[:s]
        m.submodules.norm = norm = Norm(self._field)
        m.submodules.inverse = inverse = Inverse(made.half)
        m.submodules.high_product = upper = Multiplier(made.half)
        m.submodules.low_product = lower = Multiplier(made.half)
        m.d.comb += [
            norm.high.eq(high),
            norm.low.eq(low),
            inverse.i.eq(norm.o),
            upper.a[0].eq(inverse.o),
            upper.b[0].eq(high),
            lower.a[0].eq(inverse.o),
            lower.b[0].eq(high ^ low),
            self.o.eq(linear(m, made.back, Cat(lower.o, upper.o), "back")),
        ]

    def _power(self, m):
        field = self._field
        square = matrix.square(field)

        def raised(value, times, name):
            """``value**(2**times)``."""
            rows = matrix.from_columns([1 << bit for bit in range(field.m)], field.m)
            for _ in range(times):
                rows = matrix.compose(square, rows)
            return linear(m, rows, value, name)

        known = {1: self.i}

        def ones(count):
            """``i**(2**count - 1)``."""
            if count in known:
                return known[count]
            first, second = ones(count // 2), ones(count - count // 2)
            m.submodules[f"product_{count}"] = product = Multiplier(field)
            m.d.comb += [
                product.a[0].eq(raised(first, count - count // 2, f"raised_{count}")),
                product.b[0].eq(second),
            ]
            known[count] = product.o
            return product.o

        m.d.comb += self.o.eq(raised(ones(field.m - 1), 1, "last"))
