"""Counters of credits and the pauses of rings, on Amaranth's simulator, against counts of what is under way."""

import random

import pytest

from dsnswitch.hdl.core.output_port import CreditCounter, PoolCounter
from dsnswitch.hdl.core.ring_pause import PASSES, RingPause


@pytest.mark.parametrize(("depth", "packet", "spare"), [(1, 1, 0), (7, 7, 0), (13, 3, 4)])
def test_comparisons_of_credits(simulate, depth, packet, spare):
    """A credit too many is not counted, but with a flit that is sent it counts."""
    dut, chance = CreditCounter(depth, packet, spare), random.Random(1)
    bounds = {"any": 1, "packet": spare + packet} | ({"single": spare + 1} if spare else {})
    seen = set()

    async def bench(ctx):
        left, stalled = depth, False
        for step in range(400):
            # The buffer fills for 30 cycles, then it drains.
            share = 0.8 if step // 30 % 2 else 0.3
            sent, credit, stall = left > 0 and chance.random() < share, chance.random() < 1 - share, chance.random() < 0.1
            for name, value in (("sent", sent), ("credit", credit), ("stall", stall)):
                ctx.set(getattr(dut, name), value)
            for name, bound in bounds.items():
                early = ctx.get(getattr(dut, f"{name}_passed")), ctx.get(getattr(dut, f"{name}_reached"))
                assert early == ((left > bound) * (not stalled), (left >= bound) * (not stalled))
                assert ctx.get(dut.late(name)) == early[not sent]
            seen.add(left)
            left, stalled = min(depth, left - sent + credit), stall
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert seen == set(range(depth + 1))


def test_decisions_of_a_pool(simulate):
    """Each channel has packets; what it claims beyond its reserve is in the pool, whose count is one cycle old."""
    channels, packet, reserved, pool, limit = 3, 4, 5, 12, 9
    dut, chance = PoolCounter(channels, packet, reserved, pool, limit), random.Random(2)
    seen = set()

    async def bench(ctx):
        # Of each channel: what it claims of the receiver, flits of an open packet that its claim still has.
        claims, rests, fits, room, recent = [0] * channels, [0] * channels, [True] * channels, True, False
        for step in range(1500):
            share = (0.5, 0.05, 0.02)[step // 40 % 3]
            chose = chance.random() < 0.5
            stall = chance.random() < 0.05
            has = room and not chose and not recent
            able = [c for c in range(channels) if rests[c] or claims[c] + packet <= reserved or (fits[c] and has)]
            c = chance.choice(able) if able and chance.random() < 0.9 else None
            held = [rest > 0 for rest in rests]
            tail = c is not None and (rests[c] == 1 or chance.random() < 0.2)
            # Credits of flits that have left; others come only to a channel that has none, and are ignored.
            owed = [claim != rest or not claim for claim, rest in zip(claims, rests)]
            credits = [able and chance.random() < share for able in owed]
            words = {"sent": c is not None and 1 << c, "tail": tail, "chose": chose, "stall": stall}
            words |= {name: sum(bit << at for at, bit in enumerate(bits)) for name, bits in (("held", held), ("credit", credits))}
            for name, value in words.items():
                ctx.set(getattr(dut, name), int(value))
            assert ctx.get(dut.fits) == sum((fit and has) << at for at, fit in enumerate(fits))
            seen.update((fit, has) for fit in fits)
            # Decisions are one cycle old.
            fits = [claim - reserved <= limit - packet and not stall for claim in claims]
            room = sum(max(0, claim - reserved) for claim in claims) <= pool - packet
            recent = c is not None and not held[c]
            for at, credit in enumerate(credits):
                if at == c:
                    rest = (rests[c] or packet) - 1
                    claims[c] += (0 if held[c] else packet) - rest * tail
                    rests[c] = 0 if tail else rest
                claims[at] -= credit and (claims[at] > 0 or at == c)
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert len(seen) == 4


def test_packets_of_a_ring_pause(simulate):
    """After fifteen packets of the ring beside one that asked to enter a cycle before; until one enters, or until it resumes."""
    dut, chance, seen = RingPause(2), random.Random(3), [0, 0]

    async def bench(ctx):
        passed, asked = [0, 0], 0
        for _ in range(900):
            asks, begins = chance.getrandbits(2) | chance.getrandbits(2), chance.getrandbits(2) | chance.getrandbits(2)
            goes_on = sum((chance.random() < 0.97) << c for c in range(2))
            resume = chance.random() < 0.1
            for name, value in (("asks", asks), ("begins", begins), ("goes_on", goes_on), ("resume", resume)):
                ctx.set(getattr(dut, name), value)
            pauses = [count == PASSES for count in passed]
            assert ctx.get(dut.pauses) == pauses[0] | pauses[1] << 1
            for c in range(2):
                begun, on = begins >> c & 1, goes_on >> c & 1
                if (begun and not on) or (pauses[c] and resume):
                    passed[c], seen[pauses[c]] = 0, seen[pauses[c]] + 1
                elif begun and asked >> c & 1 and not pauses[c]:
                    passed[c] += 1
            asked = asks
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert min(seen) > 5
