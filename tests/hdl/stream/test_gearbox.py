"""Gearboxes: emitted Verilog against the concatenation of all bits, divided into words of the other width."""

import pytest
from amaranth.sim import Simulator

from dsnswitch.gen.blocks.pcs import GearboxBlock
from dsnswitch.hdl.stream.gearbox import Gearbox, check
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.run import SimulationError

from ..compared import AnyInputs, compare

#: Gearboxes of the strict and of the light link in both directions; small ones with every remainder.
GEARBOXES = [(257, 160, 5140), (160, 257, 5140), (270, 160, None), (160, 270, None)]
SMALL = [(7, 3, 28), (3, 7, 28), (5, 8, 23), (8, 5, 23), (6, 4, None), (5, 5, None), (2, 9, None), (9, 2, 27)]
#: The last word of a group overfills a wide word.
SMALL += [(3, 7, 9), (14, 23, 24)]


def values(into, out, group):
    return {"block": "gearbox", "from": into, "to": out} | ({"group": group} if group else {})


def bench(lab, sizes, words=700, label="", tests=None, stall=0.4):
    return lab.bench("gearbox_bench", values(*sizes), tests, label, words=words, stall=stall)


@pytest.mark.parametrize("sizes", [*GEARBOXES[:2], *(pytest.param(s, marks=pytest.mark.regress) for s in GEARBOXES[2:])])
def test_gearbox(lab, sizes):
    assert bench(lab, sizes) == 3


@pytest.mark.regress
@pytest.mark.parametrize("sizes", SMALL)
def test_small(lab, sizes):
    assert bench(lab, sizes, 5000) == 3


class Model(AnyInputs):
    """``bits`` of a group wait, ``fill`` of them; ``ending``: the last word of the group is among them."""

    def __init__(self, into, out, group):
        super().__init__(Gearbox(into, out, group))
        self.into, self.out, self.group = into, out, group or 0
        self.bits = self.fill = self.given = self.ending = 0

    def cycle(self, i__payload, i__valid, o__ready):
        valid = self.fill >= self.out or self.ending
        word = self.bits & (1 << self.out) - 1 if valid else None
        if valid and o__ready:
            self.bits, self.fill = self.bits >> self.out, max(self.fill - self.out, 0)
        if self.ending and not self.fill:
            self.ending = 0
        ready = not self.ending and self.fill < self.out
        if ready and i__valid:
            size = min(self.into, self.group - self.given) if self.group else self.into
            self.bits |= (i__payload & (1 << size) - 1) << self.fill
            self.fill, self.given = self.fill + size, self.given + size
            self.ending = int(self.given == self.group)
            self.given %= self.group or self.given
        return {"i__ready": ready, "o__valid": valid, "o__payload": word}


@pytest.mark.parametrize("sizes", GEARBOXES + SMALL)
def test_every_cycle(simulate, sizes):
    compare(simulate, Gearbox(*sizes), lambda: Model(*sizes), resets=0.002)


def test_golden_by_hand():
    assert regroup([0b1011, 0b0110], 4, 3) == [0b011, 0b101]
    # Seven bits are two words of four bits, the last with three bits, and three words of three bits, the last with one bit.
    assert regroup([0b1011, 0b1110], 4, 3, 7) == [0b011, 0b101, 0b1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 3), "Gearbox into must be 1 or more, not 0"),
        ((3, -1), "Gearbox out must be 1 or more, not -1"),
        ((3, 4, 4), "Gearbox group must be more than a word, 4 bits, not 4"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        check(*arguments)


def test_block_refuses():
    with pytest.raises(UsageError, match="more than a word"):
        GearboxBlock.resolve({"from": 5, "to": 8, "group": 8})


def test_a_hole_that_is_not_left_is_noticed(lab, monkeypatch):
    """A broken gearbox continues in the next word after the last word of a group, without the idle cycle."""
    right = Gearbox.__init__
    monkeypatch.setattr(Gearbox, "__init__", lambda self, into, out, group=None: right(self, into, out, None))
    with pytest.raises(SimulationError, match="failed"):
        bench(lab, GEARBOXES[1], label="-mutant", tests=["cuts_anew"])


@pytest.mark.parametrize(
    ("into", "out", "group"),
    [(270, 160, None), (160, 270, None), (257, 160, 5140), (160, 257, 5140), (3, 5, 13), (5, 3, 13), (2, 4, 10), (3, 7, 50)],
)
def test_throughput_is_the_stated_one(into, out, group):
    dut, periods = Gearbox(into, out, group), 3
    stated = dut.results_per_cycle
    seen = []

    async def run(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        await ctx.tick().repeat(200)
        for _ in range(periods * stated.denominator):
            seen.append(ctx.get(dut.o.valid))
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-9)
    sim.add_testbench(run)
    sim.run()
    assert sum(seen) == periods * stated.numerator
