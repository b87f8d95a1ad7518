"""Exports of graphs: hosts are written and read back with the same keys, and time grows with the number of links."""

import json
import re
import time
from collections import Counter

import jsonschema
import networkx as nx
import pytest
from wirings import keys, ports

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.net.files.export import FORMATS, export
from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.topology.graph import Graph

SCHEMA = schema_of("topology")

#: Ten hosts out of order on three of four switches; two links are parallel.
HOSTS = [f"h{number}" for number in (10, 2, 9, 3, 8, 4, 7, 5, 6, 1)]
LINKS = [
    *((host, "abd"[place % 3]) for place, host in enumerate(HOSTS)),
    *[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "b")],
]
HOME = dict(LINKS[: len(HOSTS)])
GRAPH = Graph("net", LINKS, HOSTS)

#: Hosts in the order of their keys: h1 to h10.
BY_KEY = [f"h{number}" for number in range(1, 11)]


@pytest.mark.parametrize("form", ["edges", "adjacency", "graphml", "anynet"])
def test_hosts_are_read_back(tmp_path, form):
    """Every host keeps its key, and has the same neighbours at the same distances."""
    path = tmp_path / "net"
    path.write_text(export(GRAPH, form))
    before, after = map(Wiring, (GRAPH, read_graph(path, hosts=10 * (form == "adjacency"))))
    assert {int(host): key for host, key in keys(after).items()} == {keys(before)[h]: keys(before)[h] for h in HOSTS}
    # A switch by the keys of its hosts, and its neighbours; c has no hosts.
    shapes = []
    for fabric in (before, after):
        key, near = keys(fabric), ports(fabric)
        mine = {switch: frozenset(key[peer] for peer in peers if peer in key) for switch, peers in near.items()}
        shapes.append({mine[s]: Counter(mine[p] for p in peers if p in mine) for s, peers in near.items()})
    assert shapes[0] == shapes[1]
    assert len(shapes[0]) == 4


def test_json_of_hosts():
    document = json.loads(export(GRAPH, "json"))
    jsonschema.validate(document, SCHEMA)
    assert [host["name"] for host in document["hosts"]] == BY_KEY
    assert [host["number"] for host in document["hosts"]] == list(range(10))
    assert [GRAPH.names[host["node"]] for host in document["hosts"]] == [HOME[host] for host in BY_KEY]
    assert len(document["links"]) == 5


def test_dot_of_hosts():
    text = export(GRAPH, "dot")
    label = dict(re.findall(r'^  (\d+) \[label="(\w+)"', text, re.M))
    ends = [(label[a], label[b]) for a, b in re.findall(r"^  (\d+) -- (\d+) ", text, re.M)]
    assert Counter(map(frozenset, ends)) == Counter(map(frozenset, LINKS))


def test_graphml_escapes_names():
    graph = Graph("net", [("<a>", 'b"&')])
    net = nx.parse_graphml(export(graph, "graphml"), force_multigraph=True)
    assert list(dict(net.nodes(data="address")).values()) == ["<a>", 'b"&']


def test_hosts_have_no_picture():
    with pytest.raises(
        UsageError, match="SVG pictures need a network whose switches have places, not graph:net; try dot"
    ):
        export(GRAPH, "svg")


SHAPES = {
    "star": lambda size: [("hub", f"leaf{number}") for number in range(size)],
    "parallel": lambda size: [("a", "b")] * size,
}


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "svg"])
@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_links(tmp_path, shape, form):
    """A switch of degree 20,000 takes about a second; quadratic time would take minutes."""
    path = tmp_path / "net.edges"
    path.write_text("".join(f"{a} {b}\n" for a, b in SHAPES[shape](20_000)))
    start = time.process_time()
    graph = read_graph(path)
    export(graph, form)
    assert graph.link_count == 20_000
    assert time.process_time() - start < 10
