"""Parallel links: each has its own port, both ends agree on which link is which, and all of them share the load."""

import json
from collections import Counter

import pytest
from wirings import ports

from dsnswitch.net.files.export import export
from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.dsn import grid, ring
from dsnswitch.net.topology.graph import Graph
from dsnswitch.sim.golden.topology.dsn import links

# a and b have three links, with others between them in the list.
EDGES = [("a", "b"), ("a", "c"), ("b", "a"), ("b", "d"), ("a", "b"), ("c", "d")]

GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
{nodes}{edges}</graph></graphml>"""


def written(form, edges):
    """The links in a format; vertices of anynet must be numbers."""
    names = sorted({end for edge in edges for end in edge})
    if form == "edges":
        return "".join(f"{a} {b}\n" for a, b in edges), {name: name for name in names}
    if form == "graphml":
        nodes = "".join(f'<node id="{name}"/>' for name in names)
        text = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in edges)
        return GRAPHML.format(nodes=nodes, edges=text), {name: name for name in names}
    number = {name: place for place, name in enumerate(names)}
    # anynet lists parallel links at the same end.
    lines = "".join(f"router {number[min(edge)]} router {number[max(edge)]}\n" for edge in edges)
    return lines, {name: f"router {number[name]}" for name in names}


@pytest.mark.parametrize("form", ["edges", "graphml", "anynet"])
def test_parallel_links_have_ports_of_their_own(tmp_path, form):
    text, name = written(form, EDGES)
    path = tmp_path / f"net.{form}"
    path.write_text(text)
    found = {switch: Counter(peers) for switch, peers in ports(Wiring(read_graph(path))).items()}
    assert found[name["a"]] == {name["b"]: 3, name["c"]: 1}
    assert found[name["b"]] == {name["a"]: 3, name["d"]: 1}


def test_ports_are_in_the_order_of_the_list_and_both_ends_agree():
    network = Graph("net", EDGES)
    near = ports(Wiring(network))
    assert near["a"] == ("b", "c", "b", "b")
    assert near["b"] == ("a", "a", "d", "a")
    # The third link of the list is port 2 of a and port 1 of b.
    ends = {switch: network.links_of(switch) for switch in network.switches()}
    assert [port for _, (_, port) in ends[network.parse_switch("a")]] == [0, 0, 1, 3]
    assert [port for _, (_, port) in ends[network.parse_switch("b")]] == [0, 2, 0, 3]
    for switch, links_of in ends.items():
        for port, end in links_of:
            assert network.neighbour(*end) == (switch, port.index)


def test_anynet_that_lists_links_at_both_ends(tmp_path):
    """BookSim2's own examples list a link once at each router."""
    path = tmp_path / "net.anynet"
    path.write_text("router 0 node 0 router 1 router 1\nrouter 1 node 1 router 0 router 0 15\n")
    assert ports(Wiring(read_graph(path))) == {
        "router 0": ("0", "router 1", "router 1"),
        "router 1": ("router 0", "router 0", "1"),
    }


@pytest.mark.parametrize("dsn", [ring(2, 1), ring(3, 2), grid(2, 3)], ids=lambda dsn: dsn.name)
@pytest.mark.parametrize("form", ["edges", "graphml", "anynet"])
def test_own_exports_keep_parallel_links(tmp_path, dsn, form):
    path = tmp_path / f"dsn.{form}"
    path.write_text(export(dsn, form))
    near = ports(Wiring(read_graph(path)))
    ends = [peer for peers in near.values() for peer in peers if peer in near]
    assert len(ends) == 2 * len(list(links(dsn)))


@pytest.mark.parametrize("dsn", [ring(2, 1), ring(3, 2), grid(3, 2), grid(5, 4)], ids=lambda dsn: dsn.name)
def test_links_of_a_dsn_are_paired(dsn):
    """A shortcut leaves at a forward port and enters at a backward port; both ends of every link agree."""
    near = ports(Wiring(dsn)).items()
    ends = [(dsn.parse_switch(node), port) for node, peers in near for port, peer in enumerate(peers) if peer]
    assert len(ends) == 2 * len(list(links(dsn)))
    names = [port.name for port in dsn.ports]
    for node, port in ends:
        peer, other = dsn.neighbour(node, port)
        assert dsn.neighbour(peer, other) == (node, port)
        swapped = {"forward": "backward", "backward": "forward"}
        way = names[port].rpartition("_")
        assert way[0] == "local" or names[other] == f"{way[0]}_{swapped[way[2]]}"


@pytest.mark.parametrize(("routing", "layers"), [("updown", 1), ("shortest", None)])
def test_load_is_balanced_over_parallel_links(routing, layers):
    """Two switches with 12 hosts each and three links: 144 pairs per direction, 48 on each link."""
    hosts = [f"{name}{number}" for name in "pq" for number in range(12)]
    between = [("left", "right")] * 3
    edges = [*((host, "left" if host[0] == "p" else "right") for host in hosts), *between]
    for balance in ("auto", "host"):
        made = compile_tables(Graph("pair", edges, hosts), routing, layers, balance=balance)
        assert sorted(made.walked.load.tolist()) == [48] * 6
    # With one route per switch, all hosts of a switch use one link.
    together = compile_tables(Graph("pair", edges, hosts), routing, layers, balance="switch")
    assert max(together.walked.load) == 144


def test_tables_name_the_ports_of_parallel_links(run, tmp_path):
    path = tmp_path / "net.edges"
    path.write_text("".join(f"{a} {b}\n" for a, b in EDGES))
    status, out, err = run("table", "--graph", path, "--format", "json")
    assert (status, err.count("\n")) == (0, 1)
    assert json.loads(out)["ports"]["a"] == ["b", "c", "b", "b"]
