"""Division in GF(2**m), in two steps that a register can separate."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic.inverse import Inverse, Norm
from dsnswitch.hdl.arithmetic.linear import linear
from dsnswitch.hdl.arithmetic.multiplier import Multiplier
from dsnswitch.hdl.gf import matrix
from dsnswitch.hdl.gf.field import Field
from dsnswitch.hdl.gf.tower import tower

__all__ = ["Quotient"]


class Quotient(wiring.Component):
    """``numerator / denominator``; 0 if the denominator is 0. One quotient per cycle.

    For even m the operands are pairs (:mod:`dsnswitch.hdl.gf.tower`). The first step multiplies the numerator by the conjugate of
    the denominator and, in parallel, inverts the norm of the denominator; the second step multiplies the two. Pairs as operands
    cost nothing where a linear map computes the operands, because that map absorbs the change of basis.

    Parameters
    ----------
    field : Field
        The field.
    register : bool
        Put a register between the two steps: latency 1 cycle, else 0.

    Attributes
    ----------
    into : tuple of int
        Map (:mod:`dsnswitch.hdl.gf.matrix`) from an element to the form of the operands.

    Members
    -------
    numerator, denominator : In(m)
        The operands, mapped by ``into``.
    enable : In(1)
        The register takes new values; only with ``register``.
    o : Out(m)
        The quotient, an element.
    """

    def __init__(self, field: Field, register=False):
        self._field, self._register = field, register
        self.into = self.basis(field)
        ports = {"numerator": In(field.m), "denominator": In(field.m), "o": Out(field.m)}
        super().__init__(ports | ({"enable": In(1)} if register else {}))

    @staticmethod
    def basis(field: Field):
        """The map :attr:`into` for ``field``."""
        paired = field.m % 2 == 0 and field.m > 2
        return tower(field).into if paired else matrix.constant(field, 1)

    @property
    def latency(self):
        """Cycles from the operands to the quotient."""
        return int(self._register)

    def elaborate(self, platform):
        m = Module()
        if self._field.m % 2 or self._field.m == 2:
            self._plain(m)
        else:
            self._paired(m)
        return m

    def _held(self, m, value, name):
        """``value`` of the first step for the second step: registered if there is a register."""
        if not self._register:
            return value
        held = Signal(len(value), name=name, reset_less=True)
        with m.If(self.enable):
            m.d.sync += held.eq(value)
        return held

    def _plain(self, m):
        m.submodules.inverse = inverse = Inverse(self._field)
        m.submodules.product = product = Multiplier(self._field)
        m.d.comb += [
            inverse.i.eq(self.denominator),
            product.a[0].eq(self._held(m, self.numerator, "held_numerator")),
            product.b[0].eq(self._held(m, inverse.o, "held_inverse")),
            self.o.eq(product.o),
        ]

    def _paired(self, m):
        made = tower(self._field)
        half, s = made.half, made.half.m
        high, low = self.denominator[s:], self.denominator[:s]
        above, below = self.numerator[s:], self.numerator[:s]
        m.submodules.norm = norm = Norm(self._field)
        m.submodules.inverse = inverse = Inverse(half)
        m.d.comb += [norm.high.eq(high), norm.low.eq(low), inverse.i.eq(norm.o)]
        # Times the conjugate, high * theta + (high + low), by three products.
        products = {
            "highs": (above, high),
            "lows": (below, high ^ low),
            "sums": (above ^ below, low),
        }
        for name, (a, b) in products.items():
            m.submodules[f"{name}_product"] = product = Multiplier(half)
            m.d.comb += [product.a[0].eq(a), product.b[0].eq(b)]
            products[name] = product.o
        scaled = linear(m, matrix.constant(half, made.nu), products["highs"], "scaled")
        conjugated = Signal(2 * s)
        m.d.comb += conjugated.eq(Cat(products["lows"] ^ scaled, products["sums"] ^ products["lows"]))
        conjugated = self._held(m, conjugated, "held_product")
        inverted = self._held(m, inverse.o, "held_inverse")
        parts = []
        for name, part in (("low", conjugated[:s]), ("high", conjugated[s:])):
            m.submodules[f"{name}_product"] = product = Multiplier(half)
            m.d.comb += [product.a[0].eq(inverted), product.b[0].eq(part)]
            parts.append(product.o)
        m.d.comb += self.o.eq(linear(m, made.back, Cat(parts), "back"))
