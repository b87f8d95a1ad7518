"""Detours past failed links: every packet arrives, or counts as lost because the golden model does not deliver it either."""

import pytest
from cores import DETOUR

from dsnswitch.sim.bench.drivers.route_driver import DetourStates
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point, SimulationError
from dsnswitch.sim.network.experiment.measure import Rules, measure
from dsnswitch.sim.network.workload.scenario import failures


@pytest.fixture
def made(core):
    return core(DETOUR)


def broken(network, share, seed):
    return tuple((one.switch, one.port) for one in failures(network, [f"{share}%:{seed}"]))


def golden(made, failed):
    """``{(source, destination): switches passed}`` of the golden model; None for a pair that it does not deliver."""
    network = made.network
    states = DetourStates(network, made.manifest["core_ports"][0]["classes"])
    ends = {end for switch, port in failed for end in ((switch, port), network.neighbour(switch, port))}
    found = {}
    for source in network.switches():
        for target in network.switches():
            route = states.route(source, target, ends)
            pair = network.number(source), network.number(target)
            found[pair] = len(route) if route[-1].switch == target else None
    return found


@pytest.mark.parametrize(("share", "lost"), [(5, (0, 0, 0)), (10, (0, 0, 1)), (20, (157, 130, 63))])
def test_the_golden_model_says_which_packets_are_lost(made, share, lost):
    """Packets between all pairs, under load; three choices of failed links run together."""
    pairs = [(a, b) for a in range(made.network.nodes) for b in range(made.network.nodes)]
    points = [
        Point(trace=[(0, *pair, 1) for pair in 3 * pairs], failed=broken(made.network, share, seed), lossy=True, log=True)
        for seed in range(3)
    ]
    engine = Engine(made, points)
    engine.start_measuring()
    engine.run(100)
    engine.drain()
    for number, point in enumerate(points):
        expected, found, log = golden(made, point.failed), engine.statistics(number), engine.delivered(number)
        assert {(int(p["source"]), int(p["destination"])): int(p["hops"]) for p in log} == {
            pair: hops for pair, hops in expected.items() if hops
        }
        assert len(log) == found.measured == 3 * (len(pairs) - lost[number])
        assert found.lost == {**dict.fromkeys(found.lost, 0), "undeliverable": 3 * lost[number]}
        assert (found.lost_flits, found.missing) == (3 * lost[number], 0)


@pytest.mark.parametrize(("share", "load"), [(5, 0.1), (10, 0.1), (20, 0.08)])
def test_links_that_fail_under_traffic(made, share, load):
    """All is accounted for at the drain, and what is lost does not saturate the network. What is left of it carries the load."""
    points = [Point(load=load, seed=seed, lossy=True, ordered=False) for seed in range(4)]
    events = [
        (700, lambda engine, number=number, link=link: engine.fail(number, *link))
        for number in range(len(points))
        for link in broken(made.network, share, number)
    ]
    for one in measure(Engine(made, points), Rules(cycles=2000), events=events):
        found = one.statistics
        assert found.measured + sum(found.lost.values()) == found.offered_packets
        assert {cause for cause, count in found.lost.items() if count} <= {"undeliverable"}
        assert not found.missing
        assert not one.saturated


def test_an_undeliverable_packet_without_leave_is_an_error(made):
    switch = (0, 0, 0)
    failed = tuple((switch, port.index) for port, _ in made.network.links_of(switch))
    for lossy in (True, False):
        engine = Engine(made, [Point(trace=[(0, 0, 5, 1), (0, 1, 2, 1)], failed=failed, lossy=lossy, log=True)])
        engine.start_measuring()
        if lossy:
            engine.run(100)
            engine.drain()
            assert engine.statistics(0).lost["undeliverable"] == len(engine.delivered(0)) == 1
        else:
            with pytest.raises(SimulationError, match="do not deliver a packet from host 0 to host 5"):
                engine.run(100)


def test_a_stranded_packet_is_checked(made):
    """Its payload is that of the packet that was sent; here a register of the output is changed."""
    switch = (0, 0, 0)
    failed = tuple((switch, port.index) for port, _ in made.network.links_of(switch))
    for bit, message in ((63, "payload of packet 0 from host 0 to host 5"), (20, "header of a packet from host 0")):
        engine = Engine(made, [Point(trace=[(0, 0, 5, 1)], failed=failed, lossy=True)])
        engine.run(2)
        engine._rows[0][made.layout.outputs["host_0_tx_flit"][bit]][0] ^= 1
        with pytest.raises(SimulationError, match=message):
            engine.run(1)
