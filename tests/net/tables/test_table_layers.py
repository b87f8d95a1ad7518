"""Virtual layers: as few as are found, independent of the order of lines and the names of switches, and free of cycles."""

import json
import random
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wirings import keys

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing import layers as layering
from dsnswitch.net.routing.balance import balanced
from dsnswitch.net.routing.layers import Ordered, fewest_layers
from dsnswitch.net.routing.routes import shortest
from dsnswitch.net.routing.wiring import Wiring, targets
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.walk import describe_cycle, find_cycle
from dsnswitch.net.topology.addresses import by_name
from dsnswitch.net.topology.graph import Graph

GRAPHS = {
    "ring": nx.cycle_graph(6),
    "torus": nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 6, periodic=True)),
    "random": nx.random_regular_graph(3, 48, seed=3),
    "irregular": nx.gnp_random_graph(40, 0.1, seed=11),
    "tree": nx.balanced_tree(2, 4),
}


def renamed(net, seed):
    """The links of a graph in another order, with swapped ends and other names; unchanged if ``seed`` is None."""
    links = [(f"s{a}", f"s{b}") for a, b in net.edges]
    if seed is None:
        return links
    rng = random.Random(seed)
    names = [f"{'xyz'[number % 3]}{number * 7919 % 1000}" for number in range(len(net))]
    rng.shuffle(names)
    name = dict(zip(net, names))
    links = [(name[a], name[b]) if rng.random() < 0.5 else (name[b], name[a]) for a, b in net.edges]
    rng.shuffle(links)
    return links


def figures(net, seed):
    net = net.subgraph(max(nx.connected_components(net), key=len))
    graph = Graph("g", renamed(net, seed))
    made = compile_tables(graph, "shortest", None)
    up = compile_tables(graph)
    return made.layers, sorted(made.walked.load.tolist()), sorted(up.walked.load.tolist())


@pytest.mark.parametrize("graph", GRAPHS)
def test_layers_and_loads_depend_on_the_graph_alone(graph):
    """Every order of the lines and every renaming gives the same number of layers and the same loads."""
    expected = figures(GRAPHS[graph], None)
    for seed in range(3):
        assert figures(GRAPHS[graph], seed) == expected


def test_several_orders_are_tried():
    """A single attempt needs four layers for this graph."""
    net = nx.random_regular_graph(4, 48, seed=3)
    assert compile_tables(Graph("g", renamed(net, None)), "shortest", None).layers == 3


@pytest.mark.parametrize("homes", ["0124", "012345"])
def test_layers_are_for_routes_between_hosts(homes):
    """No packet enters a ring at a switch without hosts, so the routes of such a switch take no layer."""
    hosts = [f"h{home}" for home in homes]
    links = [*((host, f"r{host[1:]}") for host in hosts), *((f"r{at}", f"r{(at + 1) % 6}") for at in range(6))]
    graph = Graph("ring", links, hosts)
    layers = 1 if len(homes) == 4 else 2
    assert compile_tables(graph, "shortest", None).layers == compile_tables(graph, "shortest", layers).layers == layers
    if layers > 1:
        with pytest.raises(UsageError, match="shortest paths do not fit 1 virtual channel"):
            compile_tables(graph, "shortest", 1)


def fat_tree_with_hosts_at_spines():
    """Four leaves with two hosts each, three spines with one."""
    homes = [f"l{number // 2}" for number in range(8)] + ["s0", "s1", "s2"]
    hosts = [str(number) for number in range(11)]
    links = [*zip(hosts, homes), *((f"l{leaf}", f"s{spine}") for leaf in range(4) for spine in range(3))]
    return Graph("ft", links, hosts)


@pytest.mark.parametrize("balance", ["auto", "host"])
def test_balance_respects_the_number_of_layers(balance):
    """Balanced shortest paths need two layers. With one, balanced up*/down* routes are as short, and better than no balance."""
    graph = fat_tree_with_hosts_at_spines()
    assert compile_tables(graph, "shortest", None, balance=balance).layers == 2
    one, none = (compile_tables(graph, "shortest", 1, balance=how).walked for how in (balance, "none"))
    assert np.array_equal(one.hops, none.hops)
    assert one.load.max() <= 9 < 16 == none.load.max()


def test_some_routes_give_up_balance_if_layers_are_few():
    """Balanced routes of a torus need 4 layers, those without balance 2. Between them, some trees stay balanced."""
    torus = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 6, periodic=True))
    graph = Graph("t", renamed(torus, None))
    load = [compile_tables(graph, "shortest", layers).walked.load.max() for layers in (4, 3, 2)]
    assert load[0] < load[1] < load[2] <= compile_tables(graph, "shortest", 2, balance="none").walked.load.max()


def test_every_layer_is_free_of_circles_and_none_is_left_out():
    """The layers of the routes, checked with networkx: each is acyclic, and they are numbered from 0 without a gap."""
    wiring = Wiring(Graph("g", renamed(GRAPHS["random"], None)))
    trees = balanced(wiring, shortest(wiring), targets(wiring))
    layer, cycle = fewest_layers(trees)
    assert cycle is None
    used = sorted(set(layer.ravel().tolist()))
    assert used == list(range(len(used)))
    assert len(used) > 1
    for number in used:
        waits = nx.DiGraph()
        for tree, source in np.argwhere(layer == number):
            way, here = [], source
            while here != trees.targets.home[tree]:
                way.append(trees.channel[tree, here])
                here = trees.onward[tree, here]
            nx.add_path(waits, way)
        assert nx.is_directed_acyclic_graph(waits)


def test_too_few_layers_have_a_circle():
    wiring = Wiring(Graph("g", renamed(GRAPHS["torus"], None)))
    trees = balanced(wiring, shortest(wiring), targets(wiring))
    layer, cycle = fewest_layers(trees, 1)
    assert layer.min() == -1
    for a, b in zip(cycle, [*cycle[1:], cycle[0]]):
        assert wiring.target[a] == wiring.source[b]
    assert fewest_layers(trees, 6)[1] is None


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40), st.permutations(range(8)))
def test_ordered_graph_takes_exactly_the_edges_that_close_no_cycle(edges, place):
    held, model = Ordered(8, place), nx.DiGraph()
    model.add_nodes_from(range(8))
    for a, b in edges:
        fits = a != b and not nx.has_path(model, b, a)
        assert held.add(a, b) == fits
        if fits:
            model.add_edge(a, b)
        assert all(held.position[x] < held.position[y] for x, y in model.edges)
        assert (held.path(a, b) is not None) == nx.has_path(model, a, b)


@pytest.mark.parametrize("few", [5, 20])
def test_little_effort_takes_more_layers_and_finds_what_fits_the_last(monkeypatch, few):
    """Pairs that a short search refused are tried again on the last layer, and only a cycle refuses them."""
    monkeypatch.setattr(layering, "EFFORT", 0)
    monkeypatch.setattr(layering, "FEW", few)
    tree = nx.relabel_nodes(GRAPHS["tree"], {at: (at * 7) % 31 for at in range(31)})
    assert compile_tables(Graph("g", renamed(tree, None)), "shortest", 1).layers == 1
    graph = Graph("g", renamed(GRAPHS["random"], None))
    assert 3 <= compile_tables(graph, "shortest", None).layers <= 20
    with pytest.raises(UsageError, match="shortest paths do not fit 1 virtual channel"):
        compile_tables(graph, "shortest", 1)


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


def test_auto_reports_the_layers(run, tmp_path):
    path = tmp_path / "six.edges"
    path.write_text("".join(f"{at} {(at + 1) % 6}\n" for at in range(6)))
    words = ["table", "--topology", f"graph:{path}", "--routing", "shortest", "--format", "json"]
    status, out, err = run(*words, "--layers", "auto")
    assert (status, json.loads(out)["layers"]) == (0, 2)
    assert err.startswith("shortest, 2 virtual channels (fewer may do); hops 1.80 mean, 3 max; pairs on a channel ")
    assert err.count("\n") == 1
    for wrong in ("0", "65", "many", "-1"):
        status, out, err = run(*words, "--layers", wrong)
        assert (status, out) == (2, "")
        assert f"must be auto or in 1..64, not '{wrong}'" in err
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert "shortest paths do not fit 1 virtual channel" in err


def test_names_in_order():
    names = ["leaf10", "leaf2", "leaf2.1", "leaf02", "9", "10", "a", "", "10" * 3000]
    assert sorted(names[:7], key=by_name) == ["9", "10", "a", "leaf02", "leaf2", "leaf2.1", "leaf10"]
    assert sorted(names, key=by_name)[0] == ""


def test_keys_of_names_do_not_depend_on_the_order_of_lines():
    links = [("leaf10", "leaf2"), ("leaf2", "leaf1")]
    for order in (links, links[::-1]):
        assert keys(Wiring(Graph("g", order))) == {"leaf1": 0, "leaf2": 1, "leaf10": 2}


def test_shortest_has_no_root():
    with pytest.raises(UsageError, match=r"A root \(= s1\) is not for --routing shortest"):
        compile_tables(Graph("g", renamed(GRAPHS["ring"], None)), "shortest", 2, root=(1,))
