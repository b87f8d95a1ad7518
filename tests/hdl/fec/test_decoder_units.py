"""Units of the Reed-Solomon decoder alone: counters against numbers that are kept beside, and syndromes."""

import random
from collections import Counter

import numpy as np
import pytest

from dsnswitch.hdl.fec.reed_solomon.code import Beats, ReedSolomonCode, counters
from dsnswitch.hdl.fec.reed_solomon.decoder import Statistics
from dsnswitch.hdl.fec.reed_solomon.decoding_steps import Syndromes
from dsnswitch.hdl.gf.field import Field
from dsnswitch.sim.golden.fec import reed_solomon

#: Cycles after which the counters show the last beat.
LATE = 6
BITS = 5
CODE = ReedSolomonCode(30, 24, Field(BITS, 0x25))


@pytest.mark.parametrize(("symbols", "lanes"), [(5, 1), (6, 3), (10, 2)])
def test_counters_count_what_a_codeword_has(simulate, symbols, lanes):
    """With and without pauses, over codewords that follow each other, up to the greatest count."""
    beats, rng, width = Beats(CODE, symbols), random.Random(symbols), 7
    unit = Statistics(beats, lanes, width)

    async def bench(ctx):
        expected = Counter()
        for number in range(300):
            bad, places = rng.random() < 0.2, rng.sample(range(CODE.n), rng.choice((0, 1, CODE.t, rng.randint(0, CODE.t))))
            wrong = {place: rng.choice((rng.randrange(1, 1 << BITS), (1 << BITS) - 1)) for place in places}
            for beat in range(beats.count):
                pause = number % 60 < 30 and rng.random() < 0.3
                last = beat == beats.count - 1
                for _ in range(pause):
                    # Without a beat, the other inputs may have any values.
                    for name, size in (("valid", 0), ("last", 1), ("bad", 1), ("errors", 2), ("pattern", beats.bits)):
                        ctx.set(getattr(unit, name), rng.getrandbits(size) if size else 0)
                    await ctx.tick()
                pattern = sum(value << place % symbols * BITS for place, value in wrong.items() if place // symbols == beat)
                ctx.set(unit.valid, 1)
                ctx.set(unit.pattern, pattern)
                ctx.set(unit.last, last)
                ctx.set(unit.bad, bad if last else rng.getrandbits(1))
                ctx.set(unit.errors, len(wrong) if last else rng.randrange(CODE.t + 1))
                await ctx.tick()
            expected += Counter(codewords=1, corrected=bool(wrong), uncorrectable=bad, symbol_errors=len(wrong))
            for place, value in wrong.items():
                expected[f"corrected_bits_{place % lanes}"] += 0 if bad else value.bit_count()
            if rng.random() < 0.2:
                ctx.set(unit.valid, 0)
                await ctx.tick().repeat(LATE)
                shown = {name: ctx.get(getattr(unit, name)) for name in counters(lanes)}
                assert shown == {name: min(expected[name], (1 << width) - 1) for name in counters(lanes)}, number
                if number % 100 > 80:
                    ctx.set(unit.clear, 1)
                    await ctx.tick()
                    ctx.set(unit.clear, 0)
                    expected.clear()

    simulate(unit, bench, clocked=True)


@pytest.mark.parametrize("register", [False, True])
def test_syndromes(simulate, register):
    """Random words of a small code, without gaps and with them; the sums of a word begin anew, whatever came before."""
    beats = Beats(ReedSolomonCode(15, 11, Field(4, 0x13)), 5)
    unit, rng, code = Syndromes(beats, register), random.Random(2), beats.code
    size, due = code.field.m, []

    async def bench(ctx):
        for number in range(60):
            word = [rng.randrange(1 << size) for _ in range(code.n)]
            cut = rng.random() < 0.2
            for beat in range(beats.count):
                for enable in (0,) * rng.choice((0, 0, 1)) + (1,):
                    part = word[5 * beat : 5 * beat + 5]
                    value = sum(symbol << n * size for n, symbol in enumerate(part))
                    ctx.set(unit.beat, value if enable else rng.getrandbits(beats.bits))
                    ctx.set(unit.enable, enable)
                    ctx.set(unit.first, beat == 0 if enable else rng.getrandbits(1))
                    ctx.set(unit.last, beat == beats.count - 1 if enable else rng.getrandbits(1))
                    done = enable and beat == beats.count - 1
                    due.append(word if done else None)
                    if not register or len(due) > 1:
                        expected = due[-2] if register else due[-1]
                        assert ctx.get(unit.done) == (expected is not None), number
                        if expected:
                            found = reed_solomon.syndromes(code, np.array([expected]))[0].tolist()
                            value = ctx.get(unit.value)
                            assert [value >> size * n & (1 << size) - 1 for n in range(code.parity)] == found, number
                    await ctx.tick()
                if cut and beat == 1:
                    break

    simulate(unit, bench, clocked=True)
