"""The Reed-Solomon encoder at every width, with stalls and a reset inside a codeword, against plain integers."""

import random

import pytest
from amaranth.hdl import ClockDomain, Module

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, Beats, ReedSolomonCode, encode
from dsnswitch.hdl.fec.reed_solomon.encoder import RsEncoder
from dsnswitch.hdl.gf.field import Field

CODES = (
    NAMED["rs-7-3"],
    # Three parity symbols; one data symbol; more parity than data.
    ReedSolomonCode(7, 4, Field(3, 0xB)),
    ReedSolomonCode(6, 1, Field(3, 0xB), 2),
    ReedSolomonCode(12, 2, Field(4, 0x13)),
    ReedSolomonCode(14, 9, Field(4, 0x13)),
)


def codewords(beats, words, rng):
    """Input beats, with random symbols at the positions of parity, and the expected output beats."""
    code, given, wanted = beats.code, [], []
    for _ in range(words):
        sent = [rng.randrange(code.field.order + 1) for _ in range(beats.count * beats.width)]
        coded = [*encode(code, sent[: code.k]), *[0] * beats.pad]
        for symbols, target in ((sent, given), (coded, wanted)):
            for start in range(0, len(symbols), beats.width):
                target.append(sum(s << code.field.m * place for place, s in enumerate(symbols[start : start + beats.width])))
    return given, wanted


async def exchanged(ctx, encoder, items, count, rng):
    """Send ``items`` with stalls on both sides; returns ``count`` output beats."""
    items, found, offered = list(items), [], False
    while len(found) < count:
        offered = bool(items) and (offered or rng.random() < 0.8)
        ready = rng.random() < 0.8
        ctx.set(encoder.i.valid, int(offered))
        ctx.set(encoder.i.payload, items[0] if offered else rng.getrandbits(8))
        ctx.set(encoder.o.ready, int(ready))
        if ready and ctx.get(encoder.o.valid):
            found.append(ctx.get(encoder.o.payload))
        if offered and ctx.get(encoder.i.ready):
            del items[0]
            offered = False
        await ctx.tick()
    ctx.set(encoder.i.valid, 0)
    return found


def check(simulate, code, width, words=3):
    rng, beats = random.Random(width), Beats(code, width)
    m = Module()
    domain = ClockDomain("sync")
    m.domains.sync = domain
    m.submodules.encoder = encoder = RsEncoder(code, width)

    async def bench(ctx):
        # Part of a codeword, which is discarded by a reset.
        for given, wanted in (codewords(beats, 1, rng), codewords(beats, words, rng)):
            part = given if len(given) > beats.count else given[: -(-beats.count // 2)]
            wanted = wanted[: len(part)]
            assert await exchanged(ctx, encoder, part, len(wanted), rng) == wanted
            ctx.set(domain.rst, 1)
            await ctx.tick()
            ctx.set(domain.rst, 0)

    simulate(m, bench, clocked=True)


@pytest.mark.parametrize("code", CODES, ids=lambda code: f"{code.n}-{code.k}")
def test_every_width(simulate, code):
    for width in range(1, code.n + 1):
        check(simulate, code, width)


@pytest.mark.parametrize("width", [1, 16])
def test_rs_255_239(simulate, width):
    check(simulate, NAMED["rs-255-239"], width, 2)
