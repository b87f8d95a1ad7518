"""Encoder and markers of the selected line, each alone on Amaranth's simulator."""

import random

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line import light as light_line
from dsnswitch.hdl.line import strict as strict_line
from dsnswitch.hdl.line.selected import Marker, SelectedEncode
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.line.selected import BITS, FILLER, GAP, GROUPS, MARKERS, NEAR

from ..no_parity import NoParity

WORD = (1 << 160) - 1


def test_marker(simulate):
    """Words that differ from a marker in about as many bits as may be wrong, or in any number."""
    unit, rng = Marker(), random.Random(1)

    async def bench(ctx):
        for number in range(600):
            wrong = rng.choice((NEAR, NEAR, NEAR + 1, NEAR + 1, rng.randrange(161)))
            strict = number % 2
            ctx.set(unit.word, MARKERS[strict] ^ sum(1 << bit for bit in rng.sample(range(160), wrong)))
            found = ctx.get(unit.light), ctx.get(unit.strict)
            assert (found[strict], found[not strict]) == (wrong <= NEAR, 160 - wrong <= NEAR), number

    simulate(unit, bench)


class Copy(wiring.Component):
    """A code whose check bits are the first bits of the data."""

    def __init__(self, code):
        super().__init__({"data": In(code.k), "word": Out(code.n)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.word.eq(Cat(self.data, self.data[: len(self.word) - len(self.data)]))
        return m


def words_of(strict, blocks):
    """Words of a group."""
    if strict:
        return regroup(blocks, 257, 160, 5140)
    return regroup([word | (word ^ (0 if n else 0x3FF)) << 260 & 0x3FF << 260 for n, word in enumerate(blocks)], 270, 160)


@pytest.mark.parametrize("stalls", [0, 0.3])
def test_encoder(simulate, monkeypatch, stalls):
    """Groups of both formats and markers between them: every word of the line, and without stalls the cycle of each."""
    monkeypatch.setattr(strict_line, "RsEncoder", NoParity)
    monkeypatch.setattr(light_line, "SecdedEncoder", Copy)
    unit, rng = SelectedEncode(), random.Random(2)
    # Format, blocks and their cycles of each group; a change of format has no blocks.
    groups, moved = [], []

    async def bench(ctx):
        strict, mode, held, offers = 1, None, None, 1
        for cycle in range(1400):
            if cycle % 10 == 0:
                strict, offers = rng.choice((strict, strict, strict, 1 - strict)), rng.choice((1, 1, 1, 0.5))
            ctx.set(unit.strict, strict)
            ready = rng.random() >= stalls
            ctx.set(unit.o.ready, ready)
            ctx.set(unit.i.valid, held is not None)
            if held:
                ctx.set(unit.i.payload, {"block": held[0], "strict": held[1]})
            takes = ctx.get(unit.i.ready)
            due, before, mode = ctx.get(unit.due), mode, ctx.get(unit.is_strict)
            if groups and mode != before:
                groups.append((mode, None, None))
            accepted = due and (takes or held is None) and rng.random() < offers
            ctx.set(unit.accepted, accepted)
            assert held is None or takes or stalls
            if ready and ctx.get(unit.o.valid):
                moved.append((cycle, ctx.get(unit.o.payload)))
            if takes:
                held = None
            if accepted:
                held = rng.getrandbits(BITS[True] if mode else 260), mode
                if not (groups and groups[-1][1]) or len(groups[-1][1]) == GROUPS[bool(groups[-1][0])][0]:
                    groups.append((mode, [], []))
                assert groups[-1][0] == mode
                groups[-1][1].append(held[0])
                groups[-1][2].append(cycle)
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    line, due = [], {}
    for strict, blocks, cycles in groups:
        if blocks is None:
            line += [MARKERS[strict], *[FILLER] * GAP[strict]]
            continue
        for block, cycle in enumerate(cycles):
            due[len(line) + block * BITS[bool(strict)] // 160] = cycle
        if len(blocks) == GROUPS[bool(strict)][0]:
            line += words_of(strict, blocks)
    words = [word for _, word in moved]
    assert words[: len(line)] == line[: len(words)]
    assert abs(len(words) - len(line)) < 34
    kinds = [blocks is None for _, blocks, _ in groups]
    assert min(kinds.count(True), kinds.count(False)) > 5
    if not stalls:
        assert {moved[place][0] - cycle for place, cycle in due.items() if place < len(moved)} == {unit.latency + 1}
