"""Bench of the gearbox, against the golden model.

Parameters: ``manifest`` (path), ``words`` (number), ``stall`` (probability), ``seed``.
"""

import random

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, STALL
from dsnswitch.sim.bench.drivers.lockstep import reset, transfer
from dsnswitch.sim.golden.line.gearbox import regroup

INTO, OUT, GROUP = (MANIFEST["parameters"].get(key) for key in ("from", "to", "group"))
#: Number of words, in whole groups.
WORDS = PARAMETERS["words"] - (PARAMETERS["words"] % -(-GROUP // INTO) if GROUP else 0)


async def run(dut, words, count, stall, seed):
    """Send ``words`` through the gearbox, receive ``count`` words, and return source and sink."""
    await reset(dut)
    return await transfer(dut, words, count, stall, seed)


@cocotb.test()
async def cuts_anew(dut):
    rng = random.Random(SEED)
    words = [rng.choice((0, rng.getrandbits(INTO), (1 << INTO) - 1)) for _ in range(WORDS)]
    want = regroup(words, INTO, OUT, GROUP)
    _, sink = await run(dut, words, len(want), STALL, SEED)
    assert sink.items == want


@cocotb.test()
async def is_as_fast_as_the_narrower_side(dut):
    """Without stalls the narrower side moves a word per cycle, and the first word leaves after the manifest's latency.

    After a group whose last narrow word overfills an output word, there is one idle cycle.
    """
    rng = random.Random(1)
    words = [rng.getrandbits(INTO) for _ in range(WORDS)]
    source, sink = await run(dut, words, len(regroup(words, INTO, OUT, GROUP)), 0, 1)
    cycles = source.cycles if INTO < OUT else sink.cycles
    inputs = -(-GROUP // INTO) if GROUP else len(words)
    rest = INTO < OUT and GROUP and (inputs - 1) * INTO % OUT + GROUP - (inputs - 1) * INTO > OUT
    assert cycles == [cycles[0] + place + (place // inputs if rest else 0) for place in range(len(cycles))]
    assert sink.cycles[0] - source.cycles[0] == MANIFEST["latency_cycles"]


@cocotb.test()
async def holds_less_than_a_word(dut):
    """Bits that do not fill a word stay in the gearbox. A group leaves completely without later input."""
    rng = random.Random(2)
    for count in range(1, 40):
        words = [rng.getrandbits(INTO) for _ in range(count)]
        if GROUP:
            words = words[: count - count % -(-GROUP // INTO)]
        want = regroup(words, INTO, OUT, GROUP)
        _, sink = await run(dut, words, len(want), 0.2, count)
        assert sink.items == want
