"""Switches without hosts: a leaf-spine network, whose spines only forward."""

import pytest

from dsnswitch.net.analysis.paths import loads, statistics
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.sources import algorithm_table
from dsnswitch.net.tables.switch_graph import switch_graph
from dsnswitch.net.topology.network import Field, Network, Port


class LeafSpine(Network):
    """As many leaves, which have hosts, as spines; every leaf is linked to every spine. A spine has a port more, unused."""

    name, title, spelling, fields, ports = "leaf_spine", "leaf-spine", "leaf-spine", (), ()

    def __init__(self, count):
        self.count = count
        self.fields = Field("stage", 2), Field("place", count)
        self.ports = tuple(Port(index, f"port {index}", "link") for index in range(count + 1))

    def ports_of(self, switch):
        return self.ports[: self.count + switch[0]]

    def hosts_of(self, switch):
        return 4 * (1 - switch[0])

    def neighbour(self, switch, port):
        stage, place = switch
        return ((1 - stage, port), place) if port < self.count else None


class UpDown(Relation):
    """The spine of the destination's number, then the destination."""

    classes, bound = {"link": 1}, 2

    def hops(self, switch, arrival, destination):
        assert destination[0] == 0, "no packet is for a spine"
        return () if switch == destination else ((destination[1], 0),)


def test_pairs_are_those_of_switches_with_hosts():
    network = LeafSpine(4)
    relation = UpDown(network)
    assert len(prove(relation)) == 12 + 4
    found = statistics(relation)
    assert (found.nodes, found.links, found.average_degree) == (8, 16, 4)
    assert (found.routing_diameter, found.average_path, found.aspl, found.within_bound) == (2, 2, 2, True)
    load = loads(relation)
    # The channel from a spine to the leaf of its number carries all packets for this leaf.
    assert load.bound == pytest.approx(1)
    assert load.average_path == 2


@pytest.mark.parametrize("routing", ["updown", "shortest"])
def test_tables_have_the_leaves_as_destinations(routing):
    network = LeafSpine(3)
    made = compile_tables(switch_graph(network), routing, None)
    assert list(made.graph.keys) == [(0, place) for place in range(3)]
    assert {switch: len(peers) for switch, peers in made.graph.ports.items()} == {
        (stage, place): 3 + stage for stage in range(2) for place in range(3)
    }
    assert made.walked.hops.tolist()[:3] == [3, 0, 6]


def test_the_table_of_a_relation_has_the_leaves_only():
    network = LeafSpine(3)
    table = algorithm_table(network, (1, 2), minimise=False, relation=UpDown(network))
    answers = [table.lookup(network.key(switch, switch)) for switch in network.switches()]
    assert sorted(answers[::2]) == [0, 1, 2]
    assert answers[1::2] == [None] * 3


def test_a_network_without_a_relation_routes_by_tables():
    with pytest.raises(
        ValueError, match="Routing base needs a network with an algorithm, not leaf-spine: it routes by tables"
    ):
        relation_of(LeafSpine(2))


def test_broken_links_leave_the_others():
    graph = switch_graph(LeafSpine(2), [((0, 0), 1)])
    assert [graph.ports[0, place] for place in range(2)] == [((1, 0), None), ((1, 0), (1, 1))]
    assert [graph.ports[1, place] for place in range(2)] == [((0, 0), (0, 1), None), (None, (0, 1), None)]
    with pytest.raises(UsageError, match="is not connected"):
        switch_graph(LeafSpine(2), [((0, 0), 0), ((0, 0), 1)])
