"""The solver of the key equation alone, on Amaranth's simulator: syndromes with one value that is not 0.

The shortest register that gives i zeros and then another value has length i + 1 (Massey 1969). If that is more than t, no
word within t symbols of a codeword has these syndromes. Received words rarely have such syndromes.
"""

import pytest

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, ReedSolomonCode
from dsnswitch.hdl.fec.reed_solomon.decoding_steps import KeyEquation
from dsnswitch.hdl.gf.field import Field


@pytest.mark.parametrize(
    ("code", "unroll"),
    [(NAMED["rs-7-3"], 1), (ReedSolomonCode(30, 25, Field(5, 0x25)), 2), (ReedSolomonCode(40, 30, Field(6, 0x5B), 3), 3)],
    ids=["rs-7-3", "odd", "other"],
)
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
