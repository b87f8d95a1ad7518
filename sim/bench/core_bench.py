"""Bench of the switch core, against the golden model: random traffic with stalls, latency, blocked channels, throughput.

Parameters: ``manifest`` (path); ``own`` (switch); ``packets`` (per input channel); ``stall``; ``seed``;
``blocked`` (number of output channels that are blocked in turn); for throughput
``cycles``, ``lengths`` (list), ``least`` (share of the cycles in which an output is busy), ``delay`` (cycles until a credit
returns).
"""

import random
from collections import Counter, deque
from itertools import product
from math import inf, isqrt

import cocotb

from dsnswitch.sim.bench.drivers.bubbles import Bubbles
from dsnswitch.sim.bench.drivers.core_driver import CoreDriver
from dsnswitch.sim.bench.drivers.core_traffic import Traffic
from dsnswitch.sim.bench.drivers.given import EVENTS, MANIFEST, PARAMETERS, SEED, STALL
from dsnswitch.sim.golden.core.core import SwitchModel

PORTS, BUBBLES = MANIFEST["core_ports"], Bubbles(MANIFEST)


def set_up(dut, seed=SEED, **behaviour):
    """Traffic, model and driver."""
    traffic = Traffic(MANIFEST, PARAMETERS.get("own"), random.Random(seed))
    sizes = MANIFEST["parameters"]
    depth, latency, age = sizes["depth"], MANIFEST["latency_cycles"], MANIFEST.get("age_cycles", 0)
    of, more = traffic.virtual_network_of, {"other": traffic.other} if traffic.second.exist else {}
    model = SwitchModel(traffic.header, traffic.decide, depth, latency, overtaking(of), age, of, **more)
    core = CoreDriver(dut, MANIFEST, model, EVENTS, seed, **behaviour)
    if BUBBLES.exist:
        BUBBLES.watched(model, core.receivers)
    return traffic, model, core


def overtaking(virtual_network_of):
    """A function of an input channel: how many packets of others may begin on an output channel for which one of it waits.

    Of n inputs of an arbiter, those with the same number modulo the root of n, rounded up, are a group; with ages all of them. On
    its channel, each other input of its group passes once, and each other group once before each of these. One packet of a single
    flit may pass before the output channel waits for a longer packet. Each virtual network has an arbiter of its own. A packet
    that enters a ring with bubbles needs more space than those in the ring, so any number of them may pass.
    """

    def most(waits, way):
        if BUBBLES.enters(waits, way):
            return inf
        inputs = [one for one in channels() if virtual_network_of(*one) == virtual_network_of(*waits)]
        groups = 1 if MANIFEST["parameters"].get("age") else isqrt(len(inputs) - 1) + 1
        return groups * len(range(inputs.index(waits) % groups, len(inputs), groups))

    return most


def channels():
    """Every input channel: ``(port, channel)``."""
    return [(number, v) for number, port in enumerate(PORTS) for v in range(port["channels"])]


def rounds(packets, output_of):
    """``(port, channel, packet)`` in groups, in each of which no input port and no output port occurs twice."""
    left = list(packets)
    while left:
        group, ins, outs, later = [], set(), set(), []
        for sent in left:
            number, output = sent[0], output_of(*sent)
            free = number not in ins and output not in outs
            (group if free else later).append(sent)
            if free:
                ins.add(number)
                outs.add(output)
        yield group
        left = later


@cocotb.test()
async def random_traffic(dut):
    """Packets of every length, broken ones included, from every input channel to every output, with stalls on every side."""
    reached = Counter()
    for mixed in (True, False):
        traffic, model, core = set_up(dut, SEED + mixed, stall=STALL, mixed=mixed, guesses=PARAMETERS.get("guesses", 0))
        await core.start(traffic)
        core.fill(PARAMETERS["packets"], traffic.any_packet)
        core.watch = lambda cycle, output, channel, flit: reached.update([(output, channel)])
        await core.drain()
        found, expected = (Counter({k: n for k, n in c.items() if n}) for c in (core.seen, model.events))
        assert found == expected, f"events {found - expected} too many, {expected - found} missing"
        dut._log.info("%d packets in %d cycles, overtaken %d times", model.packets, core.cycle, model.most_overtaken)
        assert model.packets
        assert model.aged or "age_cycles" not in MANIFEST
        assert bool(model.diverted) == traffic.second.exist
    outputs = {output for output, _ in reached}
    assert set(traffic.targets) <= outputs, "an output was never reached"
    # Second hops lead to others, too.
    assert traffic.second.exist or outputs == set(traffic.targets)
    assert not STALL or BUBBLES.is_covered()
    missing = set(EVENTS) - {name for name, _ in found}
    assert missing <= traffic.impossible, missing


@cocotb.test()
async def zero_load_latency(dut):
    """Every flit of a packet without a rival takes ``latency_cycles`` from each input channel to each output.

    Packets of one round differ in their input port and in their output port.
    """
    traffic, model, core = set_up(dut)
    await core.start(traffic)
    for length in {1, 2, traffic.longest}:
        ways = [(number, v, output) for number, v in channels() for output in traffic.outputs(number)]
        packets = [(number, v, traffic.packet(number, output, length, channel=v)) for number, v, output in ways]
        # A packet that may not take its route leaves by another output: on a detour, or marked, to a host.
        for group in rounds(packets, lambda *sent: traffic.way(*sent)[0]):
            for number, v, packet in group:
                core.queue(number, packet, v)
            await core.drain()
    assert set(model.latencies) == {MANIFEST["latency_cycles"]}, set(model.latencies)
    assert model.packets >= len(ways)


@cocotb.test()
async def blocked_class(dut):
    """An output channel without credits blocks no packet of another output channel."""
    traffic, model, core = set_up(dut)
    await core.start(traffic)
    ways = traffic.ways()
    assert len(ways) > 1
    for blocked in traffic.rng.sample(ways, min(PARAMETERS.get("blocked", 6), len(ways))):
        core.receivers[blocked[0]].blocked = {blocked[1]}
        # The first channel, in the virtual network of the blocked one, of every port but the last has packets for it; all others
        # have packets for the rest.
        network = traffic.virtual_network_of(*blocked)
        firsts = {(number, traffic.channels_for(number)[network]) for number in range(len(PORTS) - 1)}
        free = [one for one in channels() if one not in firsts]
        for number, v in firsts:
            if stuck := traffic.packet_by(number, blocked, traffic.longest, v):
                core.senders[number].queues[v] += [deque(stuck) for _ in range(4)]
        await core.run(20 * traffic.longest)
        stopped, sent = model.packets, 0
        for (number, v), way in product(free, ways):
            if way != blocked and (packet := traffic.packet_by(number, way, traffic.longest, v)):
                core.queue(number, packet, v)
                sent += 1
        limit = (sent + 2) * (traffic.longest + 20)
        await core.run(limit, lambda stopped=stopped, sent=sent: model.packets - stopped >= sent)
        await core.run(traffic.longest + 20)
        assert model.packets - stopped == sent, f"{blocked} blocked: {model.packets - stopped} of {sent} packets left"
        core.receivers[blocked[0]].blocked = set()
        await core.drain()


async def offered(core, fill, cycles):
    """Run ``cycles``. ``fill(number, channel)`` is the next packet of an input channel whose queue is nearly empty."""
    for _ in range(cycles):
        for number, v in channels():
            queue = core.senders[number].queues[v]
            while len(queue) < 2:
                queue.append(deque(fill(number, v)))
        await core.step()


@cocotb.test()
async def permutations(dut):
    """Conflict-free permutations pass at full rate: every output sends a flit in every cycle."""
    for length in (1, PARAMETERS.get("lengths", [1])[-1]):
        traffic, _, core = set_up(dut, delay=PARAMETERS.get("delay", 4))
        await core.start(traffic)
        targets = list(traffic.targets)
        # No packet leaves by the port on which it came. Inputs without an output of their own send nothing.
        for shift in range(1, len(targets)):
            to = {number: targets[(place + shift) % len(targets)] for place, number in enumerate(targets)}
            # Virtual networks take turns.
            own = {number: traffic.channels_for(number)[shift % len(traffic.channels_for(number))] for number in to}
            for _ in range(PARAMETERS["cycles"] // 10):
                for number, output in to.items():
                    queue = core.senders[number].queues[own[number]]
                    while len(queue) < 3:
                        queue.append(deque(traffic.packet(number, output, length, channel=own[number])))
                await core.step()
            warm = core.cycle - 20
            counts = Counter()
            core.watch = lambda cycle, output, channel, flit, counts=counts: counts.update([output])
            for _ in range(20):
                for number, output in to.items():
                    core.queue(number, traffic.packet(number, output, length, channel=own[number]), own[number])
                await core.step()
            core.watch = None
            assert set(counts.values()) == {20}, f"shift {shift}, length {length}, from cycle {warm}: {counts}"
            for sender in core.senders:
                for queue in sender.queues:
                    while len(queue) > 1:
                        queue.pop()
            await core.drain()


@cocotb.test()
async def uniform_throughput(dut):
    """Saturation throughput with uniformly random outputs: the share of cycles in which an output is busy."""
    for length in PARAMETERS["lengths"]:
        traffic, _, core = set_up(dut, delay=PARAMETERS.get("delay", 4))
        await core.start(traffic)
        targets = [traffic.outputs(number) for number, _ in enumerate(PORTS)]

        def fill(number, channel, traffic=traffic, targets=targets, length=length):
            return traffic.packet(number, traffic.rng.choice(targets[number]), length, channel=channel)

        cycles = PARAMETERS["cycles"]
        await offered(core, fill, cycles // 4)
        before = sum(receiver.flits for receiver in core.receivers)
        await offered(core, fill, cycles)
        share = (sum(receiver.flits for receiver in core.receivers) - before) / cycles / len(traffic.targets)
        dut._log.info("packets of %d flits: throughput %.3f of %d outputs", length, share, len(traffic.targets))
        assert share >= PARAMETERS["least"], f"packets of {length} flits: throughput {share:.3f}"
