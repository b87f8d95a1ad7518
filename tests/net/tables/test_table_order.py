"""Tables do not depend on the order of lines and of the ends of a link."""

import random

import networkx as nx
import pytest
from wirings import keys

from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.addresses import by_name
from dsnswitch.net.topology.graph import Graph

GRAPHS = {
    "ring": nx.cycle_graph(6),
    "torus": nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5, periodic=True)),
    "random": nx.random_regular_graph(3, 24, seed=3),
    "irregular": nx.gnp_random_graph(24, 0.15, seed=11),
    "tree": nx.balanced_tree(2, 4),
}


def shuffled(net, seed):
    """The links of a graph in another order, with swapped ends; unchanged if ``seed`` is None."""
    links = [(f"s{a}", f"s{b}") for a, b in net.edges]
    if seed is not None:
        rng = random.Random(seed)
        links = [link if rng.random() < 0.5 else link[::-1] for link in links]
        rng.shuffle(links)
    return links


def figures(net, seed):
    graph = Graph("g", shuffled(net.subgraph(max(nx.connected_components(net), key=len)), seed))
    made = compile_tables(graph), compile_tables(graph, 1)
    return [(tables.layers, sorted(tables.walked.load.tolist())) for tables in made]


@pytest.mark.parametrize("graph", GRAPHS)
def test_classes_and_loads_do_not_depend_on_the_order_of_lines(graph):
    expected = figures(GRAPHS[graph], None)
    for seed in range(2):
        assert figures(GRAPHS[graph], seed) == expected


def test_names_in_order():
    names = ["leaf10", "leaf2", "leaf2.1", "leaf02", "9", "10", "a", "", "10" * 3000]
    assert sorted(names[:7], key=by_name) == ["9", "10", "a", "leaf02", "leaf2", "leaf2.1", "leaf10"]
    assert sorted(names, key=by_name)[0] == ""


def test_keys_of_names_do_not_depend_on_the_order_of_lines():
    links = [("leaf10", "leaf2"), ("leaf2", "leaf1")]
    for order in (links, links[::-1]):
        assert keys(Wiring(Graph("g", order))) == {"leaf1": 0, "leaf2": 1, "leaf10": 2}
