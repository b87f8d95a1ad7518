"""Whole switches with fabric ports in the engine: equal to cores with delay lines at zero load, and to Verilator always."""

import json
import random

import numpy as np
import pytest
from cores import CORE

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.golden.routing.registry import path, port_of
from dsnswitch.sim.network.engine import engine as module
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import ClosedLoop, NetworkStopped, Point, SimulationError
from dsnswitch.sim.network.engine.switch import Switch
from dsnswitch.sim.verilated.network import Network, rows

#: The smallest network: two switches and one link.
PAIR = {"topology": "torus:2", "flit": 16, "packet": 2, "depth": 4}
TWO = PAIR | {"virtual_networks": 2}
RING = {"topology": "torus:4", "flit": 48, "packet": 3, "depth": 8}
DSN = {"topology": "grid:2x2:k4x2", "flit": 64, "packet": 4, "depth": 8}


@pytest.fixture
def made(core):
    """A function that makes the switch, and the core alone, of a configuration."""
    return lambda values, link="light": (core(switch(values, link)), core(CORE | values))


def switch(values, link="light"):
    return {**values, "block": "switch", "apb": False, "end_to_end": "none", "link": link}


def alone(core, gap, seed=1):
    """A trace of packets between all pairs of hosts, or 300 of these, one after the other."""
    rng = random.Random(seed)
    pairs = [(source, destination) for source in range(core.hosts) for destination in range(core.hosts)]
    longest = core.manifest["parameters"]["packet"]
    return [
        (gap * number + rng.randrange(8), *pair, rng.randint(1, longest))
        for number, pair in enumerate(rng.sample(pairs, min(300, len(pairs))))
    ]


def arrivals(core, trace, delay=0):
    """Cycles between injection and head, and between injection and tail, of every packet of a trace."""
    engine = Engine(core, [Point(trace=trace, log=True, delay=delay)])
    engine.run(trace[-1][0] + 500)
    engine.drain()
    log = engine.delivered(0)
    assert len(log) == len(trace)
    log = log[np.argsort(log["injected"])]
    return [log[name].astype(int) - log["injected"].astype(int) for name in ("head", "tail")], log["hops"].astype(int)


def equals_core(made, values):
    """A packet that is alone takes as long as through cores and delay lines with the cycles of the ports, to the cycle."""
    whole, core = made(values)
    trace = alone(core, 60)
    assert whole.port_cycles == 1
    for cable in (0, 3):
        (heads, tails), hops = arrivals(whole, trace, cable)
        assert np.array_equal(heads, 2 * hops + (1 + cable) * (hops - 1))
        assert np.array_equal([heads, tails], arrivals(core, trace, cable + 1)[0])


@pytest.mark.parametrize("values", [PAIR, TWO], ids=["one", "two"])
def test_two_switches_equal_cores_at_zero_load(made, values):
    equals_core(made, values)


def test_a_blocked_host_stops_its_virtual_network_only(made):
    """Every packet that is offered has arrived, waits in a source queue, or is on its way; in the open network nearly all did."""
    engine = Engine(made(TWO)[0], [Point(load=0.3, blocked=blocked) for blocked in (None, np.array([0, 2]))])
    engine.start_measuring()
    engine.run(8000)
    for point, blocked in enumerate((False, True)):
        found = engine.statistics(point)
        shares = np.array([(one.offered_packets, one.delivered_packets) for one in found.virtual_networks])
        offered, delivered = shares.sum(0)
        assert offered - delivered == engine.queued(point) + engine.in_flight(point)
        # Of two hosts, each sends to the other one.
        assert shares[:, 1] / shares[:, 0] == pytest.approx([1, 0.5 if blocked else 1], abs=0.03)
    free, beside = (engine.statistics(point).virtual_networks[0].mean("queued_tail") for point in range(2))
    assert beside <= free + 0.5


def test_hosts_stop_one_virtual_network_but_not_two(made):
    """The cycle leads through hosts, whose buffers are those of the switch."""
    loop = ClosedLoop(16, 1)
    with pytest.raises(NetworkStopped, match=r"host_0 > .*; a host takes no request while its replies wait"):
        Engine(made(PAIR)[0], [Point(load=0.9, loop=loop)]).run(20_000)
    engine = Engine(made(TWO)[0], [Point(load=0.9, loop=loop)])
    engine.start_measuring()
    engine.run(20_000)
    engine.stop_measuring()
    engine.drain()
    requests, replies = engine.statistics(0).virtual_networks
    assert requests.delivered_packets == pytest.approx(replies.delivered_packets, rel=0.02)
    assert replies.delivered_packets > 1000


def counts_links(whole, load):
    """Every flit counts once on every link of its route."""
    engine = Engine(whole, [Point(load=load, log=True)])
    engine.start_measuring()
    engine.run(300)
    engine.stop()
    engine.run(2000)
    network, found = whole.network, engine.statistics(0).link_flits
    expected = np.zeros_like(found)
    for packet in engine.delivered(0):
        at, target = (network.switch(int(packet[end])) for end in ("source", "destination"))
        for hop in path(network, at, target) if at != target else ():
            expected[network.number(at), port_of(network, at, hop)] += packet["flits"]
            at = hop.target
    assert expected.sum() > 100
    assert np.array_equal(found, expected)


def test_loads_of_links(made):
    counts_links(made(PAIR)[0], 0.3)


@pytest.mark.regress
def test_loads_of_links_with_channels(made):
    counts_links(made(DSN)[0], 0.1)


@pytest.mark.regress
@pytest.mark.parametrize("values", [RING, DSN], ids=["ring", "dsn"])
def test_switches_equal_cores_at_zero_load(made, values):
    equals_core(made, values)


@pytest.mark.regress
def test_strict_links_take_up_to_two_cycles_more(made):
    """A block of the strict format may wait for its place in a codeword."""
    whole, core = made(RING, "strict")
    trace = alone(core, 700)
    (heads, _), hops = arrivals(whole, trace)
    more = heads - arrivals(core, trace, 90)[0][0]
    assert whole.port_cycles == 90
    assert (more >= 0).all()
    assert (more <= 2 * (hops - 1)).all()


@pytest.mark.regress
def test_equals_verilator(lab, made):
    """Under load every packet enters and arrives in the same cycles as in instances of the same Verilog."""
    whole, rng = made(RING)[0], random.Random(3)
    trace = [
        (0, rng.randrange(whole.hosts), rng.randrange(whole.hosts), rng.randrange(1, RING["packet"] + 1))
        for _ in range(60 * whole.hosts)
    ]
    # Verilator's network needs more cycles until its links are up.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "START_STEP", 1024)
        engine = Engine(whole, [Point()])
    with Network(core_manifest(switch(RING)), lab.folder / "tools") as other:
        # Both have run for as many cycles since the reset, which takes two.
        other._step(engine.start_cycles + 2 - 1 - other.cycle)
        expected = other.replay(trace)
    engine = Engine(whole, [Point(trace=trace, log=True)])
    engine.run(200)
    engine.drain()
    assert rows(engine.delivered(0)) == expected


@pytest.mark.parametrize("wrong", [1, 2])
def test_bits_on_a_line(made, wrong):
    """The link corrects one wrong bit of a codeword, and marks a packet with two."""
    whole, _ = made(PAIR)
    engine = Engine(whole, [Point(load=0.5, destinations=[1, 0])])
    port = whole.links[0]["name"]
    rows = whole.layout.outputs[f"{port}_o_payload"][200 : 200 + wrong]

    def spoil():
        for _ in range(100):
            for row in rows:
                engine._rows[0][row + engine.cycle % 2 * whole.layout.flops][0] ^= 1
            engine.run(3)
        engine.drain()

    if wrong == 1:
        spoil()
    else:
        with pytest.raises(SimulationError, match="marked bad at host 1"):
            spoil()


def test_links_that_do_not_come_up(made):
    """Both ends expect another port at the other end."""
    whole, _ = made(PAIR)
    wrong = {f"{whole.links[0]['name']}_peer_address": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONGEST_START", 700)
        with pytest.raises(SimulationError, match="links are not up after"):
            Engine(whole, [Point(inputs=wrong)])


@pytest.mark.parametrize("more", [{"lossy": True}, {"errors": 0.1}])
def test_whole_switches_lose_nothing(made, more):
    with pytest.raises(ValueError, match="only in networks of cores, not of whole switches"):
        Engine(made(PAIR)[0], [Point(**more)])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"apb": True}, "needs a switch without registers"),
        ({"host_interface": "axi"}, "with flits at the hosts"),
        ({"link": "selected"}, "Links of a simulated switch must be light or strict, not selected"),
        ({"flit": 256}, "must have at most 184 bits, not 256"),
    ],
)
def test_impossible_switches(tmp_path, values, message):
    about = json.loads(core_manifest(switch(PAIR)).read_text())
    path = tmp_path / "switch.json"
    path.write_text(json.dumps({**about, "parameters": about["parameters"] | values}))
    with pytest.raises(UsageError, match=message):
        Switch(path)
