"""The golden model of DSN-F: F's example, Theorem 1, delivery and the bound on hops for every n."""

from functools import cache

import networkx as nx
import numpy as np
import pytest

from dsnswitch.sim.golden.routing.dsn_f import path_bound, route_nodes_f
from dsnswitch.sim.golden.topology.dsn_f import graph, label, level_count, links, number

EVERY_N = range(24, 2049)
SOME_N = [*range(24, 200), *range(200, 2049, 67), 2047, 2048]


def test_levels():
    assert [level_count(n) for n in (2, 7, 8, 23, 24, 63, 64, 159, 160, 2047, 2048)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8]
    for n in range(2, 500):
        p = level_count(n)
        assert p * 2**p <= n < (p + 1) * 2 ** (p + 1)


@pytest.mark.parametrize("n", [8, 32, 100])
def test_labels(n):
    assert [number(n, *label(n, node)) for node in range(n)] == list(range(n))


def test_example_of_the_paper():
    """F Fig. 1 and III-B: n = 32, p = 3."""
    net = graph(32)
    assert level_count(32) == 3
    assert net.get_edge_data(0, 13)[0]["kind"] == "shortcut"
    assert net.get_edge_data(0, 23)[0]["kind"] == "succ"
    assert net.get_edge_data(0, 24)[0]["kind"] == "layer"
    assert set(net[0]) == {1, 2, 13, 23, 24}
    assert route_nodes_f(32, 24, 7) == [24, 0, 1, 8, 7]


def check_degrees(n):
    p = level_count(n)
    degree = np.zeros(n, int)
    for link in links(n):
        degree[[link.source, link.target]] += 1
    rest = n % p
    # Two nodes have one link instead of a ring's two. A single node has none instead of one.
    assert degree.sum() == 4 * n - 2 * (rest in (1, 2))
    assert degree.max() == (5 if n > p * 2**p else 4)
    assert degree.min() >= (3 if rest not in (1, 2) else rest)


def test_degrees():
    """F Theorem 1: maximum degree 5 and average degree 4, except if the last supernode has only one or two nodes."""
    for n in SOME_N:
        check_degrees(n)


@pytest.mark.regress
def test_degrees_for_every_n():
    for n in EVERY_N:
        check_degrees(n)


@pytest.mark.parametrize("n", [24, 25, 26, 32, 64, 65, 100, 130])
def test_every_route_follows_links(n):
    net = graph(n)
    for source in range(n):
        for target in range(n):
            path = route_nodes_f(n, source, target)
            assert (path[0], path[-1]) == (source, target)
            assert len(set(path)) == len(path)
            assert nx.is_path(net, path)
            assert len(path) - 1 <= path_bound(n)


@cache
def layer_0(p):
    """Hops between all nodes of layer 0, from those of supernode 0 by translation around the ring."""
    count = p * 2**p
    first = [[len(route_nodes_f(count, a, b)) - 1 for b in range(count)] for a in range(p)]
    return np.concatenate([np.roll(first, s * p, axis=1) for s in range(2**p)]).astype(np.int16)


def longest(n):
    """Hops of the longest route: up from one column of layers, through layer 0, down in another."""
    p = level_count(n)
    count = p * 2**p
    depth = (n - 1 - np.arange(count)) // count
    hops = layer_0(p) + depth[:, None] + depth[None, :]
    np.fill_diagonal(hops, depth)
    return int(hops.max())


@pytest.mark.parametrize("n", [24, 33, 64, 100])
def test_longest_route_is_that_of_all_pairs(n):
    assert longest(n) == max(len(route_nodes_f(n, a, b)) - 1 for a in range(n) for b in range(n))


def check_bound(sizes):
    assert [n for n in sizes if longest(n) > path_bound(n)] == []


def test_bound_holds():
    """F's bound 2 (p + K - 1) holds, for some n of every p and every number of layers."""
    check_bound(SOME_N)


@pytest.mark.regress
def test_bound_holds_for_every_n():
    check_bound(EVERY_N)
