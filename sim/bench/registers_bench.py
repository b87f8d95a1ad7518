"""Every register of a switch over APB: reset values, reads, writes, errors, counters of real traffic, tables,
ports down, credits that a core loses.

Parameters: ``manifest`` (path); ``own`` (switch); ``registers``: the compiled SystemRDL, as
:class:`ManagedSwitch` takes it; ``address_width``; ``packets``; ``seed``.
"""

import random
from collections import Counter, deque
from itertools import pairwise

import cocotb

from dsnswitch.sim.bench.drivers.core_traffic import Traffic
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED
from dsnswitch.sim.bench.drivers.managed_switch import ManagedSwitch
from dsnswitch.sim.bench.switch_bench import DeviceModel, with_fault
from dsnswitch.sim.golden.core.core import flits_of
from dsnswitch.sim.topology import address_of

REGISTERS, PORTS = PARAMETERS["registers"], MANIFEST["core_ports"]
LINES = [port for port in PORTS if port["kind"] != "host"]
HOSTS = [number for number, port in enumerate(PORTS) if port["kind"] == "host"]
#: Packets that a host sends to a host and the core ends as bad, or flits that it drops.
BROKEN = ("bad", "short", "stray")


async def begin(dut, alone=False, **behaviour):
    """Traffic and driver of a switch; ``alone``: after a reset, with lines that bring noise, and tables that are not written."""
    traffic = Traffic(MANIFEST, PARAMETERS.get("own"), random.Random(SEED), dead=False)
    model = DeviceModel(traffic, 2)
    switch = ManagedSwitch(dut, MANIFEST, model, REGISTERS, SEED, **behaviour)
    switch.noise, switch.loads = alone, not alone
    if alone:
        switch.idle(traffic)
        await switch.start(traffic)
    else:
        await switch.begin(traffic)
    return traffic, switch


def at_reset(entry, own):
    """The word that a register has after a reset."""
    word = sum((one["reset"] or 0) << one["low"] for one in entry["fields"])
    if entry["path"].startswith("device.own_address"):
        index = int(entry["path"].split("[")[1][:-1])
        return own >> 32 * index & (1 << 32) - 1
    return word


@cocotb.test()
async def every_address(dut):
    """Each register has its reset value; every other address, and one that is not a multiple of 4, is an error."""
    traffic, switch = await begin(dut, alone=True)
    own = address_of(traffic.network, traffic.own)
    known = {entry["address"]: at_reset(entry, own) for entry in REGISTERS}
    assert len(known) == len(REGISTERS)
    for address in range(0, 1 << PARAMETERS["address_width"], 4):
        found = await switch.transfer(address, error=address not in known)
        assert found == known.get(address, 0), f"{address:#x} has {found:#x}"
    for address in (1, 2, 3, max(known) + 1):
        assert await switch.transfer(address, error=True) == 0


@cocotb.test()
async def every_write(dut):
    """Settings are read back, events and pulses are not; a write to a register without a writable field is an error."""
    traffic, switch = await begin(dut, alone=True)
    own, rng = address_of(traffic.network, traffic.own), random.Random(3)
    words = {entry["path"]: at_reset(entry, own) for entry in REGISTERS}
    for value in (0xFFFFFFFF, 0, None):
        for entry in REGISTERS:
            path, fields = entry["path"], entry["fields"]
            written = rng.getrandbits(32) if value is None else value
            await switch.transfer(entry["address"], written, error=not any(one["writable"] for one in fields))
            for one in fields:
                if one["kept"]:
                    mask = (1 << one["width"]) - 1 << one["low"]
                    words[path] = words[path] & ~mask | written & mask
            assert await switch.read(path) == words[path], path
    for path, word in words.items():
        assert await switch.read(path) == word, f"{path} has changed"


def broken(traffic, number, channel):
    """A packet from a host to a host that the core must not pass on as it is."""
    packet = traffic.packet(number, traffic.rng.choice(HOSTS), traffic.longest, channel=channel)
    fault = traffic.rng.choice(BROKEN)
    if fault == "bad":
        packet[-1] = packet[-1]._replace(bad=1)
    elif fault == "short":
        del packet[1:-1]
        if traffic.check:
            packet = flits_of(traffic.check.stamped([flit.data for flit in packet]))
    else:
        packet[0] = packet[0]._replace(head=0)
    return packet


@cocotb.test()
async def counters_count(dut):
    """Counters of all ports are those of the golden model and of the bench, also of broken packets; then they are cleared."""
    traffic, switch = await begin(dut, stall=0.3)
    model = switch.model
    assert len(LINES) == (await switch.read("device.ports")) & 0xFF
    assert await switch.read("device.links_up[0]") == (1 << len(LINES)) - 1

    def packet(number, channel):
        faults = ["expired", "no_route", None, None] + ["bad_header", "broken"] * (number in HOSTS)
        fault = traffic.rng.choice(faults)
        if fault == "broken":
            return broken(traffic, number, channel)
        no_route = fault == "no_route"
        return without_route(traffic, number, channel) if no_route else with_fault(traffic, number, fault, channel)

    switch.fill(PARAMETERS["packets"], packet)
    await switch.drain()
    await switch.run(20)
    switch.check_lines(traffic.targets)
    expected = switch.counts + Counter({(PORTS[number]["name"], name): n for (name, number), n in model.events.items()})
    names = {name for _, name in expected}
    assert {"bad_in", "bad_out", "bad_header", "expired", "no_route", "bad_length", "stray"} <= names, names
    for number, port in enumerate(PORTS):
        for name in MANIFEST_COUNTERS:
            found = await switch.read(f"{port['name']}.{name}")
            assert found == expected[port["name"], name], f"{port['name']}.{name} is {found}"
        for channel in range(port["channels"]):
            fill = await switch.read(f"{port['name']}.greatest_fill[{channel}]")
            most = switch.fills[number, channel]
            # The buffer is at the other side of a line for the sender, which sees the credits later.
            assert fill == most if number in HOSTS else 0 < fill <= most, (port["name"], channel, fill, most)
    for port in LINES:
        await line_counters(switch, port["name"])
    await switch.write("device.control", await switch.read("device.control") | 1)
    for entry in REGISTERS:
        if entry["path"].split(".")[0] != "device" and entry["fields"][0]["name"] in ("count", "flits"):
            assert await switch.read(entry["path"]) == 0, f"{entry['path']} is not cleared"


#: Counters that every port has.
MANIFEST_COUNTERS = [
    entry["path"].split(".")[1]
    for entry in REGISTERS
    if entry["path"].startswith(PORTS[-1]["name"] + ".")
    and "[" not in entry["path"]
    and entry["fields"][0]["name"] == "count"
    and entry["path"].split(".")[1] not in ("untaken_packets", "bad_check")
]


def without_route(traffic, number, channel):
    """A packet that follows tables to a destination that they do not have."""
    switch = traffic.rng.choice(sorted(traffic.missing))
    length = traffic.rng.choice((1, 2, traffic.longest))
    head = traffic._head(switch, 0, length, traffic._named(number, channel) | {"flags.by_table": 1})
    return traffic._flits(head, length)


async def line_counters(switch, name):
    """Wrong bits on a line are corrected or not, and counted."""
    for counter in ("corrected", "uncorrectable"):
        assert await switch.read(f"{name}.{counter}") == 0
    for number in range(5):
        await switch.codeword(name, 1 << 7 * number)
        await switch.run(3)
    await switch.codeword(name, 3 << 100)
    await switch.run(10)
    assert await switch.read(f"{name}.corrected") == 5
    assert await switch.read(f"{name}.uncorrectable") == 1


@cocotb.test()
async def waits_for_credits(dut):
    """A class counts the cycles in which a packet waits for credits; a stalled port and a packet that can go do not count."""
    traffic, switch = await begin(dut)
    source, sink = HOSTS
    name, depth = f"{PORTS[sink]['name']}.credit_stalls[0]", MANIFEST["parameters"]["depth"]
    switch.receivers[sink].blocked = {0}
    send = lambda length: switch.queue(source, traffic.packet(source, sink, length))  # noqa: E731
    # As many packets as the receiver can take, with less credits left than a longest packet needs.
    for _ in range(depth // traffic.longest):
        send(traffic.longest)
    await switch.run(40)
    left = depth % traffic.longest
    assert left, "the buffer must not be a multiple of a packet"
    # The port is stalled, so that the packet of one flit waits, but not for credits.
    switch.held = {sink}
    await switch.run(4)
    send(1)
    await switch.run(20)
    assert await switch.read(name) == 0, "a packet of one flit needs one credit"
    switch.held = set()
    await switch.run(20)
    send(traffic.longest)
    await switch.run(20)
    times, counts = [], []
    for pause in (0, 7, 30):
        await switch.run(pause)
        times.append(switch.cycle)
        counts.append(await switch.read(name))
    assert counts[0]
    assert [b - a for a, b in pairwise(counts)] == [b - a for a, b in pairwise(times)]
    switch.receivers[sink].blocked = set()
    await switch.drain()
    after = await switch.read(name)
    await switch.run(20)
    assert await switch.read(name) == after
    # A port that is stalled has credits.
    switch.held = {sink}
    send(traffic.longest)
    await switch.run(30)
    assert switch.senders[source].credits != [depth]
    assert await switch.read(name) == after
    switch.held = set()
    await switch.drain()
    others = [entry["path"] for entry in REGISTERS if "credit_stalls" in entry["path"] and entry["path"] != name]
    for path in others:
        assert await switch.read(path) == 0, path


@cocotb.test()
async def tables_change_routes(dut):
    """A new entry sends packets elsewhere at once; with table_mode all packets follow tables; without table_loaded none do."""
    traffic, switch = await begin(dut)
    there = next(s for s in traffic.network.switches() if s != traffic.own and s not in traffic.missing)
    old = traffic._output(there, 0)
    new = next(number for number, port in enumerate(PORTS) if number not in HOSTS and number != old)
    decided = traffic._output
    key = address_of(traffic.network, there)
    for mode in (0, 1):
        control = await switch.read("device.control")
        await switch.write("device.control", control & ~2 | mode << 1)
        for output in (new, old):
            await switch.write_entry({"write_word": key, "write_valid": 1, "write_action": PORTS[output]["index"]})
            traffic._output = lambda s, h, output=output: output if s == there else decided(s, h)
            before = len(switch.left[output])
            for source in HOSTS:
                head = traffic._head(there, 0, 2, {"flags.by_table": int(not mode)})
                switch.queue(source, traffic._flits(head, 2))
            if mode:
                switch.model.decide = lambda n, c, w: traffic.decide(n, c, w | 1 << traffic.header.fields["flags.by_table"][0])
            await switch.drain()
            assert len(switch.left[output]) == before + 2 * len(HOSTS)
    control = await switch.read("device.control")
    await switch.write("device.control", control & ~4)
    switch.model.decide = lambda n, c, w: ("no_route", 1)
    head = traffic._head(there, 0, 2, {"flags.by_table": 1})
    switch.queue(HOSTS[0], traffic._flits(head, 2))
    await switch.drain()
    assert await switch.read(f"{PORTS[HOSTS[0]]['name']}.no_route") == 1


@cocotb.test()
async def a_port_goes_down(dut):
    """The link of a port that is set down stops, and starts again; tables do not use the port."""
    traffic, switch = await begin(dut)
    for number, port in enumerate(LINES):
        name, up = port["name"], (1 << len(LINES)) - 1
        assert await switch.field(f"{name}.link", "state") == MANIFEST["fabric"]["states"].index("up")
        peer, far = traffic.network.neighbour(traffic.own, port["index"])
        assert await switch.read(f"{name}.peer_address[0]") == address_of(traffic.network, peer)
        assert await switch.field(f"{name}.peer", "port") == far
        for path, field in (("peer_sizes", "flit"), ("peer_sizes", "depth"), ("peer", "packet")):
            assert await switch.field(f"{name}.{path}", field) == MANIFEST["parameters"][field]
        assert await switch.read(f"{name}.link_events") == 0
        restarts = await switch.read(f"{name}.restarts")
        await switch.write(f"{name}.port_control", 1)
        await switch.run(40)
        assert await switch.field(f"{name}.link", "state") == MANIFEST["fabric"]["states"].index("unlocked")
        assert await switch.field(f"{name}.link", "locked") == 1
        assert await switch.read("device.links_up[0]") == up & ~(1 << number)
        assert await switch.read(f"{name}.restarts") == restarts + 1
        traffic.dead = {port["index"]}
        output = PORTS.index(port)
        count = await switch.read(f"{PORTS[HOSTS[0]]['name']}.no_route")
        switch.queue(HOSTS[0], traffic.packet(HOSTS[0], output, 2, {"flags.by_table": 0}))
        await switch.drain()
        assert await switch.read(f"{PORTS[HOSTS[0]]['name']}.no_route") == count + 1
        traffic.dead = set()
        assert await switch.read(f"{name}.link_events") == 1
        await switch.write(f"{name}.link_events", 1)
        assert await switch.read(f"{name}.link_events") == 0
        await switch.write(f"{name}.port_control", 0)
        await switch.links_up()
        assert await switch.read("device.links_up[0]") == up


@cocotb.test()
async def credits_are_lost(dut):
    """A core that loses one credit of each channel of its lines: the links start again, and every sender has its credits."""
    traffic, switch = await begin(dut)
    for number, port in enumerate(PORTS):
        if number in HOSTS:
            continue
        for queue in switch.senders[number].queues:
            for _ in range(PARAMETERS["packets"]):
                queue.append(deque(traffic.packet(number, HOSTS[0], traffic.longest)))
        await switch.drain()
        await switch.links_up()
        assert await switch.read(f"{port['name']}.lost_credits") == 1
        assert await switch.read(f"{port['name']}.restarts") == 1
        assert not await switch.field(f"{port['name']}.link", "differs_address")
    assert all(credits == MANIFEST["parameters"]["depth"] for s in switch.senders for credits in s.credits)


@cocotb.test()
async def far_credits_are_lost(dut):
    """The core at the other end of a line loses a credit: the link starts again once, and all credits return.

    With several virtual networks, it goes on; as many losses as a channel has credits stop no packet.
    """
    traffic, switch = await begin(dut)
    several = "virtual_networks" in PORTS[0]
    losses = MANIFEST["parameters"]["depth"] if several else 1
    for line in LINES:
        number, name = PORTS.index(line), line["name"]
        far, receiver, empty = switch._far[name], switch.receivers[number], getattr(dut, f"{name}_far_core_empty")

        async def is_empty(empty=empty, channels=line["channels"]):
            """The core says long enough that its buffers are empty."""
            empty.value = (1 << channels) - 1
            await switch.run(200)
            empty.value = 0

        for count, loses in enumerate([True] * losses + [False]):
            for host in HOSTS:
                for _ in range(PARAMETERS["packets"]):
                    switch.queue(host, traffic.packet(host, number, traffic.longest))
            receiver.blocked = set(range(line["channels"])) if loses else set()
            await switch.run(60)
            held = [flits for flits in receiver.full if flits]
            assert bool(held) == loses
            for flits in held:
                flits.popleft()
            receiver.blocked = set()
            await switch.drain()
            assert far.counters()["lost_credits"] == count
            await is_empty()
            await switch.links_up()
            assert far.counters()["lost_credits"] == min(count + 1, losses)
            assert far.counters()["restarts"] == (0 if several else 1)
            # Until the next exact counts.
            await switch.run(2200 if several else 0)
