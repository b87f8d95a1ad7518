"""Arithmetic in GF(2**m) as gates: against the definition by SAT, and against plain integers for every element."""

import pytest
from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic import Inverse, Multiplier, Quotient, linear
from dsnswitch.hdl.fec.reed_solomon.decoding_steps import RibmCell
from dsnswitch.hdl.gf import field as matrix
from dsnswitch.hdl.gf.field import Field

GF3, GF4, GF7, GF8, GF10 = Field(3, 0xB), Field(4, 0x13), Field(7, 0x83), Field(8, 0x11D), Field(10, 0x409)


def times(m, field, a, b, name):
    """Product by the definition: shift and add, with a reduction after every shift."""
    total = Const(0, field.m)
    for bit in range(field.m - 1, -1, -1):
        doubled = Signal(field.m, name=f"{name}_{bit}")
        shifted = Cat(Const(0, 1), total)
        m.d.comb += doubled.eq((shifted ^ Mux(total[-1], field.polynomial, 0) ^ Mux(b[bit], a, 0))[: field.m])
        total = doubled
    return total


class Contract(wiring.Component):
    """Output ``broken`` is 1 if a unit violates its docstring. ``wrong`` is added to the expected value."""

    def __init__(self, kind, field, wrong=0):
        self.kind, self.field, self.wrong = kind, field, wrong
        super().__init__({**{name: In(field.m) for name in "abcd"}, "change": In(1), "broken": Out(1)})

    def elaborate(self, platform):
        m = Module()
        getattr(self, self.kind)(m)
        return m

    def multiplier(self, m):
        m.submodules.unit = unit = Multiplier(self.field)
        product = times(m, self.field, self.a, self.b, "defined")
        m.d.comb += [unit.a[0].eq(self.a), unit.b[0].eq(self.b), self.broken.eq((unit.o ^ product ^ self.wrong).any())]

    def inverse(self, m):
        m.submodules.unit = unit = Inverse(self.field)
        product = times(m, self.field, self.a, unit.o, "defined")
        m.d.comb += [unit.i.eq(self.a), self.broken.eq((product ^ self.a.any() ^ self.wrong).any())]

    def quotient(self, m):
        m.submodules.unit = unit = Quotient(self.field)
        for name, value in (("numerator", self.a), ("denominator", self.b)):
            m.d.comb += getattr(unit, name).eq(linear(m, unit.into, value, f"mapped_{name}"))
        product = times(m, self.field, self.b, unit.o, "defined")
        m.d.comb += self.broken.eq((product ^ Mux(self.b.any(), self.a, 0) ^ self.wrong).any())

    def ribm_cell(self, m):
        """``delta' = gamma above + discrepancy theta``, ``theta' = above`` or ``theta`` (Sarwate and Shanbhag 2001).

        The expected products use multipliers, which have a proof of their own, because SAT cannot handle two products at once.
        """
        m.submodules.unit = unit = RibmCell(self.field)
        m.submodules.first = first = Multiplier(self.field)
        m.submodules.second = second = Multiplier(self.field)
        m.d.comb += [first.a[0].eq(self.a), first.b[0].eq(self.b), second.a[0].eq(self.c), second.b[0].eq(self.d)]
        delta = first.o ^ second.o
        theta = Mux(self.change, self.b, self.d)
        m.d.comb += [
            unit.gamma.eq(self.a),
            unit.above.eq(self.b),
            unit.discrepancy.eq(self.c),
            unit.theta.eq(self.d),
            unit.change.eq(self.change),
            self.broken.eq((unit.delta ^ delta ^ self.wrong).any() | (unit.next_theta ^ theta).any()),
        ]


LARGE = pytest.mark.prove


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("multiplier", GF4),
        ("multiplier", GF8),
        ("inverse", GF7),
        ("inverse", GF8),
        ("inverse", GF10),
        ("quotient", GF4),
        ("ribm_cell", GF4),
        ("ribm_cell", GF8),
        ("ribm_cell", GF10),
        pytest.param("multiplier", GF10, marks=LARGE),
        pytest.param("quotient", GF8, marks=LARGE),
    ],
    ids=lambda value: value if isinstance(value, str) else f"m{value.m}",
)
def test_proved(prove, kind, field):
    proved, log = prove(Contract(kind, field), "broken")
    assert proved, log


@pytest.mark.parametrize("kind", ["multiplier", "inverse", "quotient", "ribm_cell"])
def test_a_wrong_definition_is_not_proved(prove, kind):
    proved, log = prove(Contract(kind, GF4, wrong=1), "broken")
    assert not proved
    assert "model found: FAIL" in log


@pytest.mark.parametrize("field", [Field(2, 7), GF3, GF4, GF7, GF8, GF10], ids=lambda field: f"m{field.m}")
def test_every_inverse_and_products(simulate, field):
    """The inverse of every element, and products of every element with some others."""
    m = Module()
    m.submodules.inverse = inverse = Inverse(field)
    m.submodules.multiplier = multiplier = Multiplier(field, 2)

    async def bench(ctx):
        for a in range(field.order + 1):
            b = field.power(3 * a + 1)
            for port, value in zip((*multiplier.a, *multiplier.b), (a, b, b, 1)):
                ctx.set(port, value)
            ctx.set(inverse.i, a)
            assert ctx.get(multiplier.o) == field.multiply(a, b) ^ b
            assert ctx.get(inverse.o) == (field.divide(1, a) if a else 0)

    simulate(m, bench)


@pytest.mark.parametrize("field", [GF3, GF8, GF10], ids=lambda field: f"m{field.m}")
def test_every_quotient(simulate, field):
    """A quotient is linear in the numerator, so single-bit numerators with every denominator cover all quotients."""
    quotient = Quotient(field)

    async def bench(ctx):
        for denominator in range(field.order + 1):
            ctx.set(quotient.denominator, matrix.apply(quotient.into, denominator))
            for bit in range(field.m):
                ctx.set(quotient.numerator, matrix.apply(quotient.into, 1 << bit))
                assert ctx.get(quotient.o) == (field.divide(1 << bit, denominator) if denominator else 0)

    simulate(quotient, bench)


@pytest.mark.parametrize("field", [GF3, GF8], ids=lambda field: f"m{field.m}")
def test_a_registered_quotient_waits(simulate, field):
    """The output keeps its value while the unit is not enabled."""
    quotient = Quotient(field, register=True)
    assert quotient.latency == 1

    async def bench(ctx):
        into = quotient.into
        kept = None
        for step in range(1, 60):
            a, b, enable = field.power(step), field.power(7 * step + 2), step % 3 > 0
            ctx.set(quotient.numerator, matrix.apply(into, a))
            ctx.set(quotient.denominator, matrix.apply(into, b))
            ctx.set(quotient.enable, enable)
            await ctx.tick()
            kept = field.divide(a, b) if enable else kept
            assert ctx.get(quotient.o) == kept

    simulate(quotient, bench, clocked=True)


def test_bad_terms(quiet):
    with pytest.raises(ValueError, match="terms must be at least 1, not 0"):
        quiet(Multiplier)(GF4, 0)
