"""Networks of switches as RTL: packets arrive as they were sent, and a network with a fault is noticed."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from amaranth.hdl import Elaboratable
from cores import PAIR
from emitted.manifests import NAMES

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest, render
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.bench.drivers.route_driver import DetourStates
from dsnswitch.sim.golden.routing.detour import UNDELIVERABLE
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.verilated import network as module
from dsnswitch.sim.verilated.network import Network

SWITCHES = PAIR | {"block": "switch", "topology": "ring:3:ring-2", "flit": 56, "hosts": 1, "apb": False}


@pytest.fixture
def network(lab):
    """A function that makes a network of an emitted block."""
    made = []

    def make(values):
        made.append(Network(core_manifest(values), lab.folder / "tools"))
        return made[-1]

    yield make
    for one in made:
        one.close()


def check(network, hosts, cycles, spread=0):
    """Packets of all lengths between all pairs of hosts, alone and together.

    ``cycles(hops)`` is the latency of a packet that is alone in the network. On each line, a packet may take up to ``spread``
    cycles more.
    """
    rng, sent = random.Random(1), {}
    for source in hosts:
        for destination in hosts:
            payload = rng.randbytes(rng.randrange(1, 12))
            network.send(source, destination, payload)
            [packet] = network.run()
            assert (packet.source, packet.destination, packet.bad) == (source, destination, False)
            assert packet.payload.rstrip(b"\0") == payload.rstrip(b"\0")
            assert 0 <= packet.latency - cycles(packet.hops) <= spread * (packet.hops - 1)
            assert (packet.hops == 1) == (source[0] == destination[0])
    for number in range(40 * len(hosts)):
        pair = rng.choice(hosts), rng.choice(hosts)
        payload = number.to_bytes(2, "little") + rng.randbytes(rng.randrange(10)) + b"."
        sent.setdefault(pair, []).append(payload)
        network.send(*pair, payload)
    for packet in network.run():
        payload = sent[packet.source, packet.destination].pop(0)
        assert packet.payload == payload.ljust(len(packet.payload), b"\0")
        assert packet.latency >= cycles(packet.hops)
    assert not any(sent.values())


def test_cores(network):
    made = network(PAIR)
    check(made, [(switch, host) for switch in made.switches for host in (0, 1)], lambda hops: 2 * hops)


@pytest.mark.regress
def test_cores_that_speculate(network):
    """Without lines, each flit counts in the cycle in which it arrives."""
    made = network(PAIR | {"speculate": "on", "hosts": 1})
    check(made, [(switch, 0) for switch in made.switches], lambda hops: 2 * hops)


@pytest.mark.regress
@pytest.mark.parametrize("topology", ["dsn-f:10", "torus:3x2", "grid:2x1:k4x2"])
def test_packets_take_the_golden_path(network, topology):
    made, net = network(PAIR | {"topology": topology, "hosts": 1, "packet": 1, "depth": 4}), parse_network(topology)
    pairs = [(source, target) for source in net.switches() for target in net.switches()]
    for source, target in pairs:
        made.send((source, 0), (target, 0), b"x")
    found = {(packet.source[0], packet.destination[0]): packet.hops for packet in made.run()}
    assert found == {(a, b): 1 + (len(path(net, a, b)) if a != b else 0) for a, b in pairs}


@pytest.mark.regress
@pytest.mark.parametrize(
    ("values", "cycles"),
    [
        ({}, 3),
        ({"routing": "minimal"}, 3),
        ({"topology": "ring", "supernode": "ring-2", "max_p": 1}, 3),
        ({"register": True}, 4),
        ({"speculate": "off"}, 4),
    ],
    ids=["base", "minimal", "sizes", "registered", "late"],
)
def test_switches(network, values, cycles):
    """Links come up first; a hop then takes three cycles, one more with registers or without speculation.

    A host has no link, which takes one of these cycles, or two without speculation.
    """
    made = network(SWITCHES | values)
    line = 2 if "speculate" in values else 1
    check(made, [(switch, 0) for switch in made.switches], lambda hops: cycles * hops - line)


@pytest.mark.regress
def test_switches_on_the_strict_link(network):
    """A line takes 3 cycles to its word and 87 from its codeword, and up to 2 more."""
    made = network(SWITCHES | {"topology": "torus:2", "link": "strict"})
    check(made, [(switch, 0) for switch in made.switches], lambda hops: 2 * hops + 90 * (hops - 1), 2)


DETOURS = SWITCHES | {"topology": "ring:3:ring-3", "flit": 64, "routing": "detour"}


def stuck_at(states, source, destination, failed):
    """The switch at which the golden model cannot lead a packet on; None if it delivers the packet."""
    *_, last = states.route(source, destination, failed)
    return last.switch if states.answer(last) == UNDELIVERABLE else None


@pytest.mark.regress
@pytest.mark.parametrize("both", [True, False], ids=["no-links", "no-way-out"])
def test_every_packet_is_delivered_or_reported_or_counted(network, both):
    """A switch has no links, or takes packets and sends none; the golden model knows what becomes of each packet."""
    made, rng = network(DETOURS), random.Random(2)
    topology, lonely = parse_network(DETOURS["topology"]), made.switches[4]
    states = DetourStates(topology, relation_of(topology, "detour").classes["local"])
    failed = set()
    with pytest.raises(ValueError, match=r"Port must be one of local_.*, not 'x'"):
        made.fail(lonely, "x")
    for name, port in zip(made.ports, topology.ports, strict=True):
        made.fail(lonely, name, both)
        failed |= {(lonely, port.index), *([topology.neighbour(lonely, port.index)] if both else [])}
    expected, sent = Counter(), []
    for number in range(600):
        ends = rng.choice(made.switches), rng.choice(made.switches)
        sent.append(number.to_bytes(2, "little") + rng.randbytes(rng.randrange(12)))
        expected[ends, stuck_at(states, *ends, failed)] += 1
        made.send(*ends, sent[-1])
    found, passed = Counter(), 0
    for packet in made.run():
        found[(packet.source[0], packet.destination[0]), packet.reported_by or packet.left_at] += 1
        passed += packet.left_at is not None
        if not packet.reported_by:
            assert packet.payload.rstrip(b"\0") == sent[int.from_bytes(packet.payload[:2], "little")].rstrip(b"\0")
    missing, counts = expected - found, made.notices()
    assert not found - expected
    # Notices are lost only where the golden model cannot lead them to the source.
    assert all(stuck_at(states, switch, source, failed) for (source, _), switch in missing)
    assert 0 < missing.total() == counts["lost_notices"]
    assert counts["unreported_packets"] == passed
    assert counts["notices"] + passed == sum(number for (_, switch), number in expected.items() if switch)


def test_a_missing_cable_is_noticed(network, monkeypatch):
    """One signal of one direction of a cable is not connected."""
    every = module.cables
    monkeypatch.setattr(module, "PATIENCE", 100)
    monkeypatch.setattr(module, "cables", lambda *given: [*every(*given)][1:])
    made = network(PAIR)
    made.send((0,), (1,), b"lost")
    with pytest.raises(TimeoutError, match="1 packets are on their way, and none has arrived for 100 cycles"):
        made.run()


def test_a_packet_that_nobody_has_sent_is_noticed(network, monkeypatch):
    """Flits say that they come from the other switch."""
    made = network(PAIR)
    read = made._format.read
    monkeypatch.setattr(made._format, "read", lambda flits: replace(read(flits), source=((1,), 0)))
    made.send((0,), (1,), b"seen")
    with pytest.raises(RuntimeError, match=r"A packet from \(\(1,\), 0\) .* has arrived that no host has sent"):
        made.run()


def stated(values, folder):
    """The manifest of a block that is not emitted."""
    block = build(values)
    path = folder / "manifest.json"
    path.write_text(render(manifest(block, block.component(), NAMES)))
    return path


def test_wrong_input(network, tmp_path, monkeypatch):
    monkeypatch.setattr(Elaboratable, "_MustUse__silence", True)
    made = network(PAIR)
    with pytest.raises(ValueError, match="Payload must have at most 16 bytes, not 100"):
        made.send((0,), (1,), bytes(100))
    with pytest.raises(ValueError, match=r"Host must be a switch of the network, or a switch and a number, not \(2,\)"):
        made.send((0,), (2,))
    with pytest.raises(ValueError, match="Links fail in a network with detours: emit the switch with --routing detour"):
        made.fail((0,), made.ports[0])
    for values, message in (
        (PAIR | {"node": "1"}, "A network needs a universal switch or switch core, not switch_core_torus_2_at_1_"),
        (SWITCHES | {"apb": True}, "A network reads the state of links from ports: emit the switch with --no-apb"),
        (SWITCHES | {"host_interface": "stream"}, "Hosts of a network need flits, not stream"),
        ({"p": 1}, "A network needs a universal switch or switch core, not dsn_route"),
    ):
        with pytest.raises(ValueError, match=message):
            Network(stated(values, tmp_path))
