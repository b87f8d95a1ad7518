"""Parameters: one test per error message; ports and links against the golden graph."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.net.topology.dsn import MAX_RING, Dsn, grid, port_links, ring
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.supernode import Coc, K4x2, RingSupernode, parse_supernode
from dsnswitch.sim.golden.topology.dsn import degrees, graph, level_count, links, local_graph, nodes

SHAPES = st.one_of(
    st.builds(K4x2, st.booleans()),
    st.builds(RingSupernode, st.integers(1, 20)),
    st.builds(Coc, st.integers(2, 5), st.integers(2, 5)),
)


@st.composite
def networks(draw, most=40):
    """Any DSN whose rings have up to ``most`` supernodes."""
    shape = draw(SHAPES)
    high = min(most, 2**shape.most_levels)
    sizes = draw(st.tuples(st.integers(1, high)) | st.tuples(st.integers(1, min(high, 9)), st.integers(1, min(high, 9))))
    if shape.m == 1 and set(sizes) == {1}:
        sizes = (2,)
    return Dsn(sizes, shape, draw(st.sampled_from(("both", "forward"))))


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: ring(0, 4), ValueError, f"Ring size n must be in 1..{MAX_RING}, not 0"),
        (lambda: ring(MAX_RING + 1, 16), ValueError, f"Ring size n must be in 1..{MAX_RING}, not {MAX_RING + 1}"),
        (lambda: ring("7", 4), TypeError, "Ring size n must be an integer, not '7'"),
        (lambda: ring(True, 4), TypeError, "Ring size n must be an integer, not True"),
        (lambda: ring(16, 3), ValueError, "Supernode size m must be at least p = 4 (= ceil(log2 16)), not 3"),
        (lambda: grid(4, 512), ValueError, "Supernode size m must be at least p = 9 (= ceil(log2 512)), not 8"),
        (lambda: grid(-1, 4), ValueError, f"Grid width X must be in 1..{MAX_RING}, not -1"),
        (lambda: grid(4, 2.0), TypeError, "Grid height Y must be an integer, not 2.0"),
        (lambda: ring(1, 1), ValueError, "A DSN must have at least 2 nodes, not 1"),
        (lambda: ring(7, 65), ValueError, "Ring supernode size m must be in 1..64, not 65"),
        (lambda: Coc(1, 4), ValueError, "CoC subgraph count ms must be in 2..32, not 1"),
        (lambda: Coc(4, 33), ValueError, "CoC subgraph size mn must be in 2..32, not 33"),
        (lambda: Coc(9, 8), ValueError, "CoC size ms * mn must be at most 64, not 72 (= 9 * 8)"),
        (lambda: Dsn((7,), "k4x2"), TypeError, "DSN supernode must be a Supernode, not 'k4x2'"),
        (lambda: Dsn([7], K4x2()), TypeError, "DSN sizes must be a tuple of 1 or 2 integers, not [7]"),
        (lambda: ring(7, 4, "up"), ValueError, "DSN directions must be one of both, forward, not 'up'"),
        (
            lambda: parse_supernode("k4x3"),
            ValueError,
            "Supernode must be k4x2, k4x2:double, ring-M, cube-N or coc-MSxMN, not 'k4x3'",
        ),
        (
            lambda: parse_network("grid:4x17:k4x2:double"),
            ValueError,
            "Supernode k4x2:double has at most 4 levels of shortcuts, not p = 5 (= ceil(log2 17))",
        ),
        (
            lambda: parse_network("grid:4x4:k4x2:twice:forward"),
            ValueError,
            "Supernode must be k4x2, k4x2:double, ring-M, cube-N or coc-MSxMN, not 'k4x2:twice'",
        ),
        (lambda: ring(7, 4).parse_switch("1,2,3"), ValueError, "Node address must have the form x,id, not '1,2,3'"),
        (lambda: grid(4, 4).parse_switch("1,2"), ValueError, "Node address must have the form x,y,id, not '1,2'"),
        (lambda: grid(4, 4).parse_switch("1,-2,3"), ValueError, "Node address must have the form x,y,id, not '1,-2,3'"),
        (lambda: grid(4, 4).parse_switch("1,4,3"), ValueError, "Field y of node 1,4,3 must be in 0..3, not 4"),
        (lambda: grid(4, 4).parse_switch("1,3,8"), ValueError, "Field id of node 1,3,8 must be in 0..7, not 8"),
    ],
)
def test_error(build, error, message):
    with pytest.raises(error) as caught:
        build()
    assert str(caught.value) == message


@given(networks())
def test_addresses_number_every_node_once(dsn):
    assert list(dsn.switches()) == list(nodes(dsn))
    assert [dsn.number(node) for node in nodes(dsn)] == list(range(dsn.nodes))
    assert [dsn.switch(number) for number in range(dsn.nodes)] == list(nodes(dsn))


@given(networks(most=12))
def test_links_are_the_golden_links_in_their_order(dsn):
    found = [(link.source, link.target, dsn.ports[link.port].kind, dsn.level(link.source, link.port)) for link in dsn.links()]
    assert found == [tuple(link) for link in links(dsn)]


@given(networks(most=12))
def test_a_link_leads_back(dsn):
    for node in nodes(dsn):
        for port in dsn.ports:
            end = dsn.neighbour(node, port.index)
            assert end is None or dsn.neighbour(*end) == (node, port.index)


@given(networks())
def test_a_network_is_spelt_as_it_is_parsed(dsn):
    assert parse_network(dsn.spelling) == dsn


@pytest.mark.parametrize(("spelling", "m"), [("ring:2", 2), ("ring:16", 4), ("ring:17", 5), ("grid:4x4", 8)])
def test_a_supernode_that_is_not_named_has_a_node_per_level(spelling, m):
    """A grid has K4x2."""
    assert parse_network(spelling).m == m


@given(networks(most=12))
def test_links_behind_ports_are_the_golden_graph(dsn):
    """The links at the ports, seen from both ends, are those of the golden graph, with kind and level."""
    wanted = sorted((min(a, b), max(a, b), kind, level or 0) for a, b, kind, level in links(dsn) for _ in range(2))
    found = []
    for node in nodes(dsn):
        for link in port_links(dsn, node[-1]):
            there = [*node[:-1], link.to_id]
            if link.port.kind != "local":
                axis = dsn.dimensions.index(link.port.kind)
                there[axis] = (there[axis] + link.offset) % dsn.sizes[axis]
            found.append((min(node, tuple(there)), max(node, tuple(there)), link.port.kind, link.level or 0))
    assert sorted(found) == wanted


@given(networks())
def test_levels_and_ports(dsn):
    assert dsn.levels == tuple(map(level_count, dsn.sizes))
    assert [port.index for port in dsn.ports] == list(range(len(dsn.ports)))
    assert len({port.name for port in dsn.ports}) == len(dsn.ports)


@given(SHAPES)
def test_shape_is_spelt_as_it_is_parsed(shape):
    assert parse_supernode(shape.name) == shape
    assert local_graph(shape).number_of_nodes() == shape.m


def test_a_graph_is_a_network():
    """A graph with parallel links, and with a port that leads to a host."""
    found = Graph("lab", [("a", "b"), ("h", "a"), ("b", "a"), ("b", "c")], hosts=["h"])
    assert found.names == ("a", "b", "c")
    assert found.hosts == {"h": ((0,), 1)}
    ends = {(s, port.index): found.neighbour(s, port.index) for s in found.switches() for port in found.ports}
    links = [((0,), 0, (1,), 0), ((0,), 2, (1,), 1), ((1,), 2, (2,), 0)]
    there = {(a, p): (b, q) for a, p, b, q in links} | {(b, q): (a, p) for a, p, b, q in links}
    assert {place: end for place, end in ends.items() if end} == there
    assert [(link.source, link.port, link.target, link.target_port) for link in found.links()] == links
    assert found.spell_switch(found.parse_switch("c")) == "c"
    assert [len(found.ports_of(switch)) for switch in found.switches()] == [3, 3, 1]
    with pytest.raises(ValueError, match="lab has no switch d"):
        found.parse_switch("d")


@pytest.mark.parametrize(("sizes", "degree", "hops"), [((8, 8), 7, 3.925), ((16, 16), 8, 4.631)])
def test_a_second_set_of_shortcuts(sizes, degree, hops):
    """Degree, mean of the shortest paths, and the shortcuts of each switch: at most one per dimension and direction."""
    dsn = Dsn(sizes, K4x2(double=True))
    net = graph(dsn)
    assert 2 * net.number_of_edges() == degree * dsn.nodes
    lengths = [sum(nx.single_source_shortest_path_length(net, (0, 0, own)).values()) for own in range(dsn.m)]
    assert sum(lengths) / dsn.m / (dsn.nodes - 1) == pytest.approx(hops, abs=5e-4)
    assert max(degrees(dsn)) == 4 + 4 == len(dsn.ports)
    # All cables of the single set are there, on the same ports.
    single = set(Dsn(sizes, K4x2()).links())
    added = set(dsn.links()) - single
    assert single < set(dsn.links())
    assert {link.source[-1] for link in added} == set(range(4, 4 + dsn.levels[0]))
