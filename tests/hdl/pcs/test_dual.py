"""Transmitter of both formats, on Amaranth's simulator."""

import random

from dsnswitch.hdl.pcs.dual import DualTx
from dsnswitch.sim.golden.pcs import pcs257, pcs260
from dsnswitch.sim.golden.pcs.framing import random_words
from dsnswitch.sim.golden.pcs.pcs66 import Carry


def test_frames_that_begin_in_one_format_and_end_in_the_other(simulate):
    """The format of every block is random, so blocks that start or end a frame are often the first of their format."""
    dut, rng, carry = DualTx(), random.Random(1), Carry()
    golden = {True: pcs257.Transmitter(carry), False: pcs260.Transmitter("protected", carry)}
    words = random_words(320, rng)

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        for start in range(0, len(words), 4):
            four, strict = words[start : start + 4], rng.random() < 0.5
            ctx.set(dut.i.payload.data, sum(octets << 64 * index for index, (octets, _) in enumerate(four)))
            ctx.set(dut.i.payload.control, sum(control << 8 * index for index, (_, control) in enumerate(four)))
            ctx.set(dut.strict, strict)
            await ctx.tick()
            assert ctx.get(dut.o.valid)
            assert ctx.get(dut.o.payload.strict) == strict
            block = ctx.get(dut.o.payload.block)
            expected = golden[strict].step(four)
            assert block % (1 << 257) == expected if strict else block == expected

    simulate(dut, bench, clocked=True)
