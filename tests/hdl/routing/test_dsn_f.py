"""DSN-F: network and relation against the golden model, deadlock proof, and the emitted route logic."""

import networkx as nx
import pytest

from dsnswitch.net.routing.dependencies import cycle, dependencies
from dsnswitch.net.routing.dsn_f import DsnFRelation
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.dsn_f import path_bound, route_nodes_f
from dsnswitch.sim.golden.topology.dsn_f import graph

SIZES = [8, 9, 24, 25, 26, 27, 32, 50, 64]


@pytest.mark.parametrize("n", [*SIZES, 100, 160, 161, 2047])
def test_links_are_those_of_the_golden_model(n):
    network, wanted = DsnF(n), graph(n)
    found = nx.MultiGraph()
    found.add_nodes_from(range(n))
    for link in network.links():
        found.add_edge(network.number(link.source), network.number(link.target))
        assert network.neighbour(link.target, link.target_port) == (link.source, link.port)
    assert sorted(map(sorted, found.edges())) == sorted(map(sorted, wanted.edges()))
    assert [network.number(switch) for switch in network.switches()] == list(range(n))


def check_routes(n, step):
    relation = DsnFRelation(DsnF(n))
    network = relation.network
    assert relation.paper_bound == path_bound(n)
    for source in range(0, n, step):
        for target in range(n):
            hops = relation.route(network.switch(source), network.switch(target))
            path = [source, *(network.number(hop.target) for hop in hops)]
            assert path == route_nodes_f(n, source, target)
            assert len(hops) <= relation.paper_bound


@pytest.mark.parametrize("n", SIZES[2:])
def test_routes_are_those_of_the_golden_model(n):
    check_routes(n, 1)


@pytest.mark.regress
@pytest.mark.parametrize(("n", "step"), [(100, 1), (500, 29), (2048, 301)])
def test_routes_of_large_networks(n, step):
    check_routes(n, step)


@pytest.mark.parametrize("n", [*SIZES, 100])
def test_symmetry_of_the_deadlock_search_hides_nothing(n):
    """The small automaton has the dependencies of all pairs, and no cycle."""
    relation = DsnFRelation(DsnF(n))
    small = dependencies(relation)
    assert cycle(small) is None

    class AllPairs(DsnFRelation):
        states, advance = Relation.states, Relation.advance

    large = dependencies(AllPairs(relation.network))
    assert set(large) <= set(small)
    assert all(following <= small[label] for label, following in large.items())


@pytest.mark.parametrize("n", [300, 1000, 2048, 10_000])
def test_proof_of_large_networks(n):
    assert cycle(dependencies(DsnFRelation(DsnF(n)))) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dsn-f:7", "Switches n of a DSN-F must be in 8..16384, not 7"),
        ("dsn-f:2x3", "Topology must have the form dsn-f:N, not 'dsn-f:2x3'"),
        ("dsn-f:32:k4x2", "Topology must have the form dsn-f:N, not 'dsn-f:32:k4x2'"),
    ],
)
def test_bad_spelling(text, message):
    with pytest.raises(ValueError, match=message):
        parse_network(text)


def test_addresses_beyond_the_last_switch():
    network = DsnF(32)
    assert network.parse_switch("1,2,1") == (1, 2, 1)
    with pytest.raises(ValueError, match="dsn-f:32 has no node 1,2,2: its number is 32"):
        network.parse_switch("1,2,2")
