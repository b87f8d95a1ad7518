"""Blocks of the strict and the selected line: encoder and decoder alone, and in a loop that golden receivers read."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from dsnswitch.hdl.line.block_codec import LIGHT, STRICT, BlockDecoder, BlockEncoder
from dsnswitch.hdl.line.line_format import SENT_BLOCK
from dsnswitch.sim.golden.pcs import pcs257, pcs260
from dsnswitch.sim.golden.pcs.mii import ERRORS, type_of
from dsnswitch.sim.golden.pcs.pcs66 import Carry

from .random_blocks import KINDS, blocks, check

BODY = (1 << 256) - 1


def sent_body(form, values):
    """The body of a block, not scrambled, in the order of the line."""
    form_of = [form.closes if values["frame_open"] else form.idles, form.starts if values["starts"] else form.other]
    form_of = [form_of[0] ^ (form.with_start if values["starts"] else 0), form_of[1], form.other, form.other]
    octets = (values["link_word"] | values["details"] << 48).to_bytes(24, "little")
    control = [part for word in range(4) for part in (form_of[word], form.both_signal, *octets[6 * word : 6 * word + 6])]
    flit = (values["flit"] << 72 | values["flit"] >> 184) & BODY
    of_data = list(flit.to_bytes(32, "little"))
    body = (of_data if values["is_data"] else control)[:9] + (of_data if values["carries"] else control)[9:]
    return int.from_bytes(bytes(body[8 * word + place] for word in range(4) for place in form.order), "little")


def sent_block(strict, values, line):
    """The block on the line. ``line`` has the 58 scrambled bits before it, the latest last, and gets those of this block."""
    body = sent_body(STRICT if strict else LIGHT, values)
    for place in range(256):
        line.append(body >> place & 1 ^ line[-39] ^ line[-58])
    scrambled = sum(bit << place for place, bit in enumerate(line[-256:]))
    if not strict:
        return (0b1010 if values["is_data"] else 0b0101) | scrambled << 4
    block = int(values["is_data"]) | scrambled << 1
    return block ^ block >> 8 & 31


@pytest.mark.parametrize("selected", [False, True])
def test_encoder_alone(simulate, selected):
    """Any combination of inputs, gaps, and stalls of the line: each block is that of a bit-serial scrambler."""
    unit, rng, line, held = BlockEncoder(selected), random.Random(3), [0] * 58, None

    async def bench(ctx):
        nonlocal held
        for number in range(120):
            values = {name: rng.getrandbits(width) for name, width in SENT_BLOCK.items()}
            for name, value in values.items():
                ctx.set(getattr(unit, name), value)
            strict = rng.getrandbits(1) if selected else 1
            due, ready = rng.random() < 0.7, rng.random() < 0.7
            if selected:
                ctx.set(unit.strict, strict)
            ctx.set(unit.due, due)
            ctx.set(unit.o.ready, ready)
            assert ctx.get(unit.o.valid) == (held is not None)
            if held is not None:
                payload = ctx.get(unit.o.payload)
                assert ((payload.block, payload.strict) if selected else (payload, 1)) == held, number
            taken = due and (ready or held is None)
            assert ctx.get(unit.taken) == taken
            if taken:
                held = (sent_block(strict, values, line), strict)
            elif ready:
                held = None
            await ctx.tick()

    simulate(unit, bench, clocked=True)


@pytest.mark.parametrize("selected", [False, True])
def test_decoder_alone(simulate, selected):
    """Random blocks and gaps: each is read as by a bit-serial descrambler, and so is one that does not arrive."""
    unit, rng, line = BlockDecoder(selected), random.Random(4), 0

    async def bench(ctx):
        nonlocal line
        for number in range(150):
            coded, strict, valid = rng.getrandbits(260), rng.getrandbits(1) if selected else 1, rng.getrandbits(1)
            ctx.set(unit.valid, valid)
            ctx.set(unit.coded, coded)
            if selected:
                ctx.set(unit.strict, strict)
            form, wrong = (STRICT if strict else LIGHT), ((coded ^ 0b1010) & 15).bit_count()
            bits = ((coded ^ coded >> 8 & 31) >> 1 if strict else coded >> 4) & BODY
            after = line | bits << 58
            octets = ((after >> 58 ^ after >> 19 ^ after) & BODY).to_bytes(32, "little")
            plain = bytearray(32)
            for place, octet in enumerate(octets):
                plain[place // 8 * 8 + form.order[place % 8]] = octet
            assert ctx.get(unit.plain) == int.from_bytes(plain, "little"), number
            # At most one of the four bits in which a start and other words differ is wrong.
            assert ctx.get(unit.no_start) == (((plain[8] ^ form.other) & (form.starts ^ form.other)).bit_count() < 2)
            assert ctx.get(unit.bad) == (not strict and wrong == 2)
            if strict or wrong != 2:
                assert ctx.get(unit.is_data) == ((coded ^ coded >> 8) & 1 if strict else wrong < 2)
            if valid:
                line = after >> 256
            await ctx.tick()

    simulate(unit, bench, clocked=True)


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
