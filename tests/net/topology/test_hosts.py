"""Switches without hosts and with different ports: a leaf-spine network, and a fat tree of two levels through all of net."""

import json

import pytest
from wirings import names, ports

from dsnswitch.net.analysis.paths import loads, statistics
from dsnswitch.net.files.export import FORMATS, export
from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.balance import BALANCES, ideal
from dsnswitch.net.routing.certificate import certificate, json_text, prove
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.relation import Channel, Relation
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.sources import algorithm_table
from dsnswitch.net.tables.walk import fallback_certificate, parse_link
from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.network import Network, Port


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
    made = compile_tables(network, routing, None)
    assert list(made.wiring.ends.names) == [f"0,{place}" for place in range(3)]
    assert {switch: len(peers) for switch, peers in ports(made.wiring).items()} == {
        f"{stage},{place}": 3 + stage for stage in range(2) for place in range(3)
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
    near = ports(Wiring(LeafSpine(2), [((0, 0), 1)]))
    assert [near[f"0,{place}"] for place in range(2)] == [("1,0", None), ("1,0", "1,1")]
    assert [near[f"1,{place}"] for place in range(2)] == [("0,0", "0,1", None), (None, "0,1", None)]
    with pytest.raises(UsageError, match="is not connected"):
        Wiring(LeafSpine(2), [((0, 0), 0), ((0, 0), 1)])


class FatTree(Network):
    """Fat tree of two levels: ``leaves`` with hosts, numbered first, and fewer ``spines`` with a port for each leaf."""

    name, title, spelling, fields, ports = "fat_tree", "fat tree", "fat-tree", (), ()

    def __init__(self, leaves, spines):
        self.leaves, self.spines = leaves, spines
        self.fields = (Field("switch", leaves + spines),)
        self.ports = tuple(Port(index, f"port {index}", "link") for index in range(max(leaves, spines)))

    def ports_of(self, switch):
        return self.ports[: self.spines if switch[0] < self.leaves else self.leaves]

    def hosts_of(self, switch):
        return int(switch[0] < self.leaves)

    def neighbour(self, switch, port):
        (number,) = switch
        if number < self.leaves:
            return ((self.leaves + port,), number) if port < self.spines else None
        return ((port,), number - self.leaves) if port < self.leaves else None

    def place(self, switch):
        level, at = divmod(switch[0], self.leaves)
        return at, 3 - 3 * level


class OfFatTree(Relation):
    """A spine by the destination's number, then the destination."""

    classes, bound = {"link": 1}, 2

    def hops(self, switch, arrival, destination):
        (own,), (to,) = switch, destination
        if own == to:
            return ()
        return ((to % self.network.spines if own < self.network.leaves else to, 0),)


TREE = FatTree(5, 2)


def test_check_and_certificate_of_a_fat_tree():
    relation = OfFatTree(TREE)
    found = statistics(relation)
    assert (found.nodes, found.links, found.maximum_degree, found.average_degree) == (7, 10, 5, 20 / 7)
    assert (found.routing_diameter, found.diameter, found.aspl) == (2, 2, 2)
    # Leaf 0 sends packets for leaves 2 and 4 to spine 0, and for 1 and 3 to spine 1, of four pairs of each leaf.
    assert loads(relation).bound == 1
    numbers = {channel: number for channel, _, number in certificate(relation)}
    for source in TREE.terminals():
        for end in TREE.terminals():
            taken = [numbers[Channel(*hop[:3])] for hop in relation.route(source, end)]
            assert taken == sorted(set(taken))
    assert len(json.loads(json_text(TREE, relation.classes, certificate(relation)))["channels"]) == len(numbers) == 15


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("routing", ["updown", "shortest"])
def test_tables_of_a_fat_tree(routing, balance):
    made = compile_tables(TREE, routing, None, balance=balance)
    assert names(made.wiring) == [str(number) for number in range(7)]
    assert [len(peers) for peers in ports(made.wiring).values()] == [2] * 5 + [5] * 2
    assert made.walked.hops.tolist()[:3] == [5, 0, 20]
    assert ideal(made.wiring) == 2
    assert made.walked.load.max() == (4 if balance == "none" else 3)
    numbers = {channel: number for channel, _, number in fallback_certificate(OfFatTree(TREE), made)}
    assert {channel.virtual_class for channel in numbers} == {0, 1}


def test_tables_of_a_fat_tree_with_a_failed_link():
    made = compile_tables(TREE, "updown", broken=[parse_link(TREE, "0:5")])
    assert ports(made.wiring)["0"] == (None, "6")
    with pytest.raises(UsageError, match="is not connected"):
        Wiring(TREE, [parse_link(TREE, "0:5"), parse_link(TREE, "0:6")])


@pytest.mark.parametrize("form", FORMATS)
def test_exports_of_a_fat_tree(form, tmp_path):
    text = export(TREE, form)
    if form == "svg":
        assert (text.count("data-link="), text.count("<circle")) == (10, 7)
    elif form == "anynet":
        assert sorted(part for line in text.splitlines() for part in line.split("node ")[1:]) == [
            f"{node} router 5 router 6" for node in range(5)
        ]
    elif form == "json":
        assert len(json.loads(text)["links"]) == 10
    elif form == "dot":
        assert text.count(" -- ") == 10
    else:
        path = tmp_path / "tree"
        path.write_text(text)
        near = ports(Wiring(read_graph(path)))
        links = [sum(peer in near for peer in peers) for peers in near.values()]
        assert sorted(links) == [2] * 5 + [5] * 2


def test_links_of_a_fat_tree_for_the_manifest():
    rows = TREE.link_rows()
    assert len(rows) == 20
    assert rows[0] == {"id": 0, "output": 0, "kind": "link", "level": None, "offset": 0, "to_id": 5}
    assert [row["to_id"] for row in TREE.link_rows((6,))] == [0, 1, 2, 3, 4]
