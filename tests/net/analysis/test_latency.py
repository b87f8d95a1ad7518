"""Latency on a floor, against walks and networkx."""

import networkx as nx
import numpy as np
import pytest

from dsnswitch.net.analysis.latency import Paths, lowest, routed, sampled, shortest
from dsnswitch.net.messages import UsageError
from dsnswitch.net.plan.cabling import plan
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network


def graph_of(found, switch_ns=0.0, per_metre=1.0):
    graph = nx.MultiGraph()
    for (a, b), metres in zip(found.ends.tolist(), found.lengths.tolist()):
        graph.add_edge(a, b, metres=metres, ns=switch_ns + per_metre * metres)
    return graph


def pairs_of(found, value):
    """Values of all pairs in the order of the arrays: by source, then by destination."""
    ends = range(found.network.nodes)
    return [value(a, b) for a in ends for b in ends if a != b]


@pytest.mark.parametrize("text", ["grid:3x2:k4x2", "torus:4x3x2", "hypercube:4", "dsn-f:63", "ring:2:ring-3"])
def test_paths(text):
    found = plan(parse_network(text), "sequential", 4)
    for switch_ns in (0.0, 40.0):
        far = dict(nx.all_pairs_dijkstra_path_length(graph_of(found, switch_ns, 5.0), weight="ns"))
        assert lowest(found, switch_ns) == pytest.approx(pairs_of(found, lambda a, b, far=far: far[a][b]))
    hops = dict(nx.all_pairs_shortest_path_length(nx.Graph(graph_of(found))))
    paths = shortest(found)
    assert paths.hops.tolist() == pairs_of(found, lambda a, b: hops[a][b])
    # The shortest cables among the paths with the fewest hops: a hop costs more than all cables.
    metres = dict(nx.all_pairs_dijkstra_path_length(graph_of(found, 1e6, 1.0), weight="ns"))
    assert paths.metres == pytest.approx(pairs_of(found, lambda a, b: metres[a][b] % 1e6), abs=1e-4)
    assert paths.latencies(40) == pytest.approx(40 * paths.hops + 5 * paths.metres)


@pytest.mark.parametrize("text", ["grid:3x2:k4x2", "grid:4x5:ring-4", "torus:4x3x2", "dsn-f:63"])
def test_routes(text):
    network = parse_network(text)
    found, relation = plan(network, "sequential", 4), relation_of(network)
    cables = dict(zip(((link.source, link.port) for link in found.links), found.lengths))
    cables |= {(link.target, link.target_port): far for link, far in zip(found.links, found.lengths)}
    expected = set()
    for target in map(network.switch, range(network.nodes)):
        for source in map(network.switch, range(network.nodes)):
            if source != target:
                route = relation.route(source, target)
                metres = sum(cables[hop.source, hop.port] for hop in route)
                expected.add((network.number(target), network.number(source), len(route), round(metres, 6)))
    paths = routed(found, relation)
    ends = [(target, source) for target in range(network.nodes) for source in range(network.nodes) if source != target]
    metres = [round(float(value), 6) for value in paths.metres]
    assert {(*pair, hops, far) for pair, hops, far in zip(ends, paths.hops.tolist(), metres)} == expected
    assert (paths.latencies(40) >= lowest(found, 40).min()).all()


def test_samples():
    network = parse_network("torus:8x8")
    found = plan(network)
    some = sampled(network, 10, seed=3)
    assert len(set(some.tolist())) == 10
    assert (some == sampled(network, 10, seed=3)).all()
    assert len(lowest(found, 40, most=10)) == 10 * 63
    assert len(shortest(found, most=10).hops) == len(routed(found, relation_of(network), most=10).hops) == 10 * 63
    assert (sampled(network, 100) == np.arange(64)).all()


def test_switches_without_hosts_are_passed_only():
    """A star of four switches: the one in the middle has no host."""
    links = [("middle", f"leaf{n}") for n in range(4)] + [(f"leaf{n}", f"host{n}") for n in range(4)]
    network = Graph("star", links, [f"host{n}" for n in range(4)])
    paths = shortest(plan(network))
    assert paths.hops.tolist() == [2] * 12


def test_parts_without_a_path():
    with pytest.raises(ValueError, match="must have a path to every other one; graph:two has parts"):
        lowest(plan(Graph("two", [("a", "b"), ("c", "d")])), 40)


def test_too_many_pairs():
    with pytest.raises(UsageError, match="must be at most"):
        routed(plan(parse_network("torus:64x64")), relation_of(parse_network("torus:64x64")))


def test_latency_is_hops_and_metres():
    paths = Paths(np.array([1, 3]), np.array([2.0, 10.5]))
    assert paths.latencies(60, 4).tolist() == [68, 222]
