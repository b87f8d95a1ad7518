"""Every routing of every topology in a network of switch cores: each pair of switches, its hops, and the classes."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from walks import every_state

from dsnswitch.net.files.parameters import routing_values
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.minimal.digits import sign_widths
from dsnswitch.net.routing.registry import ADAPTIVE, CHOOSING, DIGITS, relation_of
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.choices import Choices
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.workload.patterns import host_numbers

ROOT = Path(__file__).resolve().parents[3]

#: Networks by routing, those for `make test` first. A routing has the same logic for rings and for grids, except the base.
#: In those of adaptive routing packets have a choice; detours are for one set of shortcuts, and digits for powers of two.
QUICK = {
    "base": ("torus:4x2", "mesh:3x2", "hypercube:2", "dsn-f:10", "grid:3x3:ring-3"),
    "minimal": ("ring:3:ring-3",),
    "detour": ("grid:3x3:ring-3",),
    ADAPTIVE: ("ring:4:ring-2",),
    DIGITS: ("ring:4:ring-2",),
}
SLOW = {
    "base": ("torus:3", "mesh:4", "dsn-f:21", "ring:5:ring-3", "ring:3:k4x2:double", "grid:4x2:k4x2:double"),
    "minimal": ("grid:2x3:ring-3", "ring:3:k4x2:double"),
    "detour": ("ring:5:ring-3",),
    "bubble": ("torus:4x3",),
    ADAPTIVE: ("grid:2x3:ring-3", "grid:4x2:k4x2:double"),
    DIGITS: ("grid:2x2:ring-2", "grid:4x2:k4x2:double"),
}
#: Networks whose routes are rules: of files, or made link by link, with closed forms or tables, and switches without hosts.
RULES = [f"graph:{ROOT / 'tests/graphs/petersen.edges'}", "dragonfly:a=2,h=1"]
SLOW["base"] += ("fattree:k=4,levels=2", "kautz:n=2,m=3", "mlfm:h=2")
CASES = [pytest.param(topology, routing) for routing, networks in QUICK.items() for topology in networks]
CASES += [pytest.param(topology, "base", id=topology.rpartition("/")[2]) for topology in RULES]
CASES += [
    pytest.param(topology, routing, marks=pytest.mark.regress) for routing, networks in SLOW.items() for topology in networks
]


@pytest.mark.parametrize("routing", CHOOSING)
def test_packets_have_a_choice(routing):
    relation = relation_of(parse_network(QUICK[routing][0]), routing)
    assert any(len(relation.hops(*state)) > 1 for state in every_state(relation))


def every_pair(core):
    """``(engine, {pair of switches: {hops}})`` after packets of one flit between each pair of hosts, more in a small network."""
    each = len(core.host_ports)
    hosts = host_numbers(core.network, each).tolist()
    rounds = max(1, 4000 // len(hosts) ** 2)
    pairs = [(source, target) for source in hosts for target in hosts]
    engine = Engine(core, [Point(trace=[(0, *pair, 1) for pair in rounds * pairs], log=True)])
    engine.start_measuring()
    engine.run(100)
    engine.drain()
    log = engine.delivered(0)
    found = {}
    for one in log:
        found.setdefault((int(one["source"]) // each, int(one["destination"]) // each), []).append(int(one["hops"]) - 1)
    assert all(len(hops) == rounds * each**2 for hops in found.values())
    return engine, {pair: set(hops) for pair, hops in found.items()}


def digit_lengths(network, relation, pairs):
    """Possible hops of each pair with digits: of the golden model, for each choice that turns seldom enough."""
    golden = Choices(network, max(relation.classes.values()) - 1, sign_widths(network))
    ends = {pair: tuple(map(network.switch, pair)) for pair in pairs}
    return {
        pair: {golden.hops(*both, signs) for signs in golden.offered(*both)} if pair[0] != pair[1] else {0}
        for pair, both in ends.items()
    }


def lengths(network, routing, relation, pairs):
    """Hops of each pair: of the golden path, of a shortest path, or, with detours and no failed link, of the relation."""
    ends = {pair: tuple(map(network.switch, pair)) for pair in pairs}
    if routing in ("minimal", ADAPTIVE) or network.is_tabled:
        graph = nx.Graph((network.number(link.source), network.number(link.target)) for link in network.links())
        distances = dict(nx.all_pairs_shortest_path_length(graph))
        return {(source, target): distances[source][target] for source, target in pairs}
    find = relation.route if routing == "detour" else lambda *pair: path(network, *pair)
    return {pair: len(find(*both)) if pair[0] != pair[1] else 0 for pair, both in ends.items()}


def deliver(core, routing):
    """Buffers of no class are used that the relation does not use there, and no class of a kind of port stays without packets."""
    network, relation = core.network, relation_of(core.network, routing)
    prove(relation)
    ends = sorted(map(network.number, network.terminals()))
    pairs = [(source, target) for source in ends for target in ends]
    engine, found = every_pair(core)
    if routing == DIGITS:
        possible = digit_lengths(network, relation, pairs)
        assert found.keys() == possible.keys()
        assert not {pair: hops for pair, hops in found.items() if not hops <= possible[pair]}
        # Sources choose: not all packets have the length of those that stay in order.
        ordered = {(a, b): len(relation.route(network.switch(a), network.switch(b))) for a, b in pairs}
        assert any(hops != {ordered[pair]} for pair, hops in found.items())
    else:
        assert found == {pair: {hops} for pair, hops in lengths(network, routing, relation, pairs).items()}
    right = {
        (network.neighbour(switch, port)[1], virtual_class)
        for switch, arrival, destination in every_state(relation)
        for port, virtual_class in relation.hops(switch, arrival, destination)
    }
    used = {
        (port, virtual_class) for port, virtual_class in np.argwhere(engine.statistics(0).fill[: len(core.links)] > 0).tolist()
    }
    kinds = [port.kind for port in network.ports]
    assert used <= right
    # A few turns of some walks are as good as never taken.
    assert routing in CHOOSING or {(kinds[p], c) for p, c in used} == {(kinds[p], c) for p, c in right}


def values_of(topology, routing, **more):
    return {"block": "switch-core", "topology": topology, "flit": 64, "packet": 1, "depth": 2} | routing_values(routing) | more


@pytest.mark.parametrize(("topology", "routing"), CASES)
def test_every_pair(core, topology, routing):
    deliver(core(values_of(topology, routing)), routing)


def test_every_pair_with_registers_after_the_route_logic(core):
    made = core(values_of("ring:4:ring-2", "base", register=True))
    assert made.latency == 3
    deliver(made, "base")
