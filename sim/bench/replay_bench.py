"""Bench of two fabric ports without pauses: with retransmission, one or two bad codewords cost a round trip, and no flit.

The cores offer a flit in each cycle, so that no pause of the line ends a frame between an error and its replay. Parameters:
``manifest`` (path); ``lengths`` of the packets, in turn; ``ends``, which send; ``channels``, which are used; ``phases``, the
number of bad codewords; ``distances`` of two bad codewords, in words; ``gap``, the most cycles without a flit after a bad
codeword; ``answers``, if the second one is in the other direction; ``late``, how many of the second ones may hit the start of
the replay, after which the next gap begins; ``abort``, if each bad codeword comes shortly after an abort; ``errors``, a bit
error rate, ``cycles`` and ``least``, flits per cycle; ``least`` to ``resumes``, resumes per packet; those of
:class:`FabricLink`. Of lines that fail for a while: ``noise``, lengths of the failures in words; ``noisy``, the ends whose words
are lost; ``phases``, the number of failures of each length; ``unmarked``, the most packets that noise may change.
"""

import random
from collections import Counter
from itertools import cycle, pairwise

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS
from dsnswitch.sim.bench.drivers.port_link import FabricLink
from dsnswitch.sim.bench.drivers.port_wires import random_errors

STRICT = PARAMETERS.get("strict", [1])[0]
#: Counters that must stay 0.
LOSSES = ("bad_packets", "lost_packets", "refused_packets", "dropped_flits", "gave_up", "restarts")
#: Wrong bits of a word that make its codeword uncorrectable: two bits that are always in one codeword, or nine symbols. A port
#: that corrects nothing needs one.
LIGHT = 0b100 if MANIFEST["parameters"]["detect"] else 0b110
SYMBOLS = sum(1 << 10 * place for place in range(9))


def longest(times):
    """The longest time without an event."""
    return max(after - before for before, after in pairwise(sorted(times)))


class Flow:
    """Packets without a pause, and the longest time without a flit after each of some words of the line."""

    def __init__(self, link):
        self.link, self.gaps, self.hits, self._lengths = link, [], 0, cycle(PARAMETERS.get("lengths", [link.longest]))
        self.error = SYMBOLS if link.link == "strict" or (link.link == "selected" and STRICT) else LIGHT
        self._second = "b" if PARAMETERS.get("answers") else "a"
        self._latency = link.manifest["fabric"]["rx_latency_cycles"]
        channels = PARAMETERS.get("channels") or range(link.cores["a"].channels)
        self._flows = [(end, channel) for end in PARAMETERS.get("ends", "a") for channel in channels]

    async def run(self, cycles, bad=False):
        """Step, while a packet waits for each flow; ``bad``: the first ones end with a bad tail."""
        for _ in range(cycles):
            for end, channel in self._flows:
                if not self.link.cores[end].waiting[channel]:
                    self.link.packet(end, channel, next(self._lengths), bad)
            bad = False
            await self.link.step()

    async def spoil(self, distances, settled):
        """Make codewords of ``a`` uncorrectable, at ``distances`` from the next word; run until the flow is steady again.

        With ``answers``, all but the first are of ``b``.
        """
        link, [first, *seconds] = self.link, distances
        for end, number in [("a", first), *((self._second, second) for second in seconds)]:
            cable = link.cables[end]
            cable.wrong[len(cable.sent) + number] = self.error
        since = link.cycle
        await self.run(settled)
        times = [time for time, _, flit in link.cores["b"].received if flit and time >= since]
        times = [since, *times, link.cycle]
        self.hits += longest(times) > PARAMETERS.get("gap", 0)
        if self._second == "a":
            times += [since + second + link.delay + self._latency for second in seconds]
        self.gaps.append(longest(times))

    async def check(self):
        """Every packet arrives once, and no link gave up."""
        link = self.link
        bad = sum(flit[3] for core in link.cores.values() for _, _, flit in core.sent)
        await link.drain()
        total = link.account()
        counts = {name: link.sum(name) for name in LOSSES}
        used = {gap: self.gaps.count(gap) for gap in sorted(set(self.gaps))}
        link.dut._log.info("%s, %s, cycles without a flit: %s, %d hits", dict(total), counts, used, self.hits)
        assert counts.pop("bad_packets") == bad
        assert not any(counts.values()), counts
        assert total["good"] == total["sent"] - bad
        assert link.status("b", "uncorrectable") >= len(self.gaps)
        assert bool(bad) == bool(PARAMETERS.get("abort"))
        assert max(self.gaps) <= PARAMETERS["gap"], used
        assert self.hits <= PARAMETERS.get("late", 0), self.hits


async def steady(dut):
    """A flow that fills the line."""
    link = await FabricLink.begin(dut, stall=0)
    flow = Flow(link)
    await flow.run(4 * (MANIFEST["parameters"]["round_trip"] or 200))
    return flow


@cocotb.test()
async def one_bad_codeword(dut):
    """One bad codeword at every phase of packets, counts and words."""
    flow = await steady(dut)
    pause = 2 * MANIFEST["parameters"]["round_trip"]
    for phase in range(PARAMETERS["phases"]):
        if PARAMETERS.get("abort"):
            await flow.run(10 + phase % 40, bad=True)
        await flow.spoil([3], pause + phase % 37)
    await flow.check()


@cocotb.test()
async def two_bad_codewords(dut):
    """Two bad codewords at each distance, so that the second also hits the request, the start of the replay, and the replay."""
    flow = await steady(dut)
    pause = 3 * MANIFEST["parameters"]["round_trip"]
    for distance in PARAMETERS["distances"]:
        await flow.spoil([3, 3 + distance], distance + pause)
    await flow.check()


@cocotb.test()
async def rate_with_wrong_bits(dut):
    """Random wrong bits in both directions, at the rate ``errors``, for ``cycles``: at least ``least`` flits per cycle arrive."""
    flow = await steady(dut)
    link, cycles = flow.link, PARAMETERS["cycles"]
    for seed, cable in enumerate(link.cables.values()):
        errors = random_errors(seed, cycles, link.width, PARAMETERS["errors"])
        cable.wrong |= {len(cable.sent) + number: error for number, error in errors.items()}
    since = len(link.cores["b"].received)
    await flow.run(cycles)
    rate = sum(flit is not None for _, _, flit in link.cores["b"].received[since:]) / cycles
    dut._log.info("%.3f flits per cycle", rate)
    assert link.status("b", "uncorrectable") > 0
    assert not link.status("a", "gave_up")
    await link.drain()
    link.account()
    assert rate >= PARAMETERS["least"], rate


@cocotb.test()
async def counts_within_packets(dut):
    """Both directions are full: counts of credits within packets cost at most ``resumes`` blocks per packet."""
    flow = await steady(dut)
    link = flow.link
    resumed = link.status("a", "resumed")
    packets = sum(flit[1] for _, _, flit in link.cores["a"].sent)
    await flow.run(PARAMETERS["cycles"])
    resumed = link.status("a", "resumed") - resumed
    packets = sum(flit[1] for _, _, flit in link.cores["a"].sent) - packets
    dut._log.info("%d resumes for %d packets", resumed, packets)
    assert packets > PARAMETERS["cycles"] // (2 * link.longest)
    assert PARAMETERS["least"] * packets <= resumed <= PARAMETERS["resumes"] * packets
    await link.drain()
    link.account()


def fail(link, noisy, seed):
    """Random words replace those of the ends ``noisy``; without any, the lines are whole again."""
    rng = random.Random(f"{PARAMETERS.get('seed', 1)} {seed}")
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
            await flow.run(2 * MANIFEST["parameters"]["round_trip"] + phase % 37)
    await link.drain()
    return number


def counts(link):
    """Counters of losses of both ends."""
    return Counter({name: link.sum(name) for name in LOSSES})


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
    """Noise at once: some first words are taken for flits. They end their packets, and no session."""
    flow = await steady(dut)
    link, number = flow.link, await failures(flow, spoils=False)
    total, lost = link.judge("a", "b") + link.judge("b", "a"), counts(link)
    dut._log.info("%d failures, %s, %s", number, dict(total), dict(lost))
    assert 0 < lost["bad_packets"] <= number * len(PARAMETERS["noisy"])
    # With packets whose head was replaced.
    changed = total["sent"] - total["good"] - lost["bad_packets"]
    assert total["corrupted"] <= changed <= PARAMETERS["unmarked"]
    assert not any(lost[name] for name in ("lost_packets", "refused_packets", "gave_up", "restarts"))


@cocotb.test()
async def headers_are_wrong(dut):
    """A wrong bit in every header, or every second, is corrected, but ends the lock within packets: last flits may be noise."""
    flow = await steady(dut)
    link, cable, lost = flow.link, flow.link.cables["a"], 0
    for phase in range(PARAMETERS["phases"]):
        first = len(cable.sent) + 3
        cable.wrong.update(dict.fromkeys(range(first, first + 48, 1 + phase % 2), 1))
        for _ in range(150 + 2 * link.delay):
            lost += link.state("b") == "unlocked"
            await flow.run(1)
        await flow.run(phase)
    await link.drain()
    total = link.account()
    dut._log.info("%d cycles without lock, %s, %s", lost, dict(total), dict(counts(link)))
    assert lost >= 50 * PARAMETERS["phases"]
    assert not link.status("b", "uncorrectable")
    assert 0 < link.status("b", "bad_packets") <= PARAMETERS["phases"]
    assert total["good"] + total["bad_packets"] == total["sent"]
    assert not link.sum("restarts")


@cocotb.test()
async def noise_on_an_idle_line(dut):
    """Noise that follows a corrected packet and other blocks is not taken for its flits: the session goes on."""
    link = await FabricLink.begin(dut, stall=0)
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
    # The rest of a packet that has begun is dropped before the first head.
    rest = 0
    while not link.status("a", "refused_packets"):
        rest += 1
        assert rest < link.longest, "no packet is refused"
        await flow.run(1)
    await flow.run(200)
    fail(link, "", 0)
    await link.up()
    await link.drain()
    total = link.account()
    assert total["good"] < total["sent"]
    await link.all_arrive(20)


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
            await link.all_arrive(20)
            await flow.run(200)
