"""Large graphs: time on one core, and the documented limits."""

import time

import networkx as nx
import numpy as np
import pytest

from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.tables import compile
from dsnswitch.net.tables.compile import MOST_SWITCHES, compile_tables
from dsnswitch.net.tables.files import direct_image
from dsnswitch.net.tables.prefixes import MOST_ACTIONS, fewest_of
from dsnswitch.net.tables.sources import from_network
from dsnswitch.net.tables.trie import MISS, fewest, trie
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network


def regular(switches):
    """A random 6-regular graph."""
    return Graph("rr", [(f"{a}", f"{b}") for a, b in nx.random_regular_graph(6, switches, seed=1).edges])


def seconds(graph, classes):
    """Processor time for compiling and checking all pairs."""
    start = time.process_time()
    made = compile_tables(graph, classes)
    assert made.walked.hops.sum() == graph.nodes**2
    return time.process_time() - start


@pytest.mark.regress
def test_thousand_switches_in_a_minute():
    assert seconds(regular(1000), None) < 60


def test_direct_images_of_a_large_network(monkeypatch):
    """They are those of the finished tables, and the figures are the same but for the entries."""
    network, values = parse_network("jellyfish:n=60,degree=4"), {"broken": (), "root": None, "balance": None, "classes": 3}
    values |= {"routing": "turns", "keys": None, "node": None, "expand": False, "before": None, "adaptive": False}
    small = from_network(network, values, unwatched)
    monkeypatch.setattr(compile, "MOST_PAIRS", 1000)
    large = from_network(network, values | {"large": True}, unwatched)
    images = [[direct_image(table) for table in source.tables] for source in (small, large)]
    assert images[0] == images[1]
    assert len(small.more.pop("entries")) == 60
    assert small.more == large.more
    one = from_network(network, values | {"large": True, "node": "7"}, unwatched)
    assert one.tables == [small.tables[7]]


@pytest.mark.parametrize("seed", range(8))
def test_fewest_prefixes_of_all_nodes_of_a_length_at_once(seed):
    """They are those of the search from node to node, which a search of all covers confirms elsewhere."""
    random = np.random.default_rng(seed)
    width, most = int(random.integers(1, 9)), int(random.integers(1, MOST_ACTIONS))
    actions = random.integers(-(seed % 2), most, 1 << width)
    if seed > 3:
        actions = np.repeat(random.integers(-(seed % 2), 3, 1 << width), 4)[: 1 << width]
    one = fewest(trie([MISS if action < 0 else action for action in actions.tolist()], width))
    assert sorted((value << width - length, length, action) for value, length, action in one) == sorted(
        (value << width - length, length, action) for value, length, action in fewest_of(actions, width)
    )


@pytest.mark.regress
def test_limit_of_switches_is_reached():
    graph = regular(MOST_SWITCHES)
    assert seconds(graph, 1) < 120


@pytest.mark.parametrize(
    ("links", "hosts", "message"),
    [
        (MOST_SWITCHES, 0, f"large must have at most 2048 switches, not {MOST_SWITCHES + 1}"),
        (1024, 4097, "large: switches times destinations must be at most 4194304, not 1025 times 4097"),
    ],
)
def test_limits(links, hosts, message):
    """A star whose hosts are attached to its centre."""
    names = [f"h{number}" for number in range(hosts)]
    edges = [*(("centre", f"s{number}") for number in range(links)), *((name, "centre") for name in names)]
    with pytest.raises(UsageError) as raised:
        compile_tables(Graph("large", edges, names))
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("edges", "switches"),
    [
        ([("hub", f"s{number}") for number in range(300)], 301),
        ([(f"s{number}", f"s{number + 1}") for number in range(400)], 401),
        (list(nx.relabel_nodes(nx.complete_graph(120), str).edges), 120),
    ],
    ids=["star", "chain", "complete"],
)
@pytest.mark.parametrize("classes", [1, None])
def test_extreme_shapes(edges, switches, classes):
    """Many ports, a long diameter, or many channels."""
    graph = Graph("shape", edges)
    assert graph.nodes == switches
    assert seconds(graph, classes) < 20
