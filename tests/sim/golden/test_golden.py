"""The golden model against independent values: examples and figures of the papers, and shortest paths by networkx."""

import networkx as nx
import numpy as np
import pytest
from all_pairs import route_lengths, shortest_lengths, statistics
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.net.topology.dsn import Dsn, grid, ring
from dsnswitch.net.topology.supernode import Coc, K4x2, parse_supernode
from dsnswitch.sim.golden.routing.dsn import forward_levels, path_bound, ring_moves, route, route_nodes
from dsnswitch.sim.golden.topology.dsn import graph, level_count, links, nodes


def papers(path):
    """A path in the papers' numbering, from 1: (supernode, level)."""
    return [tuple(part + 1 for part in node) for node in path]


def test_example_of_figure_4_5():
    """D Fig. 4.5: v2^1 -> v3^5 -> v4^7 -> v1^8 -> v2^8 at n = 16, m = 4."""
    assert papers(route_nodes(ring(16, 4), (0, 1), (7, 1))) == [(1, 2), (5, 3), (7, 4), (8, 1), (8, 2)]


def test_example_of_figure_4_1():
    """D 4.2.1: from v2^1 by v1^1 over the level-1 shortcut to v2^5, over level 2 to V7, then locally to v2^7."""
    path = papers(route_nodes(ring(7, 4, "forward"), (0, 1), (6, 1)))
    assert path[:4] == [(1, 2), (1, 1), (5, 2), (7, 3)]
    assert path[-1] == (7, 2)


def test_example_of_figure_4_3():
    """D 4.2.2: the level-1 X-shortcut of node 1 in supernode (7,1) ends in (3,1); the lengths there are 4, 2 and 1."""
    found = {link.target[:2] for link in links(grid(8, 8)) if link.kind == "x" and link.source[:2] == (7, 1)}
    assert found == {(3, 1), (1, 1), (0, 1)}
    assert ((7, 1, 0), (3, 1, 1), "x", 1) in set(links(grid(8, 8)))


@pytest.mark.parametrize(("x", "y", "degree"), [(8, 16, 5.75), (16, 16, 6.0), (16, 32, 6.25)])
def test_average_degrees(x, y, degree):
    """D 3.4.2."""
    found = statistics(grid(x, y))
    assert found.average_degree == degree
    assert found.links == grid(x, y).nodes * degree / 2


def test_averages_at_512():
    """5.29 hops routed and 4.64 shortest at 8 x 8 x 8, as an independent simulator measured on the anynet file."""
    found = statistics(grid(8, 8))
    assert round(found.average_path, 2) == 5.29
    assert round(found.aspl, 2) == 4.64


def test_ring_of_28_has_the_shortcuts_of_figure_3_2():
    """D 3.2.2: 7 supernodes of 4, shortcut lengths 4, 2 and 1."""
    found = {(t[0] - s[0]) % 7 for s, t, kind, _ in links(ring(7, 4)) if kind == "x"}
    assert found == {1, 2, 4}
    assert len(list(links(ring(7, 4)))) == 7 * (4 + 3)


@given(st.integers(1, 300), st.data())
def test_forward_levels_halve(n, data):
    """The moves add up to the distance, use each level at most once, and have falling lengths."""
    distance = data.draw(st.integers(0, n - 1))
    found = forward_levels(n, distance)
    assert found == sorted(set(found))
    assert sum(2 ** (level_count(n) - k) for k in found) == distance


@given(st.integers(1, 300), st.data())
def test_backward_is_the_forward_path_reversed(n, data):
    """D Fig. 4.2 lines 8 to 11, at the level of supernodes: the backward path passes the same supernodes."""
    s, t = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    moves = ring_moves(n, s, t)
    if not moves or moves[0][1] == "forward":
        return
    p, back, here = level_count(n), [t], t
    for level in forward_levels(n, (s - t) % n):
        here = (here + 2 ** (p - level)) % n
        back.append(here)
    way, here = [s], s
    for level, direction in moves:
        assert direction == "backward"
        here = (here - 2 ** (p - level)) % n
        way.append(here)
    assert way == back[::-1]


NETWORKS = [
    ring(7, 4),
    ring(7, 4, "forward"),
    ring(16, 4),
    ring(13, 4),
    ring(2, 1),
    ring(3, 2),
    grid(5, 7),
    grid(1, 16),
    grid(4, 4, Coc(4, 4)),
    grid(3, 2, parse_supernode("ring-2")),
    Dsn((9,), K4x2(), "forward"),
]


@pytest.mark.parametrize("dsn", NETWORKS, ids=lambda dsn: dsn.name)
def test_every_path_is_a_path(dsn):
    """Every hop is a link of its kind and level, and the length is that of the table look-ups (without symmetries)."""
    known = {(a, b, kind, level) for a, b, kind, level in links(dsn)}
    known |= {(b, a, kind, level) for a, b, kind, level in known}
    lengths = route_lengths(dsn)
    shortest = dict(nx.all_pairs_shortest_path_length(graph(dsn)))
    table = shortest_lengths(dsn)
    for source in nodes(dsn):
        for target in nodes(dsn):
            hops = route(dsn, source, target)
            here = source
            for hop in hops:
                assert hop.source == here
                assert (hop.source, hop.target, hop.kind, hop.level) in known
                here = hop.target
            assert here == target
            assert len(hops) <= path_bound(dsn) or dsn.directions == "forward"
            moved = tuple((t - s) % n for s, t, n in zip(source[:-1], target[:-1], dsn.sizes))
            index = (source[-1], *reversed(moved), target[-1])
            assert len(hops) == lengths[index]
            assert shortest[source][target] == table[index] <= len(hops)


def test_all_pairs_of_16_16_8():
    """4.2 million pairs by symmetry, and one source without it."""
    dsn = grid(16, 16)
    lengths = route_lengths(dsn)
    assert lengths.size * dsn.supernodes == dsn.nodes**2 == 4_194_304
    found = statistics(dsn)
    assert found.within_bound
    assert found.routing_diameter <= found.path_bound == 16
    source = (5, 11, 3)
    direct = np.array([len(route(dsn, source, target)) for target in nodes(dsn)])
    assert direct.max() <= found.routing_diameter


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_grids_stay_within_the_bound(p):
    found = statistics(grid(2**p, 2**p))
    assert found.within_bound


@pytest.mark.regress
@pytest.mark.parametrize("sizes", [(64, 64), (128, 128), (256, 256), (1000, 3)])
def test_large_grids_stay_within_the_bound(sizes):
    shape = K4x2() if max(sizes) <= 256 else Coc(4, 4)
    found = statistics(Dsn(sizes, shape))
    assert found.within_bound
