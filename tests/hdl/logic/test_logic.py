"""Small units that several directories share: counters of amounts, comparisons, the delay memory."""

import random
from collections import deque

import pytest

from dsnswitch.hdl.logic.numbers import Counter, Magnitude, TrailingOne
from dsnswitch.hdl.stream.stage import DelayMemory


@pytest.mark.parametrize(
    ("width", "step", "split"),
    [(6, 1, False), (6, 1, True), (5, 1, True), (1, 1, True), (6, 2, False), (9, 4, False), (6, 3, False)],
)
def test_counter(simulate, width, step, split):
    """Against plain integers, with random clears. The counter stays at its greatest value. A split counter has two halves."""
    counter, rng = Counter(width, step, split), random.Random(width + step)
    latency = 1 if step == 1 else 2
    full = 0

    async def bench(ctx):
        nonlocal full
        total, pending = 0, deque([0] * (latency - 1))
        for cycle in range(900):
            amount, clear = rng.randrange(1 << step), rng.random() < (0.003 if cycle > 200 else 0)
            ctx.set(counter.add, amount)
            ctx.set(counter.clear, clear)
            await ctx.tick()
            if clear:
                total, pending = 0, deque([0] * (latency - 1))
                if latency == 1:
                    total = amount
                else:
                    pending[-1] = amount
            else:
                pending.append(amount)
                total = min(total + pending.popleft(), (1 << width) - 1)
            full += total == (1 << width) - 1
            assert ctx.get(counter.count) == total

    simulate(counter, bench, clocked=True)
    assert full


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_magnitude(simulate, width):
    magnitude = Magnitude(width)

    async def every_pair(ctx):
        for a in range(1 << width):
            for b in range(1 << width):
                ctx.set(magnitude.a, a)
                ctx.set(magnitude.b, b)
                below = sum(((a - b) % (1 << width) < 1 << j) << j for j in range(width))
                assert (ctx.get(magnitude.below), ctx.get(magnitude.borrow)) == (below, a < b)

    simulate(magnitude, every_pair)


@pytest.mark.parametrize("width", [1, 2, 5])
def test_trailing_one(simulate, width):
    trailing = TrailingOne(width)

    async def lowest(ctx):
        for number in range(1 << width):
            ctx.set(trailing.i, number)
            assert ctx.get(trailing.o) == number & -number

    simulate(trailing, lowest)


@pytest.mark.parametrize("depth", [2, 5, 8])
def test_delay_memory(simulate, depth):
    """First in, first out; full at the right time; words that have been read stay unchanged."""
    memory, rng = DelayMemory(8, depth), random.Random(depth)

    async def bench(ctx):
        words, shown = deque(), None
        for _ in range(600):
            write, read = len(words) < depth and rng.random() < 0.6, bool(words) and rng.random() < 0.5
            word = rng.randrange(256)
            ctx.set(memory.i, word)
            ctx.set(memory.write, write)
            ctx.set(memory.read, read)
            await ctx.tick()
            if read:
                shown = words.popleft()
            if write:
                words.append(word)
            assert ctx.get(memory.full) == (len(words) == depth)
            assert shown is None or ctx.get(memory.o) == shown

    simulate(memory, bench, clocked=True)


def test_count_narrower_than_what_it_adds(quiet):
    with pytest.raises(ValueError, match="A counter that adds 8 bits must have as many at least, not 2"):
        quiet(Counter)(2, 8)


def test_bad_depth(quiet):
    with pytest.raises(ValueError, match="Delay memory depth must be at least 2, not 1"):
        quiet(DelayMemory)(8, 1)
