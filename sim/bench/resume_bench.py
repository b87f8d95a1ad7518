"""Bench of two fabric ports with retransmission on lines that fail for a while: the session goes on when the lock returns.

The cores offer a flit in each cycle. Parameters: ``manifest`` (path); ``noise``, lengths of the failures in words; ``noisy``, the
ends whose words are lost; ``phases``, the number of failures of each length; ``unmarked``, the most packets that noise may
change; ``resumed``, the least part of the failures that a session survives; those of :mod:`replay_bench`.
"""

import random
from collections import Counter

import cocotb

from dsnswitch.sim.bench.drivers.pins import load, load_manifest
from dsnswitch.sim.bench.drivers.port_link import FabricLink
from dsnswitch.sim.bench.replay_bench import LOSSES, steady

PARAMETERS, MANIFEST = load(), load_manifest()
ROUND_TRIP = MANIFEST["parameters"]["round_trip"]


def fail(link, noisy, seed):
    """Random words replace those of the ends ``noisy``; without any, the lines are whole again."""
    rng = random.Random(seed)
    for end, cable in link.cables.items():
        cable.cut = (lambda: rng.getrandbits(link.width)) if end in noisy else None


async def spoil(flow, noisy):
    """Make the next word of the ends ``noisy`` uncorrectable; until it has arrived."""
    for end in noisy:
        cable = flow.link.cables[end]
        cable.wrong[len(cable.sent)] = flow.error
    await flow.run(flow.link.delay + 1)


async def failures(flow, spoils):
    """Noise of each length, at every phase of packets, until the link is up again. Returns how many there were; all end the lock.

    ``spoils``: an uncorrectable codeword is before the noise.
    """
    link, noisy, number = flow.link, PARAMETERS["noisy"], 0
    for words in PARAMETERS["noise"]:
        for phase in range(PARAMETERS["phases"]):
            number += 1
            if spoils:
                await spoil(flow, noisy)
            fail(link, noisy, number)
            await flow.run(words)
            assert "unlocked" in (link.state("a"), link.state("b"))
            fail(link, "", 0)
            for _ in range(6000):
                if link.state("a") == link.state("b") == "up":
                    break
                await flow.run(1)
            await flow.run(2 * ROUND_TRIP + phase % 37)
    await link.drain()
    return number


def counts(link):
    """Counters of losses of both ends."""
    return Counter({name: link.status("a", name) + link.status("b", name) for name in LOSSES})


@cocotb.test()
async def noise_for_a_while(dut):
    """Noise after a bad codeword: the lock is lost, the session is not, and every packet arrives once."""
    flow = await steady(dut)
    link, number = flow.link, await failures(flow, spoils=True)
    total, lost = link.account(), counts(link)
    dut._log.info("%d failures, %s, %s", number, dict(total), dict(lost))
    assert not any(lost.values()), lost
    assert total["good"] == total["sent"]
    assert link.most_credits <= link.cores["a"].depth, f"{link.most_credits} credits for one buffer"


@cocotb.test()
async def noise_that_looks_like_flits(dut):
    """Noise at once: some first words are taken for flits. The session ends then, and every packet is good or counted."""
    flow = await steady(dut)
    link, number = flow.link, await failures(flow, spoils=False)
    total, lost = link.judge("a", "b") + link.judge("b", "a"), counts(link)
    dut._log.info("%d failures, %s, %s", number, dict(total), dict(lost))
    counted = lost["bad_packets"] + lost["lost_packets"] + lost["refused_packets"]
    assert total["sent"] == total["good"] + total["corrupted"] + counted
    assert total["corrupted"] <= PARAMETERS["unmarked"]
    assert not lost["gave_up"]
    # Both ends count.
    assert 0 < lost["restarts"] <= 2 * number * (1 - PARAMETERS["resumed"])


@cocotb.test()
async def headers_are_wrong(dut):
    """A wrong bit in every second header is corrected, but the lock is lost within packets, and with it flits without a flag."""
    flow = await steady(dut)
    link, cable, lost = flow.link, flow.link.cables["a"], 0
    for phase in range(PARAMETERS["phases"]):
        first = len(cable.sent) + 3
        cable.wrong.update(dict.fromkeys(range(first, first + 48, 2), 1))
        for _ in range(150 + 2 * link.delay):
            lost += link.state("b") == "unlocked"
            await flow.run(1)
        await flow.run(phase)
    await link.drain()
    total = link.account()
    dut._log.info("%d cycles without lock, %s, %s", lost, dict(total), dict(counts(link)))
    assert lost >= 50 * PARAMETERS["phases"]
    assert not link.status("b", "uncorrectable")
    assert 0 < link.status("a", "restarts") < PARAMETERS["phases"]


@cocotb.test()
async def noise_on_an_idle_line(dut):
    """Noise that follows a corrected packet and other blocks is not taken for its flits: the session goes on."""
    link = await FabricLink.begin(dut, MANIFEST, PARAMETERS | {"stall": 0})
    await link.up()
    cable = link.cables["a"]
    for phase in range(PARAMETERS["phases"]):
        link.packet("a", 0, link.longest)
        cable.wrong.update(dict.fromkeys(range(len(cable.sent), len(cable.sent) + 2 * link.longest), 1 << 100))
        await link.run(3 * link.longest + phase)
        assert link.status("b", "corrected") > 0
        fail(link, "a", phase)
        await link.run(100)
        assert link.state("b") == "unlocked"
        fail(link, "", 0)
        await link.up()
    await link.drain()
    total = link.account()
    assert total["good"] == total["sent"] == PARAMETERS["phases"]
    assert not any(counts(link).values())


@cocotb.test()
async def packets_wait_for_the_lock(dut):
    """Without lock no packet is refused before ``patience``, and each is after it: a session that has ended begins anew."""
    flow = await steady(dut)
    link, patience = flow.link, PARAMETERS["patience"]
    await spoil(flow, "ab")
    fail(link, "ab", 1)
    await link.until(lambda: link.state("a") == link.state("b") == "unlocked")
    await flow.run(patience - 100)
    assert not sum(link.status(end, name) for end in "ab" for name in ("restarts", "refused_packets"))
    await flow.run(100)
    assert link.status("a", "restarts") == link.status("b", "restarts") == 1
    assert link.status("a", "refused_packets") > 0
    await flow.run(200)
    fail(link, "", 0)
    await link.up()
    await link.drain()
    total = link.account()
    assert total["good"] < total["sent"]
    await all_arrive(link)


@cocotb.test()
async def a_reset_in_noise(dut):
    """An end is reset while the lines fail: the other end notices it after the noise, and both begin a new session."""
    flow = await steady(dut)
    link = flow.link
    for noisy in ("a", "b", "ab"):
        for which in ("a", "b", "ab"):
            await spoil(flow, noisy)
            fail(link, noisy, which)
            await flow.run(100)
            before = {end: link.status(end, "restarts") for end in "ab"}
            for end in which:
                await link.reset_one(end)
            await flow.run(100)
            fail(link, "", 0)
            await link.run(150)
            await link.up()
            for end in "ab":
                assert link.status(end, "restarts") == (0 if end in which else before[end] + 1)
            await link.drain()
            # Packets of the session before are lost with the buffers and counters of the end that was reset.
            link.account(unknown=10_000)
            await all_arrive(link)
            await flow.run(200)


async def all_arrive(link):
    """New packets all arrive, and nothing more is counted."""
    await link.forget()
    link.fill(20)
    await link.drain()
    total = link.account()
    assert total["good"] == total["sent"] == 2 * 20 * link.cores["a"].channels
