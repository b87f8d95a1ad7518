"""``dsnswitch table --broken``: tables of a DSN with failed links, with its own keys and ports."""

import json

import networkx as nx
import pytest

from dsnswitch.net.messages import MOST_LINE
from dsnswitch.net.tables.walk import parse_link
from dsnswitch.net.topology.dsn import grid, port_links, ring
from dsnswitch.sim.golden.table import LongestPrefix
from dsnswitch.sim.golden.topology.dsn import graph, nodes

NETWORK = ("-x", 3, "-y", 4)
DSN = grid(3, 4)
BROKEN = {
    "0,0,0:2,0,1": ((0, 0, 0), (2, 0, 1)),
    "1,1,0:local_cross": ((1, 1, 0), (1, 1, 7)),
    "2,2,1:y_backward": ((2, 2, 1), (2, 0, 0)),
}


@pytest.fixture
def table(run):
    """A function that runs ``dsnswitch table`` with failed links; returns the standard output and the line of figures."""

    def call(*words, broken=tuple(BROKEN), code=0):
        given = [word for link in broken for word in ("--broken", link)]
        status, out, err = run("table", *NETWORK, *given, *words)
        assert (status, err.count("\n")) == (code, 1), err
        assert len(err) <= MOST_LINE
        return err if code else (out, err)

    return call


def neighbour_at(node, port):
    """The neighbour of a node at a port, by the topology."""
    link = next(link for link in port_links(DSN, node[-1]) if link.port.index == port)
    there = [*node[:-1], link.to_id]
    if link.level is not None:
        axis = "xy".index(link.port.kind)
        there[axis] = (there[axis] + link.offset) % DSN.sizes[axis]
    return tuple(there)


def walk_all(document, keys):
    """Walk every pair with the golden match, and the keys and ports of the DSN; returns hops and the layers in use."""
    dead = {frozenset(link) for link in BROKEN.values()}
    bits, count, layers = document["port_bits"], len(DSN.ports), set()
    models = {}
    for one in document["tables"]:
        entries = [
            (int(entry["match"].replace("*", "0"), 2), len(entry["match"].rstrip("*")), entry["action"])
            for entry in one["entries"]
        ]
        models[tuple(map(int, one["table"].removeprefix("node ").split(",")))] = LongestPrefix(one["key_width"], entries)
    assert set(models) == set(nodes(DSN))
    hops = {}
    for source in nodes(DSN):
        for target in nodes(DSN):
            here, number = source, 0
            while True:
                (action,) = models[here].lookup(DSN.key(here, target, keys))
                layers.add(action >> bits)
                port = action & (1 << bits) - 1
                if port == count:
                    break
                there = neighbour_at(here, port)
                assert frozenset((here, there)) not in dead
                here, number = there, number + 1
                assert number <= DSN.nodes
            assert here == target
            hops[source, target] = number
    return hops, layers


@pytest.mark.parametrize(
    ("keys", "classes"),
    [
        ("relative", ("--classes", 1)),
        ("folded", ()),
        *(pytest.param(keys, (), marks=pytest.mark.regress) for keys in ("absolute", "relative")),
    ],
    ids=str,
)
def test_every_pair_goes_round_failed_links(table, keys, classes):
    """Sizes that are not powers of two, each kind of key, one class and as many as shortest paths take."""
    out, err = table("--keys", keys, *classes, "--format", "json")
    document = json.loads(out)
    hops, layers = walk_all(document, keys)
    assert layers == {0}
    assert document["hops"]["max"] == max(hops.values())
    assert document["broken"] == list(BROKEN)
    assert document["keys"] == keys
    assert document["entries"] == {one["table"].removeprefix("node "): len(one["entries"]) for one in document["tables"]}
    assert err.startswith(f"turns, {document['layers']} turn class")
    if not classes:
        net = graph(DSN)
        net.remove_edges_from(BROKEN.values())
        best = dict(nx.all_pairs_shortest_path_length(net))
        assert all(hops[a, b] == best[a][b] for a, b in hops)


def test_one_node(table):
    """``--node`` gives the same table as the command for all nodes; the line of figures describes all tables."""
    everything, line = table("--format", "csv")
    one, same = table("--node", "0,0,0", "--format", "csv")
    assert same == line
    rows = [row for row in everything.splitlines()[1:] if row.startswith('"node 0,0,0"')]
    assert one.splitlines()[1:] == rows
    assert rows
    # No row contains the port of the failed link.
    assert not any("x_forward" in row for row in rows)


def test_image_has_the_layout_of_the_hardware(table):
    """Actions have as many bits as in the block's write port, without the option --action."""
    image, _ = table("--node", "0,0,0", "--format", "mem", "--entries", 48)
    assert "// {valid[1], length[3], value[7], action[4]}" in image.splitlines()
    assert len(image.splitlines()) == 2 + 48


def test_links_in_a_file(table, tmp_path):
    path = tmp_path / "failed"
    path.write_text("# two cables\n0,0,0:2,0,1\n\n1,1,0:local_cross  # and one more\n2,2,1:y_backward\n")
    assert table("--format", "csv", broken=[f"@{path}"]) == table("--format", "csv")


def test_tables_of_a_network_without_failed_links(run):
    status, out, _ = run("table", *NETWORK, "--routing", "turns", "--root", "1,1,3", "--format", "json")
    assert status == 0
    assert json.loads(out)["up"]["1,1,3"] == json.loads(out)["broken"] == []


def test_networks_that_are_too_large_or_no_networks(run, tmp_path):
    status, out, err = run("table", "-p", 5, "--broken", "0,0,0:local_cross")
    assert (status, out) == (2, "")
    assert "Nodes of a network with --broken or --routing must be at most 2048, not 8192" in err
    path = tmp_path / "two.edges"
    path.write_text("0 1\n")
    status, out, err = run("table", "--topology", f"graph:{path}", "--broken", "0:1")
    assert (status, out) == (2, "")
    assert "A graph takes no --broken (= 0:1)" in err


def test_one_of_two_parallel_links(run):
    """Two supernodes of one node have two links; a port identifies one of them."""
    dsn = ring(2, 1)
    assert parse_link(dsn, "0,0:1,0") == ((0, 0), (1, 0))
    network = ("--topology", "ring", "-n", 2, "-m", 1)
    status, out, _ = run("table", *network, "--broken", "0,0:x_forward", "--node", "1,0", "--format", "csv")
    assert status == 0
    # The link from x_forward of node 0 enters node 1 at x_backward. The remaining link is at x_forward of node 1.
    assert "x_forward" in out
    assert "x_backward" not in out
    status, out, err = run("table", *network, "--broken", "0,0:1,0")
    assert (status, out) == (2, "")
    assert "ring_2_ring1 is not connected, it has 2 parts: {0,0}; {1,0}" in err


def test_a_torus_with_a_failed_link(run):
    """Every network has its own keys and ports."""
    torus = ("table", "--topology", "torus:4x4")
    status, out, err = run(*torus, "--broken", "0,0:1,0", "--node", "0,0", "--format", "json")
    assert status == 0
    assert json.loads(out)["ports"]["0,0"].count(None) == 1
    assert err.startswith("turns, ")
    status, out, err = run(*torus, "--broken", "0,0:1,0", "--keys", "folded")
    assert (status, out) == (2, "")
    assert "Keys of torus:4x4 must be one of absolute, not 'folded'" in err
