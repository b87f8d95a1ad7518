"""Search for the boundary in words of 160 bits: its probabilities against simulation, and the receiver of the light format."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.line.light import LightDecode
from dsnswitch.hdl.line.rates import BEATS, CODE, CODEWORDS, WORDS
from dsnswitch.hdl.line.search import HOPELESS, LIMIT, Walk, light_walk, searches, undecodable
from dsnswitch.sim.golden.line.selected import Transmitter
from dsnswitch.sim.golden.line.strict import Lock
from dsnswitch.sim.golden.pcs.mii import IDLES

_ENTRY = code_entry(CODE)
LIGHT = SimpleNamespace(n=CODE.n, k=CODE.k, r=CODE.r, columns=_ENTRY["columns"])


@pytest.mark.parametrize(("make", "trust"), [(2, 0), (4, 2), (1, 0), (3, 1)])
@pytest.mark.parametrize(("clean", "bad"), [(0.6, 0.4), (0.3, 0.5), (0.5, 0.2)])
def test_a_walk_is_that_of_the_golden_lock(make, trust, clean, bad):
    rng, trials, locks, codewords = random.Random(1), 4000, 0, 0
    for _ in range(trials):
        lock, slips = Lock(make, trust=trust), False
        while not lock.locked and not slips:
            draw, codewords = rng.random(), codewords + 1
            slips = lock.test(draw < clean, clean <= draw < clean + bad)
        locks += lock.locked
    finds, mean = Walk(clean, bad).outcome(make, trust)
    assert locks / trials == pytest.approx(finds, abs=0.03)
    assert codewords / trials == pytest.approx(mean, rel=0.06)


def test_hopeless_codewords_end_a_walk():
    assert Walk(0.5, 0, 0.25).outcome(3, 2)[0] == pytest.approx((2 / 3) ** 3)
    assert Walk(0.5, 0.25, 0.25).outcome(1, 0) == pytest.approx((0.5, 1))


@pytest.mark.parametrize("right", [True, False])
def test_groups_are_those_of_random_errors(right):
    """Codewords of zeros with wrong bits at 3e-3 and 1e-3; at a wrong boundary, the check bits of two codewords are inverted."""
    rng, groups = np.random.default_rng(2), 4000
    for ber in (1e-3, 3e-3):
        bits = rng.random((groups * CODEWORDS, CODE.n)) < ber
        if not right:
            bits.reshape(groups, CODEWORDS, CODE.n)[:, (0, 5), CODE.k :] ^= True
        sums = np.bitwise_xor.reduce(np.where(bits, np.array(CODE.columns), 0), axis=1)
        error = (sums != 0) & ~np.isin(sums, CODE.columns) | bits[:, :4].any(axis=1)
        error = error.reshape(groups, CODEWORDS)
        found = error.sum(axis=1)
        walk, hopeless = light_walk(ber, right=right), found >= HOPELESS
        bad = (error[:, 0] | (found >= LIMIT)) & ~hopeless
        for got, share in ((found == 0, walk.clean), (bad, walk.bad), (hopeless, walk.hopeless)):
            assert got.mean() == pytest.approx(share, abs=4 * (share / groups) ** 0.5 + 1e-3), (ber, walk)


def test_undecodable_codewords_are_those_of_random_errors():
    rng, codewords = np.random.default_rng(1), 2000
    wrong = (rng.random((codewords, BEATS.code.n, BEATS.code.field.m)) < 1e-3).any(axis=2).sum(axis=1)
    assert (wrong > BEATS.code.t).mean() == pytest.approx(undecodable(1e-3), abs=0.03)


def test_searches():
    """The times that the page states, and what a search guarantees: at 1e-3, the light format is not missed."""
    light, strict = searches(1e-3)["light"], searches(1e-3)["strict"]
    assert (light.round, strict.round) == (4320 * 27, 5280 * 99)
    assert light.finds > 0.9997
    assert strict.finds > 0.81
    assert light.longest < 1.01 * light.round
    assert all(search.finds > 1 - 1e-6 for search in searches(1e-4).values())
    assert strict.wrong < 2e-8
    assert light.wrong < 3e-8
    assert searches(0)["light"].wrong == 0


def line(groups, wrong):
    """Bits of groups of the light format, and their number; ``wrong``: ``(group, codeword)`` of each with two wrong bits."""
    sender = Transmitter({False: LIGHT, True: SimpleNamespace()})
    words = [word for _ in range(groups) for word in sender.group(False, [[IDLES] * 4] * CODEWORDS)]
    bits = sum(word << place * BEATS.bits for place, word in enumerate(words))
    for group, codeword in wrong:
        bits ^= (1 << 100 | 1) << (group * CODEWORDS + codeword) * CODE.n
    return bits, len(words) * BEATS.bits


def lock_of(simulate, bits, offset, step, jump=(0, 0)):
    """Words of ``bits`` from ``offset`` on, until they end. Returns lock and boundary after each; a slip moves it by ``step``.

    ``jump``: a word after which the boundary moves, and by how many bits.
    """
    (bits, end), decode, found = bits, LightDecode(), []
    size = WORDS * BEATS.bits

    async def bench(ctx):
        cut = offset
        ctx.set(decode.o.ready, 1)
        ctx.set(decode.i.valid, 1)
        while 0 <= cut <= end - BEATS.bits:
            ctx.set(decode.i.payload, bits >> cut & (1 << BEATS.bits) - 1)
            cut += BEATS.bits + step * ctx.get(decode.slip) + (jump[1] if len(found) == jump[0] else 0)
            found.append((ctx.get(decode.locked), (cut - len(found) * BEATS.bits - BEATS.bits) % size))
            await ctx.tick()

    simulate(decode, bench, clocked=True)
    return found


@pytest.mark.parametrize("step", [1, -1])
def test_good_position_is_not_left(simulate, step):
    """Two bits before the boundary. At the boundary, the first codeword of two groups is bad, then groups have an error each."""
    size = WORDS * BEATS.bits
    # The group that has begun at a slip is not tested, so that groups 3 and later are.
    wrong = [(3, 0), (4, 0), *((group, 7) for group in (5, 6, 7))]
    found = lock_of(simulate, line(16, wrong), size - 2 * step, step)
    assert [at for _, at in found[-5:]] == [0] * 5
    assert found[-1][0]
    assert not found[8 * WORDS][0]


def test_another_first_codeword_is_not_kept(simulate):
    """With lock, the boundary moves by one codeword: 14 of 16 codewords are good, and the lock is lost."""
    found = lock_of(simulate, line(17, []), 0, 1, (8 * WORDS, CODE.n))
    assert found[8 * WORDS][0]
    assert not found[-1][0]
    lost = next(word for word in range(8 * WORDS, len(found)) if not found[word][0])
    assert lost <= 15 * WORDS + 10
