"""Parallel links: each has its own port, both ends agree on which link is which, and all of them share the load."""

import pytest
from wirings import ports

from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.graph import Graph

# a and b have three links, with others between them in the list.
EDGES = [("a", "b"), ("a", "c"), ("b", "a"), ("b", "d"), ("a", "b"), ("c", "d")]


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


@pytest.mark.parametrize("classes", [1, None])
def test_load_is_balanced_over_parallel_links(classes):
    """Two switches with 12 hosts each and three links: 144 pairs per direction, 48 on each link."""
    hosts = [f"{name}{number}" for name in "pq" for number in range(12)]
    between = [("left", "right")] * 3
    edges = [*((host, "left" if host[0] == "p" else "right") for host in hosts), *between]
    for balance in ("auto", "host"):
        made = compile_tables(Graph("pair", edges, hosts), classes, balance=balance)
        assert sorted(made.walked.load.tolist()) == [48] * 6
    # With one route per switch, all hosts of a switch use one link.
    together = compile_tables(Graph("pair", edges, hosts), classes, balance="switch")
    assert max(together.walked.load) == 144
