"""Figures of graphs against values that are known, and routes of large networks by blocks against the same routes hop by hop."""

import math

import networkx as nx
import numpy as np
import pytest

from dsnswitch.net.analysis import structure as module
from dsnswitch.net.analysis.paths import loads, statistics
from dsnswitch.net.analysis.structure import neighbours, path_numbers, spectral_gap, structure
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.relation import Channel, Relation
from dsnswitch.net.tables import relation as tabled
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network

# Two complete graphs of six with one link between them.
CLIQUES = Graph("cliques", [(f"{side}{a}", f"{side}{b}") for side in "ab" for a in range(6) for b in range(a)] + [("a0", "b0")])


@pytest.mark.parametrize(
    ("spelling", "gap"),
    [
        ("hyperx:30", 30 / 29),
        ("hypercube:5", 2 / 5),
        ("torus:40", 1 - math.cos(2 * math.pi / 40)),
        # Hoffman and Singleton: eigenvalues 7, 2 and -3.
        ("slimfly:q=5", 5 / 7),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_spectral_gaps(monkeypatch, spelling, gap, exact):
    if not exact:
        monkeypatch.setattr(module, "MOST_EXACT", 0)
    assert spectral_gap(neighbours(parse_network(spelling))) == pytest.approx(gap, abs=1e-6)


def test_irregular_graphs_have_normalised_gaps():
    network = parse_network("mesh:4x3")
    graph = nx.Graph((network.number(link.source), network.number(link.target)) for link in network.links())
    order = sorted(graph)
    adjacency = np.array([[graph.has_edge(a, b) for b in order] for a in order], float)
    walk = adjacency / adjacency.sum(axis=1, keepdims=True)
    # A random walk has the same eigenvalues.
    assert spectral_gap(neighbours(network)) == pytest.approx(1 - np.sort(np.linalg.eigvals(walk).real)[-2])


@pytest.mark.parametrize("spelling", ["hypercube:4", "mesh:3x4", "mlfm:h=3", "oft:k=3", "random-ring:n=30,degree=4"])
def test_numbers_of_shortest_paths(spelling):
    network = parse_network(spelling)
    graph = nx.Graph((link.source, link.target) for link in network.links())
    ends = list(network.terminals())
    wanted = [len(list(nx.all_shortest_paths(graph, a, b))) for a in ends for b in ends if a != b]
    assert path_numbers(network, neighbours(network)) == (pytest.approx(np.mean(wanted)), max(wanted))


def test_paths_of_a_sample(monkeypatch):
    monkeypatch.setattr(module, "MOST_COUNTED", 0)
    network = parse_network("hypercube:5")
    assert path_numbers(network, neighbours(network))[1] == math.factorial(5)


def test_cuts(capfd):
    found = structure(CLIQUES)
    assert len(found.cuts) == 5
    assert found.bisection == found.cuts[0] == 1
    assert len(structure(parse_network("torus:8x4")).cuts) == 15
    assert structure(parse_network("torus:3")).cuts == ()
    # The bisection of a hypercube is half of its switches.
    assert structure(parse_network("hypercube:4")).bisection == 8
    # Hosts are divided equally, not switches: two of the four edge switches of a fat tree, and any spines.
    assert structure(parse_network("fattree:k=4,levels=2")).bisection == 4
    assert structure(parse_network("mlfm:h=2,l=6")).cuts[:3] == (12, 18, 21)
    assert capfd.readouterr() == ("", "")


def test_without_metis(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    found = structure(CLIQUES)
    assert (found.cuts, found.bisection) == (None, None)


# Large networks.

SMALL = ["random-ring:n=40,degree=5", "mlfm:h=3", "dsn-x:n=37", "kleinberg:n=5"]


@pytest.mark.parametrize("spelling", SMALL)
def test_blocks_are_the_routes_hop_by_hop(monkeypatch, spelling):
    monkeypatch.setattr(tabled, "BLOCK", 7)
    network = parse_network(spelling)
    relation = relation_of(network)
    assert prove(relation)
    found, load = statistics(relation), loads(relation)
    routes = {
        (source, end): relation.route(source, end)
        for source in network.terminals()
        for end in network.terminals()
        if source != end
    }
    assert found.average_path == load.average_path == pytest.approx(np.mean([len(route) for route in routes.values()]))
    assert len(routes[found.worst_pair]) == found.routing_diameter == max(map(len, routes.values()))
    graph = nx.Graph((network.number(link.source), network.number(link.target)) for link in network.links())
    between = dict(nx.all_pairs_shortest_path_length(graph))
    numbers = list(map(network.number, network.terminals()))
    shortest = [between[a][b] for a in numbers for b in numbers if a != b]
    assert (found.diameter, found.aspl, found.links) == (max(shortest), pytest.approx(np.mean(shortest)), network.link_count)
    used = {}
    for route in routes.values():
        for hop in route:
            used[hop.source, hop.port] = used.get((hop.source, hop.port), 0) + 1
    ends = len(list(network.terminals()))
    assert 1 / load.bound == pytest.approx(max(used.values()) / (ends - 1))
    for row in load.rows:
        some = [count for (_, port), count in used.items() if network.ports[port].kind == row["kind"]]
        assert row["mean"] * row["channels"] * (ends - 1) == pytest.approx(sum(some))


@pytest.mark.parametrize("spelling", SMALL)
def test_the_automaton_has_the_dependencies_of_all_routes(spelling):
    relation = relation_of(parse_network(spelling))
    numbers = prove(relation)
    for source, _, end in Relation.states(relation):
        taken = [numbers[relation.label(Channel(*hop[:3]))] for hop in relation.route(source, end)]
        assert taken == sorted(set(taken))


def test_the_limit_of_switches():
    with pytest.raises(UsageError, match=r"without a closed form, .*, must be at most 16384, not 16385"):
        relation_of(parse_network("random-ring:n=16385,degree=3"))
