"""What the papers state about a floor: Facts 3 and 4 of D, loads of single links, paths around failed links."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.dsn import grid
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.supernode import K4x2
from dsnswitch.sim.golden.routing.dsn import route_nodes
from dsnswitch.sim.golden.topology.dsn import level_count, links, shortcuts
from tools.papers.blocked import _Walker, blocked
from tools.papers.link_loads import link_loads

# Facts 3 and 4: lengths of shortcuts in units of the distance of two supernodes ------------------------------------------


def straight(size):
    """Length of all shortcuts of one row on an unfolded floor: a cable around the ring runs back along the row."""
    return sum(abs(s - t) for s, _, t, _, _ in shortcuts(size, level_count(size)))


def around(size):
    """The same along the ring, where the ends of a row are neighbours."""
    return sum(min((t - s) % size, (s - t) % size) for s, _, t, _, _ in shortcuts(size, level_count(size)))


def test_fact_3_forgets_the_cables_that_run_back():
    # D 3.3: the shortcuts out of a supernode have the total length 1 + 2 + 4 <= X, which holds along a ring.
    assert around(8) == 8 * (1 + 2 + 4)
    assert all(around(size) <= size * size for size in range(2, 65))
    # On a row, the shortcuts that pass its end run back: 70 / 8 > 8.
    assert Fraction(straight(8), 8) == Fraction(70, 8) > 8
    wrong = [size for size in range(2, 65) if straight(size) > size * size]
    assert wrong[0] == 5
    assert {8, 16, 32, 64} <= set(wrong)
    # The whole grid of 8 x 8: 1,120 > n (X + Y) = 1,024, and the average is 2.92 > (X + Y) / 2 z = 2.67.
    total = sum(abs(link.source[0] - link.target[0]) + abs(link.source[1] - link.target[1]) for link in links(grid(8, 8, K4x2())))
    assert total == 1120 > 64 * (8 + 8)
    assert Fraction(total, 64 * 6) > Fraction(8 + 8, 2 * 3)


def test_fact_4_1_average_of_a_random_grid():
    # Eq. 3.1: (N - 1)(N + 1) / 3 N, with pairs of a cabinet and itself; without these, (N + 1) / 3.
    for n in range(2, 30):
        every = [abs(a - b) for a in range(n) for b in range(n)]
        assert Fraction(sum(every), n * n) == Fraction((n - 1) * (n + 1), 3 * n) < Fraction(n, 3)
        assert Fraction(sum(every), n * (n - 1)) == Fraction(n + 1, 3)


def test_fact_4_2_ratio_to_a_random_grid():
    # Printed 3/2; the proof gives 3 / z. On an unfolded floor the ratio tends to 4 / z.
    for z in range(3, 8):
        n = 1 << z
        ratio = Fraction(straight(n), n * z) / Fraction((n - 1) * (n + 1), 3 * n)
        assert ratio < Fraction(3, 2)
        assert ratio > Fraction(3, z)
        assert ratio == Fraction(2 * sum(s * (n - s) for s in (1 << j for j in range(z))), n * z) * Fraction(
            3 * n, (n - 1) * (n + 1)
        )
        assert abs(ratio * z - 4) < Fraction(8, n) * z
        # Along a ring, the proof holds but for the term (N - 1)(N + 1) in place of N^2.
        assert Fraction(around(n), n * z) <= Fraction(n, z)


def test_no_cable_of_a_grid_is_diagonal():
    # D 3.3: X-shortcuts run horizontally, Y-shortcuts vertically.
    for link in links(grid(8, 5, K4x2())):
        assert link.source[0] == link.target[0] or link.source[1] == link.target[1]


# Loads of single links (D 4.3.3, Figs 4.8, 4.9) --------------------------------------------------------------------------


def local_moves(path):
    """Ids of each run of local hops on a path."""
    runs = [[path[0]]]
    for a, b in pairwise(path):
        if a[:2] == b[:2]:
            runs[-1].append(b)
        else:
            runs.append([b])
    return [[at[2] for at in run] for run in runs]


@pytest.mark.parametrize(("x", "rows"), [(2, 3), (4, 4), (4, 8)])
def test_load_of_each_local_link(x, rows):
    """The golden model's whole paths, from one supernode to all nodes, counted link by link; and with Table 4.3 in half of
    the moves of two hops, which crosses to the partner 7 - i first."""
    dsn, expected, both, far = grid(x, rows, K4x2()), Counter(), Counter(), Counter()
    for own in range(8):
        for number in range(dsn.nodes):
            path = route_nodes(dsn, (0, 0, own), dsn.switch(number))
            for a, b in pairwise(path):
                if a[:2] != b[:2]:
                    far["X" if a[1] == b[1] else "Y"] += 1
            for run in local_moves(path):
                ways = [run, [run[0], 7 - run[0], run[2]] if len(run) == 3 else run]
                for way, loads in ((run, expected), (run, expected), *((way, both) for way in ways)):
                    for a, b in pairwise(way):
                        loads["L_{}_{}".format(*sorted((a + 1, b + 1)))] += Fraction(1, 2)
    for alternatives, loads in ((False, expected), (True, both)):
        found = link_loads(dsn, alternatives)
        assert {name: value for name, value in found.items() if name[0] == "L" and value} == dict(loads)
        for name in "XY":
            assert sum(value for key, value in found.items() if key[0] == name) == far[name]


def test_shortcuts_of_all_levels_but_the_first_are_equal():
    """D 4.3.3: "all the shortcut links have the same link utilization excepts level-1 shortcuts", in grids of powers of two."""
    for size in (4, 8, 16):
        found = {name: value for name, value in link_loads(grid(size, size, K4x2())).items() if name[0] != "L"}
        rest = {value for name, value in found.items() if not name.endswith("_1")}
        assert len(rest) == 1
        assert found["X_1"] < min(rest)


def test_local_links_that_are_rarely_used():
    """D 4.3.3, 512 nodes: L_5_6 to L_7_8 are rarely used, L_1_2 often."""
    found = link_loads(grid(8, 8, K4x2()))
    rare = {"L_5_6", "L_5_7", "L_5_8", "L_6_7", "L_6_8", "L_7_8"}
    assert max(found[name] for name in rare) < min(value for name, value in found.items() if name[0] == "L" and name not in rare)


def test_table_4_3_moves_half_of_the_routes_that_have_two_ways():
    base, both = (link_loads(grid(8, 8, K4x2()), alternatives) for alternatives in (False, True))
    assert base.keys() == both.keys()
    # Both local routes have the same length, and shortcuts carry the same pairs.
    assert sum(base.values()) == pytest.approx(sum(both.values()))
    assert {name: value for name, value in base.items() if name[0] != "L"} == {
        name: value for name, value in both.items() if name[0] != "L"
    }
    assert base["L_1_8"] > both["L_1_8"]
    # A supernode whose local routes have no other way keeps its loads.
    ring = parse_network("ring:5:ring-5")
    assert link_loads(ring, True) == link_loads(ring)


# Paths around failed links (D 4.2.4, Fig. 4.10) ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["grid:4x4:k4x2", "grid:3x5:k4x2", "grid:5x6:ring-4", "ring:11:ring-4"])
def test_without_failures_the_walks_are_the_routes(text):
    dsn = parse_network(text)
    walker, relation = _Walker(dsn, []), relation_of(dsn)
    for source in dsn.representatives():
        for target in dsn.switches():
            assert walker.hops(source, target, range(len(dsn.sizes))) == len(relation.route(source, target))


def test_one_failed_link():
    """Every pair still arrives, with at most Delta + 2 = 4 more hops, as D 4.2.4 states."""
    dsn, most = grid(4, 4, K4x2()), 0
    whole = _Walker(dsn, [])
    ends = [(source, target) for source in dsn.representatives() for target in dsn.switches()]
    for link in [link for link in dsn.links() if link.source[:2] == (0, 0)]:
        walker = _Walker(dsn, [link])
        for source, target in ends:
            found = walker.hops(source, target, (0, 1))
            assert found >= 0, (link, source, target)
            most = max(most, found - whole.hops(source, target, (0, 1)))
    assert most == 4 == dsn.supernode.diameter + 2
    # Ids 0 and 1 have a link; without it, the way is two hops.
    direct = next(link for link in dsn.links() if (link.source, link.target) == ((0, 0, 0), (0, 0, 1)))
    assert _Walker(dsn, [direct]).hops((0, 0, 0), (0, 0, 1), (0, 1)) == 2


def test_minimal_paths_around_failures_against_networkx():
    dsn = grid(4, 4, K4x2())
    (row,) = blocked(dsn, [0.2], pairs=300, seed=5)
    import random

    chosen, every = random.Random(5), list(dsn.links())
    chosen.shuffle(every)
    switches = [dsn.switch(number) for number in range(dsn.nodes)]
    ends = [tuple(chosen.sample(switches, 2)) for _ in range(300)]
    graph = nx.Graph((link.source, link.target) for link in every[round(0.2 * len(every)) :])
    lengths = [
        nx.shortest_path_length(graph, *pair) for pair in ends if all(end in graph for end in pair) and nx.has_path(graph, *pair)
    ]
    assert row.minimal == pytest.approx(sum(lengths) / len(lengths))
    assert row.minimal_share == pytest.approx(len(lengths) / 300)


def test_curves_of_fig_4_10_are_in_the_order_of_the_figure():
    """D 4.3.3: XY has the longest paths, minimal routing the shortest, at every share of failed links."""
    rows = blocked(grid(8, 8, K4x2()), [0, 0.05, 0.1, 0.2], pairs=600)
    for row in rows:
        assert row.minimal <= row.shorter <= row.first
        assert row.first_share <= row.shorter_share <= row.minimal_share
    assert [row.first for row in rows] == sorted(row.first for row in rows)
    assert rows[0].first_share == 1


def test_a_walk_that_has_no_way():
    """All links of a supernode to others have failed."""
    dsn = grid(3, 3, K4x2())
    dead = [link for link in dsn.links() if (link.source[:2] == (1, 1)) != (link.target[:2] == (1, 1))]
    walker = _Walker(dsn, dead)
    assert walker.hops((0, 0, 0), (1, 1, 3), (0, 1)) == -1
    assert walker.hops((1, 1, 2), (1, 1, 3), (0, 1)) == 1


def test_too_long_a_floor_is_refused():
    from dsnswitch.net.plan.placement import arrange

    with pytest.raises(UsageError, match="must have room for 8 switches, not 7"):
        arrange(grid(2, 2, K4x2()), "supernode", 7)
