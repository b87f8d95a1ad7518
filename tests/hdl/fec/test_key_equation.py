"""The solver of the key equation alone, on Amaranth's simulator: syndromes of words within t, and with one value that is not 0.

The shortest register that gives i zeros and then another value has length i + 1 (Massey 1969). If that is more than t, no
word within t symbols of a codeword has these syndromes. Received words rarely have such syndromes.
"""

import itertools
import random
from functools import reduce
from operator import xor

import pytest

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, ReedSolomonCode
from dsnswitch.hdl.fec.reed_solomon.decoding_steps import KeyEquation, RibmCell
from dsnswitch.hdl.gf.field import Field

CODES = pytest.mark.parametrize(
    ("code", "unroll"),
    [(NAMED["rs-7-3"], 1), (ReedSolomonCode(30, 25, Field(5, 0x25)), 2), (ReedSolomonCode(40, 30, Field(6, 0x5B), 3), 3)],
    ids=["rs-7-3", "odd", "other"],
)


@pytest.mark.parametrize("field", [Field(3, 0xB), Field(5, 0x25), Field(6, 0x5B), Field(8, 0x11D), Field(10, 0x409)], ids=str)
def test_a_cell_adds_two_products(simulate, field):
    unit, rng = RibmCell(field), random.Random(field.m)

    async def bench(ctx):
        for _ in range(60):
            values = {name: rng.randrange(field.order + 1) for name in ("gamma", "above", "discrepancy", "theta")}
            change = rng.randrange(2)
            for name, value in (values | {"change": change}).items():
                ctx.set(getattr(unit, name), value)
            await ctx.delay(1e-9)
            gamma, above, discrepancy, theta = values.values()
            assert ctx.get(unit.delta) == field.multiply(gamma, above) ^ field.multiply(discrepancy, theta)
            assert ctx.get(unit.next_theta) == (above if change else theta)

    simulate(unit, bench)


@CODES
def test_words_within_t(simulate, code, unroll):
    """Locator and evaluator of random errors solve the key equation, and the length is the number of errors."""
    unit, field, size, rng = KeyEquation(code, unroll), code.field, code.field.m, random.Random(code.n)

    async def bench(ctx):
        for _ in range(12):
            places = rng.sample(range(code.n), rng.randint(1, code.t))
            errors = {place: rng.randint(1, field.order) for place in places}
            powers = [
                [field.multiply(value, field.power(place * i)) for place, value in errors.items()] for i in range(code.parity)
            ]
            syndromes = [reduce(xor, terms) for terms in powers]
            ctx.set(unit.syndromes, sum(value << size * i for i, value in enumerate(syndromes)))
            ctx.set(unit.start, 1)
            await ctx.tick()
            ctx.set(unit.start, 0)
            await ctx.tick().until(unit.done)
            locator, evaluator = (
                [value >> size * i & field.order for i in range(code.t + 1)]
                for value in (ctx.get(unit.locator), ctx.get(unit.evaluator))
            )
            # Coefficients n - k and above of the product of locator and syndromes are the evaluator; those below, from the length
            # on, are 0.
            product = [0] * (code.parity + code.t + 1)
            for (i, a), (j, b) in itertools.product(enumerate(locator), enumerate(syndromes)):
                product[i + j] ^= field.multiply(a, b)
            assert locator[len(errors)]
            assert not any(locator[len(errors) + 1 :])
            assert not any(product[len(errors) : code.parity])
            assert product[code.parity :][: code.t] == evaluator[: code.t]
            assert (ctx.get(unit.failed), ctx.get(unit.length)) == (0, len(errors))
            ctx.set(unit.take, 1)
            await ctx.tick()
            ctx.set(unit.take, 0)

    simulate(unit, bench, clocked=True)


@CODES
def test_more_wrong_symbols_than_t_are_a_failure(simulate, code, unroll):
    unit, size = KeyEquation(code, unroll), code.field.m

    async def bench(ctx):
        for place in range(code.parity):
            for value in (1, code.field.order):
                ctx.set(unit.syndromes, value << place * size)
                ctx.set(unit.start, 1)
                assert ctx.get(unit.ready)
                await ctx.tick()
                ctx.set(unit.start, 0)
                for _ in range(-(-code.parity // unroll)):
                    assert not ctx.get(unit.done)
                    await ctx.tick()
                assert ctx.get(unit.done)
                length = place + 1
                assert ctx.get(unit.failed) == (length > code.t), f"{value} in syndrome {place}"
                assert length > code.t or ctx.get(unit.length) == length
                ctx.set(unit.take, 1)
                await ctx.tick()
                ctx.set(unit.take, 0)

    simulate(unit, bench, clocked=True)
