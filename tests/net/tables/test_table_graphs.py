"""Tables of any graph: all pairs are delivered by tables alone, channel dependencies have no cycle, bad graphs are refused."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wirings import keys, ports, simple, tables

from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import Tables, compile_tables
from dsnswitch.net.tables.walk import describe_cycle, find_cycle
from dsnswitch.net.topology.dsn import grid
from dsnswitch.net.topology.graph import Graph
from dsnswitch.sim.golden.routing.dsn import route
from dsnswitch.sim.golden.table import LongestPrefix
from dsnswitch.sim.golden.topology.dsn import graph as golden_graph
from dsnswitch.sim.golden.topology.dsn import nodes


def text_links(net):
    return [(str(a), str(b)) for a, b in net.edges]


def delivered(made, net, home):
    """Walk every pair with the golden longest-prefix match on the graph itself; returns the hops of each pair.

    ``home`` maps a destination to the switch that it is attached to.
    """
    near, hops = ports(made.wiring), {}
    models = {
        switch: LongestPrefix(table.width, [(e.value, e.length, e.action) for e in table.entries])
        for switch, table in tables(made).items()
    }
    for destination, key in keys(made.wiring).items():
        for source in near:
            here, count = source, 0
            while True:
                (action,) = models[here].lookup(key)
                port = action % (1 << made.port_bits)
                if here == home[destination] and (port == made.arrived or near[here][port] == destination):
                    break
                there = near[here][port]
                assert net.has_edge(here, there)
                here, count = there, count + 1
                assert count < len(near)
            hops[source, destination] = count
    return hops


def host_switch_graph():
    """60 hosts on 16 switches of a random graph."""
    net = nx.random_regular_graph(4, 16, seed=5)
    links = [(f"{60 + a}", f"{60 + b}") for a, b in net.edges]
    return links + [(f"{host}", f"{60 + host * 7 % 16}") for host in range(60)]


@pytest.mark.parametrize("classes", [1, 2, None])
def test_host_switch_graph(tmp_path, classes):
    links = host_switch_graph()
    path = tmp_path / "orp.edges"
    path.write_text("".join(f"{a} {b}\n" for a, b in links))
    made = compile_tables(read_graph(f"{path},hosts=60"), classes)
    assert list(made.wiring.ends.names) == [str(host) for host in range(60)]
    net = nx.Graph(links)
    home = {str(host): next(iter(net[str(host)])) for host in range(60)}
    assert len(delivered(made, net, home)) == 60 * 16


def test_broken_dsn_by_its_own_ports():
    """4 x 4 x 8 without three links: keys and ports are those of the route logic."""
    dsn = grid(4, 4)
    broken = [((0, 0, 0), (2, 0, 1)), ((1, 1, 0), (1, 1, 7)), ((3, 2, 1), (3, 3, 2))]
    made = compile_tables(dsn, broken=broken)
    net = golden_graph(dsn)
    net.remove_edges_from(broken)
    net = nx.relabel_nodes(net, dsn.spell_switch)
    assert {frozenset(link) for link in simple(made.wiring).edges} == {frozenset(link) for link in net.edges}
    assert len(delivered(made, net, {node: node for node in net})) == 128 * 128
    assert made.wiring.port_names[4] == "x_forward"


def cycle_of(paths):
    """A cycle of the dependencies of ``paths`` (lists of channels), as a list of channels, or None."""
    numbers = {}
    pairs = {tuple(numbers.setdefault(end, len(numbers)) for end in pair) for path in paths for pair in pairwise(path)}
    found = find_cycle(*np.array(sorted(pairs), np.int64).reshape(-1, 2).T)
    names = list(numbers)
    return found and [names[number] for number in found]


def channels(switches):
    """Channels of a path that is given by its switches."""
    return [(0, a, b) for a, b in pairwise(switches)]


def ring_paths(size):
    """Every switch sends over two hops in the same direction around a ring, which is the oldest example of deadlock."""
    return [[at, (at + 1) % size, (at + 2) % size] for at in range(size)]


def test_ring_waits_in_a_circle():
    cycle = cycle_of(map(channels, ring_paths(5)))
    assert sorted(cycle) == [(0, at, (at + 1) % 5) for at in range(5)]
    assert describe_cycle(Wiring(Graph("pair", [("1", "2")])), [0, 1]) == "1>2 waits for 2>1 waits for 1>2"
    assert cycle_of(map(channels, ring_paths(5)[1:])) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_circle_is_found_if_there_is_one(edges):
    found = find_cycle(*np.array(edges, np.int64).reshape(-1, 2).T)
    model = nx.DiGraph(edges)
    assert (found is None) == nx.is_directed_acyclic_graph(model)
    if found:
        assert all(model.has_edge(a, b) for a, b in zip(found, [*found[1:], found[0]]))


def test_long_circle_is_short_in_words():
    wiring = Wiring(Graph("chain", [(str(number), str(number + 1)) for number in range(20)]))
    cycle = [wiring.names.index(str(number)) for number in range(20)]
    cycle = [int(np.flatnonzero((wiring.source == at) & (wiring.target == to))[0]) for at, to in pairwise(cycle)]
    words = describe_cycle(wiring, cycle)
    assert words.split(" waits for ") == ["0>1", "1>2", "16 more", "18>19", "0>1"]
    assert describe_cycle(wiring, cycle[:4]).count("waits for") == 4


def test_check_sees_routes_that_do_not_fit_their_classes():
    """If shortest paths of a ring are taken in one class, the check finds pairs that need more, and the cycle without classes."""
    graph = Graph("six", text_links(nx.relabel_nodes(nx.cycle_graph(6), str)))
    made = compile_tables(graph)
    assert made.layers == 2
    one = Tables(made.wiring, made.routing, 1, made.tables, made.ranks)
    assert any("pairs need more than 1 class" in fault for fault in one.faults())
    bare = Tables(made.wiring, made.routing, 1, made.tables)
    assert any("the routes can deadlock: " in fault and " waits for " in fault for fault in bare.faults())


def split_by_phase(dsn, source, target):
    """Channels of the algorithm's path, with local links separated by phase: x, y, final."""
    hops = route(dsn, source, target)
    phase = 0
    for place, hop in enumerate(hops):
        if hop.kind == "local":
            later = next((h.kind for h in hops[place:] if h.kind != "local"), "final")
            phase = {"x": 0, "y": 1, "final": 2}[later]
        yield (phase if hop.kind == "local" else 0, hop.source, hop.target)


@pytest.mark.parametrize(
    ("sizes", "split", "cyclic"),
    [((4, 4), False, True), ((4, 4), True, False), ((8, 8), True, False), ((32, 2), True, True)],
    ids=["4x4", "4x4-phases", "8x8-phases", "32x2-phases"],
)
def test_dependencies_of_the_algorithm(sizes, split, cyclic):
    """One virtual channel has a cycle even at 4 x 4; one for each phase suffices at 8 x 8, but not on 32 supernodes."""
    dsn = grid(*sizes)
    everyone = list(nodes(dsn))
    # A cycle may involve any source, so all sources are used. Larger networks use only a part of the targets.
    targets = everyone if dsn.nodes <= 128 else everyone[:: dsn.nodes // 128 + 1]
    paths = []
    for source in everyone:
        for target in targets:
            if split:
                paths.append(list(split_by_phase(dsn, source, target)))
            else:
                paths.append([(0, hop.source, hop.target) for hop in route(dsn, source, target)])
    assert (cycle_of(paths) is not None) == cyclic


@pytest.mark.parametrize(
    ("name", "content", "hosts", "message"),
    [
        ("a.edges", "1 2\n3 4\n4 5\n", 0, r"a.edges is not connected, it has 2 parts: \{3, 4, 5\}; \{1, 2\}"),
        ("a.edges", "1 2\n3\n", 0, r"a.edges, line 2: a link must have two ends, not '3'"),
        ("a.edges", "# nothing\n", 0, "a.edges has no link"),
        ("a.edges", "1 1\n", 0, "a link must have two ends, not 1 twice"),
        ("a.edges", "0 1\n0 2\n1 2\n", 1, "host 0 must have one link, to a switch, not 1, 2"),
        ("a.edges", "0 2\n2 3\n", 2, "host 1 has no link"),
        ("a.edges", "0 1\n", 2, "host 0 must have one link, to a switch, not 1"),
        ("a.edges", "1 01\n", 0, "two destinations have the same number"),
        ("a.edges", f"1 {1 << 16}\n", 0, "a destination must be below 65536, not 65536"),
        ("a.graphml", "<graphml", 0, "a.graphml is not XML"),
        ("a.graphml", "<graphml><graph edgedefault='undirected'></graph></graphml>", 0, "a.graphml"),
        ("a.anynet", "router 0 node 0\nrouter 0 nodes 1\n", 0, "a.anynet, line 2: must be 'router R router S node N ...'"),
        ("a.anynet", "node 0 node 1\n", 0, "a node must be linked to a router, not to node 1"),
        ("a.anynet", "router 0 node 0\n", 1, "Only edges, adjacency, lgl, csv take a number of hosts, not anynet"),
    ],
)
def test_graphs_that_are_refused(tmp_path, name, content, hosts, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(UsageError, match=message) as raised:
        Wiring(read_graph(f"{path},hosts={hosts}"))
    assert "\n" not in str(raised.value)


def test_what_a_fabric_cannot_have(tmp_path):
    graph = Graph("two", [("a", "b")])
    assert keys(Wiring(graph)) == {"a": 0, "b": 1}
    with pytest.raises(UsageError, match="Balance must be one of auto, switch, host, not 'even'"):
        compile_tables(graph, balance="even")
    with pytest.raises(ValueError, match="two has no switch c"):
        graph.parse_switch("c")
    with pytest.raises(UsageError, match="cannot be read"):
        read_graph(tmp_path / "none")
    with pytest.raises(UsageError, match="There is no format 'pajek' of graphs; dsnswitch topologies graph lists all"):
        read_graph(f"{tmp_path / 'none'},format=pajek")
