"""Every routing of every topology in a network of switch cores: each pair of switches, its hops, and the classes."""

from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from walks import every_state

from dsnswitch.net.files.parameters import routing_values
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.registry import ADAPTIVE, DIGITS, relation_of
from dsnswitch.net.simulate.engine import Core, Engine
from dsnswitch.net.simulate.points import Point
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.registry import path

ROOT = Path(__file__).resolve().parents[3]

#: Two networks of each topology that has an algorithm.
NETWORKS = (
    *("torus:3", "torus:4x2", "mesh:4", "mesh:3x2", "hypercube:2", "hypercube:3", "dsn-f:10", "dsn-f:21"),
    *("ring:3:ring-3", "ring:5:ring-3", "grid:2x3:ring-3", "grid:3x3:ring-3"),
)
#: Cases of `make regress`: another ring or grid has the same routing.
SLOW = [
    *(("ring:5:ring-3", routing) for routing in ("minimal", "detour", ADAPTIVE)),
    *(("ring:3:ring-3", ADAPTIVE), ("grid:3x3:ring-3", ADAPTIVE)),
]
CASES = [
    pytest.param(topology, routing, marks=pytest.mark.regress if (topology, routing) in SLOW else ())
    for topology in NETWORKS
    for routing in parse_network(topology).routings
    if routing != DIGITS
]
#: Detours are for one set of shortcuts.
CASES += [
    pytest.param("grid:4x2:k4x2:double", routing, marks=pytest.mark.regress)
    for routing in ("base", "minimal", ADAPTIVE)
]
#: Graphs of files, whose routes are rules.
GRAPHS = ("tests/graphs/petersen.edges", "examples/net.graphml")
#: Networks that are made link by link, whose routes are rules: with closed forms or tables, and switches without hosts.
LINKED = ("dragonfly:a=2,h=1", "fattree:k=4,levels=2", "kautz:n=2,m=3", "hyperx:3x2", "mlfm:h=2", "slimfly:q=3")
CASES += [
    pytest.param(name, "base", marks=pytest.mark.regress if place > 1 else ()) for place, name in enumerate(LINKED)
]
CASES += [pytest.param(f"graph:{ROOT / name}", "base", id=f"graph-{Path(name).stem}") for name in GRAPHS]


def test_every_topology_with_logic_of_its_own_has_two_networks():
    found = Counter(topology.partition(":")[0] for topology in NETWORKS) | {"graph": len(GRAPHS)}
    assert set(found.values()) == {2}
    assert found.keys() >= {"grid", "ring", "dsn-f", "torus", "mesh", "hypercube", "graph"}


def every_pair(core, pairs):
    """``(engine, {pair: hops})`` after packets of one flit between each pair of switches, more of them in a small network."""
    rounds = max(1, 4000 // len(pairs))
    engine = Engine(core, [Point(trace=[(0, *pair, 1) for pair in rounds * pairs], log=True)])
    engine.start_measuring()
    engine.run(100)
    engine.drain()
    log = engine.delivered(0)
    found = {(int(one["source"]), int(one["destination"]), int(one["hops"]) - 1) for one in log}
    assert len(log) == rounds * len(found) == rounds * len(pairs)
    return engine, {(source, destination): hops for source, destination, hops in found}


def lengths(network, routing, relation, pairs):
    """Hops of each pair: of the golden path, of a shortest path, or, with detours and no failed link, of the relation."""
    ends = {pair: tuple(map(network.switch, pair)) for pair in pairs}
    if routing in ("minimal", ADAPTIVE) or network.is_tabled:
        graph = nx.Graph((network.number(link.source), network.number(link.target)) for link in network.links())
        distances = dict(nx.all_pairs_shortest_path_length(graph))
        return {(source, target): distances[source][target] for source, target in pairs}
    find = relation.route if routing == "detour" else lambda *pair: path(network, *pair)
    return {pair: len(find(*both)) if pair[0] != pair[1] else 0 for pair, both in ends.items()}


@pytest.mark.parametrize(("topology", "routing"), CASES)
def test_every_pair(lab, topology, routing):
    """Buffers of no class are used that the relation does not use there, and no class of a kind of port stays without packets."""
    values = {"block": "switch-core", "topology": topology, "flit": 64, "packet": 1, "depth": 2}
    core = Core(lab.emit(values | routing_values(routing))[1]["manifest"])
    network, relation = core.network, relation_of(core.network, routing)
    prove(relation)
    ends = sorted(map(network.number, network.terminals()))
    pairs = [(source, target) for source in ends for target in ends]
    engine, found = every_pair(core, pairs)
    assert found == lengths(network, routing, relation, pairs)
    right = {
        (network.neighbour(switch, port)[1], virtual_class)
        for switch, arrival, destination in every_state(relation)
        for port, virtual_class in relation.hops(switch, arrival, destination)
    }
    used = {(port, virtual_class) for port, virtual_class in np.argwhere(engine.statistics(0).fill[:-1] > 0).tolist()}
    kinds = [port.kind for port in network.ports]
    assert used <= right
    # A few turns of some walks are as good as never taken.
    assert routing == ADAPTIVE or {(kinds[p], c) for p, c in used} == {(kinds[p], c) for p, c in right}
