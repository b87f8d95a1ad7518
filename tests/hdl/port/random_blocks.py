"""Random blocks for tests of the units between blocks and a line."""

import random

from dsnswitch.hdl.line.line_format import FIRST, SENT_BLOCK

__all__ = ["KINDS", "blocks", "check"]

#: Kinds of blocks; of the last two, the second has no start.
KINDS = ("data", "head", "resume", "idle")


def blocks(count, seed=1):
    """Random blocks in an order that frames allow: ``(kind, values of SENT_BLOCK)``."""
    rng, frame_open = random.Random(seed), False
    for _ in range(count):
        kind = rng.choice(KINDS if frame_open else KINDS[1:])
        values = {name: rng.getrandbits(width) for name, width in SENT_BLOCK.items()}
        values |= {
            "is_data": kind == "data",
            "carries": kind in ("data", "head"),
            "frame_open": frame_open,
            "starts": kind in ("head", "resume"),
        }
        frame_open = kind != "idle"
        yield kind, values


def check(decoder, ctx, kind, values):
    """Compare what the decoder gives with the block that was sent."""
    plain, flit = ctx.get(decoder.plain), values["flit"]
    assert ctx.get(decoder.is_data) == (kind == "data")
    low, high = plain & (1 << FIRST) - 1, plain >> FIRST
    if values["carries"]:
        assert high == flit & (1 << 256 - FIRST) - 1
    if kind == "data":
        assert low == flit >> 256 - FIRST
        return
    assert low >> 16 & (1 << 48) - 1 == values["link_word"]
    assert ctx.get(decoder.no_start) == (kind == "idle")
    if not values["carries"]:
        found = sum((plain >> 64 * word + 16 & (1 << 48) - 1) << 48 * (word - 1) for word in (1, 2, 3))
        assert found == values["details"]
