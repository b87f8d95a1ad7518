"""Exports of graphs: hosts are written and read back with the same keys, and time grows with the number of links."""

import json
import time

import jsonschema
import networkx as nx
import pytest

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.net.files.export import FORMATS, export
from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
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


def test_json_of_hosts():
    document = json.loads(export(GRAPH, "json"))
    jsonschema.validate(document, SCHEMA)
    assert [host["name"] for host in document["hosts"]] == BY_KEY
    assert [host["number"] for host in document["hosts"]] == list(range(10))
    assert [GRAPH.names[host["node"]] for host in document["hosts"]] == [HOME[host] for host in BY_KEY]
    assert len(document["links"]) == 5


def test_graphml_escapes_names():
    graph = Graph("net", [("<a>", 'b"&')])
    net = nx.parse_graphml(export(graph, "graphml"), force_multigraph=True)
    assert list(dict(net.nodes(data="address")).values()) == ["<a>", 'b"&']


def test_hosts_have_no_picture():
    with pytest.raises(UsageError, match="SVG pictures need a network whose switches have places, not graph:net; try dot"):
        export(GRAPH, "svg")


SHAPES = {"star": lambda size: [("hub", f"leaf{number}") for number in range(size)], "parallel": lambda size: [("a", "b")] * size}


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "svg"])
@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_links(tmp_path, shape, form):
    """A switch of degree 5,000 takes a fraction of a second; quadratic time would take many."""
    path = tmp_path / "net.edges"
    path.write_text("".join(f"{a} {b}\n" for a, b in SHAPES[shape](5_000)))
    start = time.process_time()
    graph = read_graph(path)
    export(graph, form)
    assert graph.link_count == 5_000
    assert time.process_time() - start < 3
