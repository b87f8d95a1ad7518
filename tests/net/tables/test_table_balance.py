"""Balanced routes: the load of every channel, counted by an independent walk through the tables, and the ideal load."""

from collections import Counter
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wirings import keys, ports, tables

from dsnswitch.net.routing.balance import BALANCES, ideal
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.graph import Graph
from dsnswitch.sim.golden.table import LongestPrefix

BOTH = [1, None]


def fat_tree(hosts=8, leaves=16, spines=8):
    """A fat tree: leaves that are linked to every spine. Hosts are numbered leaf by leaf."""
    links = [(f"leaf{leaf}", f"spine{spine}") for leaf in range(leaves) for spine in range(spines)]
    names = [str(number) for number in range(hosts * leaves)]
    return Graph("fat", [*((name, f"leaf{int(name) // hosts}") for name in names), *links], names)


def loads(made):
    """Number of pairs on each port of each switch, by the golden longest-prefix match, without regard to classes."""
    near, wiring, found = ports(made.wiring), made.wiring, Counter()
    models = {
        switch: LongestPrefix(table.width, [(e.value, e.length, e.action) for e in table.entries])
        for switch, table in tables(made).items()
    }
    homes = dict(zip(wiring.ends.names, (wiring.names[at] for at in wiring.ends.home)))
    for target, key in keys(wiring).items():
        for source in homes:
            here = homes[source]
            while here != homes[target]:
                port = models[here].lookup(key)[0] % (1 << made.port_bits)
                found[here, port] += 1
                here = near[here][port]
    return found


@pytest.mark.parametrize(("balance", "greatest"), [("switch", 128), ("host", 128)])
@pytest.mark.parametrize("classes", BOTH)
def test_fat_tree(classes, balance, greatest):
    """960 pairs leave a leaf over eight spines. The ideal is 120 each.

    The 15 other leaves cannot be divided evenly among eight spines: with one route for each leaf, two of them share a channel.
    """
    made = compile_tables(fat_tree(), classes, balance=balance)
    assert ideal(made.wiring) == 120
    assert max(loads(made).values()) == greatest
    assert made.layers == 1


def test_default_balances_and_keeps_tables_small():
    """A load within a tenth of the ideal does not need routes per host."""
    entries = {
        balance: max(len(table.entries) for table in compile_tables(fat_tree(), balance=balance).tables) for balance in BALANCES
    }
    assert entries["auto"] == entries["switch"] == 8 + 14
    assert entries["host"] > 2 * entries["auto"]


def test_default_splits_hosts_where_it_pays():
    """Two leaves, three spines, 6 hosts each: 36 pairs per direction, and three runs of two hosts give 12 pairs per channel."""
    made = compile_tables(fat_tree(hosts=6, leaves=2, spines=3), 1)
    assert ideal(made.wiring) == max(loads(made).values()) == 12


@pytest.mark.parametrize("classes", BOTH)
def test_measured_load_is_that_of_the_tables(classes):
    net = nx.relabel_nodes(nx.random_regular_graph(4, 32, seed=2), str)
    made = compile_tables(Graph("rr", list(net.edges)), classes)
    found = loads(made)
    wiring = made.wiring
    for channel, load in enumerate(made.walked.load):
        assert load == found[wiring.names[wiring.source[channel]], wiring.port[channel]]
    if classes is None:
        assert max(found.values()) <= 1.5 * ideal(wiring)


def brute_force(net, hosts):
    """The ideal load by its definition on the graph."""
    distance = dict(nx.all_pairs_shortest_path_length(net))
    hops = sum(hosts[a] * hosts[b] * distance[a][b] for a in net for b in net)
    best = Fraction(hops, 2 * net.number_of_edges())
    for middle in net:
        for radius in range(max(distance[middle].values())):
            ball = {node for node in net if distance[middle][node] <= radius}
            inside = sum(hosts[node] for node in ball)
            pairs = inside * (sum(hosts.values()) - inside)
            best = max(best, Fraction(pairs, len(list(nx.edge_boundary(net, ball)))))
    return -(-best.numerator // best.denominator)


@given(st.integers(0, 10_000), st.integers(2, 9), st.booleans())
@settings(max_examples=60)
def test_ideal_is_below_every_routing(seed, size, with_hosts):
    net = nx.gnp_random_graph(size, 0.5, seed=seed)
    net = nx.relabel_nodes(net.subgraph(max(nx.connected_components(net), key=len)), lambda node: f"s{node}")
    if not net.number_of_edges():
        return
    links, hosts = list(net.edges), []
    count = dict.fromkeys(net, 1)
    if with_hosts:
        count = {node: int(node[1:]) * 7 % 3 for node in net}
        hosts = [f"{node}h{number}" for node in net for number in range(count[node])]
        links += [(host, host.partition("h")[0]) for host in hosts]
    if with_hosts and not hosts:
        return
    graph = Graph("g", links, hosts)
    assert ideal(Wiring(graph)) == brute_force(net, count)
    for classes in BOTH:
        for balance in BALANCES:
            made = compile_tables(graph, classes, balance=balance)
            assert made.walked.load.max() >= ideal(made.wiring)
            assert dict(Counter(loads(made))) == {
                (made.wiring.names[made.wiring.source[c]], made.wiring.port[c]): load
                for c, load in enumerate(made.walked.load)
                if load
            }


def test_a_chain_has_the_load_that_it_must_have():
    graph = Graph("chain", [(str(a), str(a + 1)) for a in range(9)])
    made = compile_tables(graph)
    assert ideal(made.wiring) == made.walked.load.max() == 25
    assert np.array_equal(np.sort(made.walked.load), np.sort([a * (10 - a) for a in range(1, 10) for _ in range(2)]))


def test_root_that_is_given_stays():
    """A spine that is given as root carries all of the traffic; the default chooses another root."""
    tree = fat_tree()
    assert compile_tables(tree, 1, root=tree.parse_switch("spine3"), balance="switch").walked.load.max() == 960
    made = compile_tables(tree, 1, balance="switch")
    assert made.wiring.names[made.ranks.top].startswith("leaf")


@pytest.mark.parametrize(
    "broken", [set(), *(pytest.param(one, marks=pytest.mark.regress) for one in ({(0, 0)}, {(0, 1), (3, 4)}))]
)
def test_default_root_of_as_many_leaves_as_spines(broken):
    """Leaves and spines have equal mean distances, or nearly equal ones if links have failed. No root has a lower load."""
    links = [(f"l{leaf}", f"s{spine}") for leaf in range(6) for spine in range(6) if (leaf, spine) not in broken]
    hosts = [str(number) for number in range(18)]
    graph = Graph("six", [*((host, f"l{int(host) % 6}") for host in hosts), *links], hosts)
    load = {graph.names[at]: compile_tables(graph, 1, root=(at,)).walked.load.max() for at in range(graph.nodes)}
    assert compile_tables(graph, 1).walked.load.max() == min(load.values())
    assert load["s5"] > 2 * min(load.values())
