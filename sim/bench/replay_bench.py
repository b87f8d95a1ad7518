"""Bench of two fabric ports without pauses: with retransmission, one or two bad codewords cost a round trip, and no flit.

The cores offer a flit in each cycle, so that no pause of the line ends a frame between an error and its replay. Parameters:
``manifest`` (path); ``lengths`` of the packets, in turn; ``ends``, which send; ``channels``, which are used; ``phases``, the
number of bad codewords; ``distances`` of two bad codewords, in words; ``gap``, the most cycles without a flit after a bad
codeword; ``answers``, if the second one is in the other direction; ``late``, how many of the second ones may hit the start of
the replay, after which the next gap begins; ``abort``, if each bad codeword comes shortly after an abort; ``errors``, a bit
error rate, ``cycles`` and ``least``, flits per cycle; ``least`` to ``resumes``, resumes per packet; those of
:class:`FabricLink`.
"""

from itertools import cycle, pairwise

import cocotb

from dsnswitch.sim.bench.drivers.pins import load, load_manifest
from dsnswitch.sim.bench.drivers.port_link import FabricLink
from dsnswitch.sim.bench.drivers.port_wires import random_errors

PARAMETERS, MANIFEST = load(), load_manifest()
STRICT = PARAMETERS.get("strict", [1])[0]
#: Counters that must stay 0.
LOSSES = ("bad_packets", "lost_packets", "refused_packets", "dropped_flits", "gave_up", "restarts")
#: Wrong bits of a word that make its codeword uncorrectable: two bits that are always in one codeword, or nine symbols.
LIGHT, SYMBOLS = 0b110, sum(1 << 10 * place for place in range(9))


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
        counts = {name: link.status("a", name) + link.status("b", name) for name in LOSSES}
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
    link = await FabricLink.begin(dut, MANIFEST, PARAMETERS | {"stall": 0})
    await link.up()
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
