"""The unit that sees which packets wait for credits, on Amaranth's simulator, against counts."""

import random
from collections import Counter

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.core import CreditStalls

CORE = {"block": "switch-core", "topology": "torus:4", "flit": 24, "packet": 3, "depth": 5}
CORES = {"dateline": CORE, "ring": CORE | {"routing": "bubble", "channels": "dim0=2"}}


@pytest.mark.parametrize("values", CORES.values(), ids=CORES)
def test_packets_that_wait_for_credits(simulate, values):
    """Any heads wait, while flits leave and credits come, some too many; credits count a cycle after they came.

    A long packet needs as many credits as a longest packet has flits, a short one needs one. A packet that enters a ring needs
    one more, and one that goes on in it needs one, whatever its length.
    """
    shape, chance, seen = build(values).shape, random.Random(1), Counter()
    port, sources = shape.ports[0], len(shape.sources)
    unit, ring, spare = CreditStalls(shape, port, sources), shape.ring_sources(port), int(shape.has_bubbles)

    async def bench(ctx):
        left, held, returned = [shape.depth] * port.channels, [False] * port.channels, [False] * port.channels
        # Of each channel the credits that a waiting head needs.
        needs = [[] for _ in left]
        for step in range(800):
            share = (0.8, 0.2)[step // 40 % 2]
            c = chance.choice([None, *(c for c, count in enumerate(left) if count and chance.random() < share)])
            tail, credits = chance.random() < 0.5, [chance.random() < 0.45 - share / 2 for _ in left]
            waits, asks, single = (chance.getrandbits(sources) for _ in range(3))
            channels = [chance.randrange(port.channels) for _ in range(sources)]
            vectors = [sum(1 << v for v, one in enumerate(channels) if one == number) for number in range(port.channels)]
            ctx.set(unit.front, {"asks": asks, "single": single, "channel": vectors})
            given = {"waits": waits, "valid": 0 if c is None else 1 << c, "tail": tail}
            given["credit"] = sum(credit << number for number, credit in enumerate(credits))
            for name, value in given.items():
                ctx.set(getattr(unit, name), int(value))
            stalled = [not busy and any(count < need for need in of) for count, busy, of in zip(left, held, needs)]
            needs = [[] for _ in left]
            for v, to in enumerate(channels):
                if waits & asks & 1 << v:
                    whole = spare + (1 if single >> v & 1 else shape.packet)
                    needs[to].append(1 if ring and ring[to] == v else whole)
            for number, credit in enumerate(returned):
                left[number] = min(shape.depth, left[number] - (number == c) + credit)
            returned = credits
            if c is not None:
                held[c] = not tail
            await ctx.tick()
            assert ctx.get(unit.stalled) == sum(bit << number for number, bit in enumerate(stalled))
            seen.update(stalled)

    simulate(unit, bench, clocked=True)
    assert min(seen[False], seen[True]) > 100
