"""Every routing of every topology in a network of switch cores: each pair of switches, its hops, and the classes."""

from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from walks import every_state

from dsnswitch.net.files.parameters import routing_values
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.minimal.digits import sign_widths
from dsnswitch.net.routing.registry import ADAPTIVE, CHOOSING, DIGITS, relation_of
from dsnswitch.net.topology.registry import TOPOLOGIES, parse_network, topology_of
from dsnswitch.sim.golden.routing.choices import Choices
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.workload.patterns import host_numbers

ROOT = Path(__file__).resolve().parents[3]

#: Two networks of each topology with one algorithm.
ALONE = ("torus:3", "torus:4x2", "mesh:4", "mesh:3x2", "hypercube:2", "hypercube:3", "dsn-f:10", "dsn-f:21")
#: Two networks of a DSN for each routing. A routing has the same logic for rings and for grids, except the base.
#: In those of adaptive routing packets have a choice; in 2 x 3 supernodes of 3 switches, for example, they have none.
DSN = {
    "base": (
        *("ring:3:ring-2", "ring:4:ring-2", "grid:2x3:ring-3", "grid:3x3:ring-3"),
        *("ring:2:k4x2", "ring:3:k4x2", "ring:2:k4x2:double", "ring:3:k4x2:double"),
    ),
    "minimal": ("ring:3:ring-3", "grid:3x3:ring-3", "ring:2:k4x2:double", "ring:3:k4x2:double"),
    "detour": ("ring:3:ring-3", "grid:3x3:ring-3"),
    ADAPTIVE: ("ring:4:ring-2", "grid:2x2:ring-2"),
    DIGITS: ("ring:4:ring-2", "grid:2x2:ring-2"),
}
#: More networks, for `make regress`. Detours are for one set of shortcuts, and digits for sizes that are powers of two.
SLOW = {
    **dict.fromkeys(("ring:3:ring-3", "grid:3x3:ring-3"), ("base", ADAPTIVE)),
    **dict.fromkeys(("ring:5:ring-3", "grid:2x3:ring-3"), ("base", "minimal", "detour", ADAPTIVE)),
    **dict.fromkeys(("ring:8:ring-3", "grid:4x2:ring-3"), (DIGITS,)),
    "grid:4x2:k4x2:double": ("base", "minimal", ADAPTIVE, DIGITS),
}
CASES = [pytest.param(topology, "base") for topology in ALONE]
CASES += [pytest.param(topology, routing) for routing, networks in DSN.items() for topology in networks]
CASES += [
    pytest.param(topology, routing, marks=pytest.mark.regress)
    for topology, routings in SLOW.items()
    for routing in routings
    if topology not in DSN[routing]
]
#: Graphs of files, whose routes are rules.
GRAPHS = ("tests/graphs/petersen.edges", "examples/net.graphml")
#: Networks that are made link by link, whose routes are rules: with closed forms or tables, and switches without hosts.
LINKED = ("dragonfly:a=2,h=1", "fattree:k=4,levels=2", "kautz:n=2,m=3", "hyperx:3x2", "mlfm:h=2", "slimfly:q=3")
CASES += [
    pytest.param(name, "base", marks=pytest.mark.regress if place > 1 else ()) for place, name in enumerate(LINKED)
]
CASES += [pytest.param(f"graph:{ROOT / name}", "base", id=f"graph-{Path(name).stem}") for name in GRAPHS]
#: Cores with registers after the route logic.
REGISTERED = ("hypercube:2", "ring:4:ring-2")


def logic(topology, routing):
    """What a case tests: ``(kind of network, routing)``. The base of a DSN depends on its dimensions and its supernode."""
    name, *parts = topology.split(":")
    if parse_network(topology).has_rules:
        return "rules", routing
    if name not in ("grid", "ring"):
        return name, routing
    two_sets = parts[-1] == "double"
    kind = "two sets" if two_sets else "k4x2" if parts[-1] == "k4x2" else name if routing == "base" else "DSN"
    return kind, routing


def test_every_routing_has_two_networks():
    """In `make test`, where no case of tests/long_cases.toml is."""
    found = Counter(logic(*case.values) for case in CASES if not case.marks)
    wanted = {("DSN", routing) for routing in parse_network("grid:4x4").routings if routing != "base"}
    wanted |= {(kind, "base") for kind in ("ring", "grid", "k4x2", "two sets", "rules")} | {("two sets", "minimal")}
    # Of the other topologies, those with logic of their own, by their smallest network.
    fitting = [networks for name in TOPOLOGIES if (networks := topology_of(name).fitting)]
    wanted |= {logic(network, "base") for made in fitting if (network := next(iter(made(8, 8)), None))}
    wanted |= {logic(topology, "base") for topology in ALONE}
    assert not {one: found[one] for one in wanted if found[one] < 2}
    assert len({case.values for case in CASES}) == len(CASES)
    assert len(REGISTERED) == 2
    assert "test_routings.py" not in (ROOT / "tests/long_cases.toml").read_text()


@pytest.mark.parametrize("routing", CHOOSING)
def test_packets_have_a_choice(routing):
    for topology in DSN[routing]:
        relation = relation_of(parse_network(topology), routing)
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
        (port, virtual_class)
        for port, virtual_class in np.argwhere(engine.statistics(0).fill[: len(core.links)] > 0).tolist()
    }
    kinds = [port.kind for port in network.ports]
    assert used <= right
    # A few turns of some walks are as good as never taken.
    assert routing in CHOOSING or {(kinds[p], c) for p, c in used} == {(kinds[p], c) for p, c in right}


def values_of(topology, routing, **more):
    return (
        {"block": "switch-core", "topology": topology, "flit": 64, "packet": 1, "depth": 2}
        | routing_values(routing)
        | more
    )


@pytest.mark.parametrize(("topology", "routing"), CASES)
def test_every_pair(core, topology, routing):
    deliver(core(values_of(topology, routing)), routing)


@pytest.mark.parametrize("topology", REGISTERED)
def test_every_pair_with_registers_after_the_route_logic(core, topology):
    made = core(values_of(topology, "base", register=True))
    assert made.latency == 3
    deliver(made, "base")
