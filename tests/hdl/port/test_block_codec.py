"""Blocks of the strict and the selected line on Amaranth's simulator: encoder to decoder, and what golden receivers read."""

import random

from amaranth.hdl import Module
from amaranth.lib import wiring

from dsnswitch.hdl.line.block_codec import LIGHT, STRICT, BlockDecoder, BlockEncoder
from dsnswitch.sim.golden.pcs import pcs257, pcs260
from dsnswitch.sim.golden.pcs.mii import ERRORS, type_of
from dsnswitch.sim.golden.pcs.pcs66 import Carry

from .random_blocks import KINDS, blocks, check


class Loop(wiring.Component):
    """Encoder and decoder. ``block`` is the encoder's block."""

    def __init__(self, selected):
        self.encoder, self.decoder = BlockEncoder(selected), BlockDecoder(selected)
        super().__init__({})

    def elaborate(self, platform):
        m = Module()
        m.submodules += [self.encoder, self.decoder]
        encoder, decoder = self.encoder, self.decoder
        m.d.comb += [encoder.o.ready.eq(1), decoder.valid.eq(encoder.o.valid)]
        if hasattr(encoder, "strict"):
            payload = encoder.o.payload
            m.d.comb += [decoder.coded.eq(payload.block), decoder.strict.eq(payload.strict)]
        else:
            m.d.comb += decoder.coded.eq(encoder.o.payload)
        return m


def loops(simulate, selected, count=50):
    """Blocks through encoder and decoder, with gaps and changes of the format; golden receivers find no error in them."""
    loop, rng, carry = Loop(selected), random.Random(2), Carry()
    readers = {1: pcs257.Receiver(carry), 0: pcs260.Receiver("protected", carry)}
    types = set()

    async def bench(ctx):
        strict = 1
        for number, (kind, values) in enumerate(blocks(count)):
            strict = rng.getrandbits(1) if selected else 1
            for name, value in values.items():
                ctx.set(getattr(loop.encoder, name), value)
            if selected:
                ctx.set(loop.encoder.strict, strict)
            for due in (0,) * rng.randrange(2) + (1,):
                ctx.set(loop.encoder.due, due)
                assert ctx.get(loop.encoder.taken) == due
                await ctx.tick()
            assert ctx.get(loop.encoder.o.valid)
            if number:
                # The descrambler needs a block.
                check(loop.decoder, ctx, kind, values)
            payload = ctx.get(loop.encoder.o.payload)
            assert not selected or payload.strict == strict
            words = readers[strict].step(payload.block if selected else payload, **({} if strict else {"fault": False}))
            if number:
                assert ERRORS not in words, (number, kind, words)
                types.add((kind, strict, *map(type_of, words)))

    simulate(loop, bench, clocked=True)
    return types


def test_strict_blocks(simulate):
    found = loops(simulate, False, 25)
    assert {kind for kind, *_ in found} == set(KINDS)


def test_selected_blocks(simulate):
    found = loops(simulate, True)
    # Words have the same types in both formats.
    by_format = [{(kind, *types) for kind, strict, *types in found if strict == one} for one in (0, 1)]
    assert by_format[0] == by_format[1]


def test_constants_by_hand():
    """Types of 64b/66b blocks: terminate in lane 7 is ff, a start in lane 0 is 78, two ordered sets are 55."""
    assert (STRICT.closes >> 4, STRICT.idles >> 4) == (0xFF & 0xF, 0x55 & 0xF)
    assert (STRICT.starts, STRICT.other, STRICT.with_start) == (0x78, 0x55, 0b1100)
    for form in (LIGHT, STRICT):
        assert (form.starts ^ form.other).bit_count() == 4
