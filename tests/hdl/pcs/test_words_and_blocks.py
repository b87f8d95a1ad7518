"""Words to scrambled blocks and back, on Amaranth's simulator: words out of sequence, stalls, wrong bits and marked blocks."""

import random

import pytest

from dsnswitch.hdl.pcs.pcs257 import Mii257Rx, Mii257Tx
from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Tx
from dsnswitch.sim.golden.pcs import pcs257, pcs260
from dsnswitch.sim.golden.pcs.framing import random_words
from dsnswitch.sim.golden.pcs.mii import IDLES

TRANSMITTERS = {
    "257b": (Mii257Tx, pcs257.Transmitter),
    "260b": (lambda: Pcs260Tx("protected"), lambda: pcs260.Transmitter("protected")),
}


def exchanged(simulate, dut, entries):
    """Payload of the result of every payload in ``entries``, with random stalls, and the counters at the end."""
    rng, found, counts = random.Random(3), [], {}

    async def bench(ctx):
        entered = 0
        for _ in range(10 + 2 * len(entries)):
            ctx.set(dut.i.valid, entered < len(entries))
            ctx.set(dut.i.payload, entries[min(entered, len(entries) - 1)])
            ctx.set(dut.o.ready, rng.random() < 0.7)
            _, _, takes, gives, payload = await ctx.tick().sample(dut.i.ready, dut.o.valid, dut.o.payload)
            entered += takes
            if gives and ctx.get(dut.o.ready):
                found.append(payload)
        assert len(found) == len(entries)
        counts.update({name: ctx.get(getattr(dut, name)) for name in ("blocks", "errored_blocks") if hasattr(dut, name)})

    simulate(dut, bench, clocked=True)
    return found, counts


def packed(words):
    """Payload of four words: all octets, then all control bits."""
    return {
        "data": sum(octets << 64 * index for index, (octets, _) in enumerate(words)),
        "control": sum(control << 8 * index for index, (_, control) in enumerate(words)),
    }


def groups(seed):
    """Fours of words, of which many are out of sequence, also data; idle words first."""
    rng = random.Random(seed)
    words = [IDLES] * 4 + random_words(240, rng, disorder=0.1)
    for place in range(4, len(words), 9):
        words[place] = (rng.getrandbits(64), 0)
    return [words[start : start + 4] for start in range(0, len(words), 4)]


@pytest.mark.parametrize("name", TRANSMITTERS)
def test_transmitter(simulate, name):
    dut, golden = (make() for make in TRANSMITTERS[name])
    found, _ = exchanged(simulate, dut, [*map(packed, groups(1))])
    assert found == [golden.step(group) for group in groups(1)]


def test_receiver(simulate):
    """Wrong bits, blocks that could not be corrected, and blocks without lock."""
    rng, sender, golden, sent, expected = random.Random(2), pcs257.Transmitter(), pcs257.Receiver(), [], []
    for group in groups(2):
        block, bad, fault = sender.step(group), rng.random() < 0.1, rng.random() < 0.05
        if rng.random() < 0.3:
            block ^= 1 << rng.randrange(rng.choice((13, 257)))
        sent.append({"block": block, "bad": bad, "fault": fault})
        expected.append(packed(golden.step(block, bad, fault)))
    found, counts = exchanged(simulate, Mii257Rx(), sent)
    assert [{"data": payload.data, "control": payload.control} for payload in found] == expected
    assert counts == {"blocks": golden.blocks, "errored_blocks": golden.errored_blocks}
    assert 5 < golden.errored_blocks < golden.blocks - 5
