"""One turn class: how near the routes of the tables are to the shortest that go up and then down."""

from itertools import pairwise

import networkx as nx
import pytest
from wirings import keys, ports, tables

from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.graph import Graph
from dsnswitch.sim.golden.table import LongestPrefix


def compiled(net, root=None, balance="auto"):
    links = [(str(a), str(b)) for a, b in net.edges]
    graph = Graph("net", links)
    return compile_tables(graph, 1, root=root and graph.parse_switch(root), balance=balance)


def rises(made):
    """Whether the hop between two switches leads up, by their names."""
    wiring = made.wiring
    return {(wiring.names[wiring.source[at]], wiring.names[wiring.target[at]]): up for at, up in enumerate(made.ranks.up[:-1])}


def legal(made):
    """Hops of the shortest path of each pair that goes up and then down, by a search over switches and phases."""
    search = nx.DiGraph()
    for (a, b), up in rises(made).items():
        if up:
            search.add_edge((a, "up"), (b, "up"))
        else:
            search.add_edges_from([((a, "up"), (b, "down")), ((a, "down"), (b, "down"))])
    for a in made.wiring.names:
        hops = nx.single_source_shortest_path_length(search, (a, "up")) if (a, "up") in search else {}
        for b in made.wiring.names:
            yield (a, b), min(hops.get((b, phase), len(search)) for phase in ("up", "down")) if a != b else 0


def walks(made):
    """The switches on the route of each pair, by the golden longest-prefix match."""
    models = {
        switch: LongestPrefix(table.width, [(e.value, e.length, e.action) for e in table.entries])
        for switch, table in tables(made).items()
    }
    near = ports(made.wiring)
    for source in near:
        for end, key in keys(made.wiring).items():
            way = [source]
            while way[-1] != end:
                way.append(near[way[-1]][models[way[-1]].lookup(key)[0]])
            yield (source, end), way


FAN = nx.Graph([(0, leaf) for leaf in range(1, 7)] + [(leaf, leaf + 1) for leaf in range(1, 6)])


@pytest.mark.parametrize("balance", ["switch", "auto"])
def test_a_fan_takes_its_hub(balance):
    """A hub and a chain of six switches: a packet that may go along the chain or over the hub takes the shorter way."""
    made = compiled(FAN, "0", balance)
    hops = {pair: len(way) - 1 for pair, way in walks(made)}
    assert hops["6", "3"] == hops["3", "6"] == 2
    assert hops == dict(legal(made))


@pytest.mark.parametrize(("degree", "size", "seed"), [(3, 40, 1), (4, 60, 2), (7, 64, 3), (12, 60, 4)])
def test_few_routes_are_longer_than_the_rule_allows(degree, size, seed):
    """No route goes up after it went down. At most 1 % of the routes are longer than the shortest such path."""
    made = compiled(nx.random_regular_graph(degree, size, seed=seed))
    up, least = rises(made), dict(legal(made))
    longer = 0
    for pair, way in walks(made):
        turns = [up[hop] for hop in pairwise(way)]
        assert turns == sorted(turns, reverse=True)
        assert len(way) - 1 >= least[pair]
        longer += len(way) - 1 > least[pair]
    assert longer <= len(least) // 100
    assert made.walked.hops.nonzero()[0].max() <= max(least.values()) + 1
