"""Bench of one switch with a fabric port at the other end of every line, against golden models of switch, line and links.

The bench compares the flits that enter and leave at hosts and at the other ends of the lines with the golden model of the
core. The golden model of the line reads every line. Parameters: ``manifest`` (path); ``own`` (switch); ``packets`` (per input
channel); ``stall``; ``seed``; of a switch with registers ``registers``, as :class:`ManagedSwitch` takes
them.
"""

import math
import random
from collections import Counter

import cocotb

from dsnswitch.sim.bench.drivers.core_traffic import Traffic
from dsnswitch.sim.bench.drivers.given import EVENTS, MANIFEST, PARAMETERS, SEED, STALL
from dsnswitch.sim.bench.drivers.managed_switch import ManagedSwitch
from dsnswitch.sim.bench.drivers.switch_driver import DeviceDriver
from dsnswitch.sim.golden.core.core import SwitchModel

PORTS = MANIFEST["switch_ports"]
#: Latency of the core alone, in cycles.
CORE = MANIFEST["latency_cycles"] - sum(max(port[f"{way}_latency_cycles"] for port in PORTS) for way in ("rx", "tx"))
REGISTERS = PARAMETERS.get("registers")


class DeviceModel(SwitchModel):
    """The model of the core, as seen from the far ends of lines: only packets with the same output channel stay in order.

    Lines delay flits, so the bound for overtaking does not hold at their ends.
    """

    def __init__(self, traffic, latency):
        depth, of = MANIFEST["parameters"]["depth"], traffic.virtual_network_of
        super().__init__(traffic.header, traffic.decide, depth, latency, lambda *_: math.inf, virtual_network_of=of)

    def queue_of(self, packet):
        return packet.source, packet.way


async def begin(dut, **behaviour):
    """Traffic, model and driver of a switch whose links are up."""
    traffic = Traffic(MANIFEST, PARAMETERS.get("own"), random.Random(SEED), missing=False, dead=False)
    model = DeviceModel(traffic, CORE)
    if REGISTERS:
        device = ManagedSwitch(dut, MANIFEST, model, REGISTERS, SEED, **behaviour)
    else:
        device = DeviceDriver(dut, MANIFEST, model, EVENTS, SEED, **behaviour)
    await device.begin(traffic)
    return traffic, model, device


@cocotb.test()
async def random_traffic(dut):
    """All packets from every input channel to every output arrive, with stalls. Each line carries the flits of its ends."""
    traffic, model, device = await begin(dut, stall=STALL)

    def packet(number, channel):
        length = traffic.rng.choice((1, 1, 2, traffic.longest))
        return traffic.packet(number, traffic.rng.choice(traffic.outputs(number)), length, channel=channel)

    device.fill(PARAMETERS["packets"], packet)
    sent = sum(len(queue) for sender in device.senders for queue in sender.queues)
    await device.drain()
    await device.run(20)
    dut._log.info("%d packets in %d cycles", model.packets, device.cycle)
    assert model.packets == sent
    events = +Counter(await device.events())
    assert not events, f"events {events}"
    device.check_lines(traffic.targets)
    for name in device.lines:
        counted = await device.counters(name)
        # Packets of several channels of one line may be interleaved.
        assert not any(count for counter, count in counted.items() if counter != "resumed"), (name, counted)


@cocotb.test()
async def zero_load_latency(dut):
    """A single packet takes the number of cycles that the manifest states, from each port to each port."""
    traffic, _, device = await begin(dut)
    found, stated = {}, {}
    for number, came in enumerate(PORTS):
        for output in traffic.outputs(number):
            for length in sorted({1, 2, traffic.longest}):
                device.queue(number, traffic.packet(number, output, length))
                entered, left = len(device.entered[number]), len(device.left[output])
                await device.drain()
                await device.run(4)
                ins, outs = device.entered[number][entered:], device.left[output][left:]
                assert len(ins) == len(outs) == length
                found.setdefault((number, output), set()).update(b - a for a, b in zip(ins, outs))
                stated[number, output] = {came["rx_latency_cycles"] + CORE + PORTS[output]["tx_latency_cycles"]}
    dut._log.info("latency of a hop %s", Counter(cycles for each in found.values() for cycles in each))
    assert found == stated
    assert {PORTS[number]["link"] for number, _ in found} == {"fabric", "flits"}
    # A hop from line to line needs two lines.
    lines = sum(port["link"] == "fabric" for port in PORTS)
    assert lines < 2 or {MANIFEST["latency_cycles"]} in stated.values()


def with_fault(traffic, number, fault, channel=0):
    """A packet from port ``number`` with ``fault``, which the core must drop. ``fault`` None makes a packet that it delivers."""
    length, output = traffic.rng.choice((1, 2, traffic.longest)), traffic.rng.choice(traffic.outputs(number))
    low, high = traffic.header.fields["hops"]
    changes = {"hops": (1 << high - low + 1) - 1} if fault == "expired" else {}
    if fault == "invalid":
        name, value = traffic.rng.choice(traffic.outside)
        changes = {name: value}
    packet = traffic.packet(number, output, length, changes, channel)
    if fault == "bad_header":
        packet[0] = packet[0]._replace(data=packet[0].data ^ 1 << traffic.rng.randrange(low))
    return packet


@cocotb.test()
async def broken_packets(dut):
    """Packets with a wrong header are dropped and counted once, at every input. The others arrive."""
    traffic, model, device = await begin(dut, stall=STALL)
    # In some networks, every address is that of a switch.
    always = ["expired", "invalid"] if traffic.outside else ["expired"]

    def packet(number, channel):
        # A line does not deliver a wrong header.
        faults = [*always, None] + ["bad_header"] * (PORTS[number]["link"] == "flits")
        return with_fault(traffic, number, traffic.rng.choice(faults), channel)

    device.fill(PARAMETERS["packets"], packet)
    await device.drain()
    await device.run(20)
    found, expected = (Counter({k: n for k, n in c.items() if n}) for c in (await device.events(), model.events))
    assert found == expected, f"events {found - expected} too many, {expected - found} missing"
    assert {name for name, _ in found} == {*always, "bad_header"}


@cocotb.test()
async def changed_packets(dut):
    """A packet that a line has changed reaches its host with a mark, and is counted; hosts leave the check to the switch."""
    traffic, _, device = await begin(dut, stall=STALL)
    hosts = [number for number, port in enumerate(PORTS) if port["link"] == "flits"]
    changed = Counter()

    def packet(number, channel):
        output, length = traffic.rng.choice(traffic.outputs(number)), traffic.rng.choice((1, 2, traffic.longest))
        flits = traffic.packet(number, output, length, channel=channel)
        place = traffic.check.place(length)
        if number in hosts or output not in hosts or place is None or traffic.rng.random() < 0.5:
            return flits
        # The model sees the mark that the host port will make.
        wrong = sum(1 << bit for bit in traffic.rng.sample(range(place, place + 32), traffic.rng.randint(1, 3)))
        flits[-1] = flits[-1]._replace(data=flits[-1].data ^ wrong, bad=1)
        changed[output] += 1
        return flits

    device.fill(PARAMETERS["packets"], packet)
    await device.drain()
    await device.run(20)
    assert changed.total() > PARAMETERS["packets"] // 10, changed
    found = {number: await device.wrong_checks(number) for number in hosts}
    assert found == {number: changed[number] for number in hosts}, (found, changed)
