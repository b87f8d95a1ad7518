"""Arbiters on Amaranth's simulator, with random requests in every cycle, against models whose orders are lists."""

import random
from itertools import combinations

import pytest

from dsnswitch.hdl.core.arbiter import LeastRecent, MatrixArbiter
from dsnswitch.hdl.core.network_arbiter import NetworkArbiter

from .arbiter_models import ArbiterModel, NetworkModel

#: Chances that an input asks, which change every 20 cycles: few, some or all.
CHANCES = (0.1, 0.4, 0.8, 1)


def bits_of(numbers):
    return sum(1 << number for number in numbers)


def requests(chance, share, inputs, channels):
    """Of each channel the set of inputs that ask for it; each asks for one at most."""
    found = [set() for _ in range(channels)]
    for one in inputs:
        if chance.random() < share:
            chance.choice(found).add(one)
    return found


def test_the_least_recently_served_is_picked(simulate):
    dut, chance, order = LeastRecent(5), random.Random(1), list(range(5))

    async def bench(ctx):
        for _ in range(400):
            request, served = chance.getrandbits(5), chance.choice([None, *range(5)])
            ctx.set(dut.request, request)
            ctx.set(dut.served, 0 if served is None else 1 << served)
            assert ctx.get(dut.pick) == next((1 << one for one in order if request >> one & 1), 0)
            if served is not None:
                order.append(order.pop(order.index(served)))
            await ctx.tick()

    simulate(dut, bench, clocked=True)


def set_ranks(ctx, dut, pairs, ranks):
    ctx.set(dut.above, bits_of(place for place, (low, high) in enumerate(pairs) if ranks[low] > ranks[high]))
    ctx.set(dut.below, bits_of(place for place, (low, high) in enumerate(pairs) if ranks[low] < ranks[high]))


@pytest.mark.parametrize("ranked", [False, True])
def test_matrix_arbiter(simulate, ranked):
    """Inputs that do not count, and grants that are kept; with ranks also a word from outside that none may be granted."""
    inputs, channels, chance = 6, 2, random.Random(2)
    dut = MatrixArbiter(inputs, channels, not ranked, ranked, is_one_of_several=ranked)
    model = ArbiterModel(inputs) if ranked else ArbiterModel(inputs, channels, groups=3)

    async def bench(ctx):
        for step in range(600):
            share = CHANCES[step // 20 % len(CHANCES)]
            asks = requests(chance, share, range(inputs), channels)
            kept = model.last if chance.random() < 0.3 else None
            ctx.set(dut.request, [bits_of(one) for one in asks])
            ctx.set(dut.keep, 0 if kept is None else 1 << kept)
            ranks, passes, bad = None, True, chance.getrandbits(inputs) & chance.getrandbits(inputs)
            if ranked:
                ranks, passes, bad = [chance.randrange(3) for _ in range(inputs)], chance.random() < 0.8, 0
                set_ranks(ctx, dut, list(combinations(range(inputs), 2)), ranks)
                ctx.set(dut.passes, passes)
                assert ctx.get(dut.asks) == any(asks)
            else:
                ctx.set(dut.unconfirmed, bad)
            choice = model.choose([set().union(*asks)] if ranked else asks, ranks) if passes else None
            wins = kept if kept is not None else choice and choice[1]
            counts = wins is not None and passes and not bad >> wins & 1
            granted = model.serve(choice, kept, counts)
            await ctx.tick()
            assert ctx.get(dut.grant) == (0 if granted is None else 1 << granted)
            assert ctx.get(dut.chose) == (choice is not None and kept is None)

    simulate(dut, bench, clocked=True)


#: Inputs and channels of three virtual networks.
INPUTS, CHANNELS = [(0, 3, 5), (1, 4), (2, 6)], [[0, 1], [2], [3]]
SERVICES = {
    "speculative-levels": {"speculative": True, "levels": (1, 0, 1)},
    "weights": {"weights": (3, 1, 2), "unit": 2},
    "free-ranked": {"ranked": True, "is_free": True, "unit": 3},
}


@pytest.mark.parametrize("options", SERVICES.values(), ids=SERVICES)
def test_network_arbiter(simulate, options):
    chance, dut = random.Random(3), NetworkArbiter(INPUTS, CHANNELS, **options)
    ranked, is_free, speculative = (options.get(name) for name in ("ranked", "is_free", "speculative"))
    parts = [
        ArbiterModel(len(own)) if ranked else ArbiterModel(len(own), len(channels), 2) for own, channels in zip(INPUTS, CHANNELS)
    ]
    weights = list(options.get("weights", [1] * 3))
    model = NetworkModel(parts, options.get("unit", 1), weights if is_free or "weights" in options else ())
    networks, last, seen = range(3), None, set()

    async def bench(ctx):
        nonlocal last, weights
        levels = list(options.get("levels", [0] * 3))
        for step in range(1500):
            if is_free and step % 25 == 0:
                levels, weights = [chance.choice((0, 0, 5)) for _ in networks], [chance.choice((0, 1, 2, 3)) for _ in networks]
                if step % 150 == 0:
                    weights[1] = 15
                ctx.set(dut.service, {"weights": weights, "levels": levels})
            # Of two virtual networks of one level, at times one alone asks.
            shares = [CHANCES[step // 20 % len(CHANCES)] * (step // (60 + 20 * one) % 3 > 0) for one in networks]
            asks = [requests(chance, share, range(len(own)), len(to)) for share, own, to in zip(shares, INPUTS, CHANNELS)]
            kept = last if chance.random() < 0.3 else None
            if kept:
                # What is kept asks, too.
                network, one = kept
                for number, other in enumerate(asks[network]):
                    other.discard(one)
                    if ranked or number == parts[network].channel:
                        other.add(one)
            words = [bits_of(inputs[one] for one in ask) for inputs, own in zip(INPUTS, asks) for ask in own]
            ctx.set(dut.request, words)
            ctx.set(dut.keep, 1 << INPUTS[kept[0]][kept[1]] if kept else 0)
            bad = chance.getrandbits(7) & chance.getrandbits(7) if speculative else 0
            if speculative:
                ctx.set(dut.unconfirmed, bad)
            ranks = [[chance.randrange(3) for _ in own] for own in INPUTS] if ranked else [None] * 3
            if ranked:
                above = below = place = 0
                for own in ranks:
                    for low, high in combinations(own, 2):
                        above, below, place = above | (low > high) << place, below | (low < high) << place, place + 1
                ctx.set(dut.above, above)
                ctx.set(dut.below, below)
            grouped = [[set().union(*own)] for own in asks] if ranked else asks
            granted, chose = model.step(
                grouped, kept, lambda number, one, bad=bad: not bad >> INPUTS[number][one] & 1, levels, weights, ranked and ranks
            )
            wins, last = granted and INPUTS[granted[0]][granted[1]], granted or (None if chose else last)
            seen.add((wins, chose))
            await ctx.tick()
            assert ctx.get(dut.grant) == (0 if wins is None else 1 << wins)
            assert ctx.get(dut.chose) == chose

    simulate(dut, bench, clocked=True)
    assert seen >= {(one, True) for one in range(7)}
