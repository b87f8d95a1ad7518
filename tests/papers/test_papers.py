"""The papers' errors and gaps, each with the smallest known counterexample (docs/papers.md, part 2).

D is the dissertation of 2018, F the DSN-F paper. Nothing here is asserted by hand: each number is computed.
"""

from fractions import Fraction
from itertools import product
from math import floor, log2

import networkx as nx
import numpy as np
import pytest
from all_pairs import route_lengths, statistics

from dsnswitch.net.topology.dsn import Dsn, grid
from dsnswitch.net.topology.supernode import Coc, K4x2, RingSupernode
from dsnswitch.sim.golden.routing.dsn import (
    TABLE_4_2,
    TABLE_4_3,
    forward_levels,
    local_path,
    path_bound,
    read_table,
    ring_moves,
    route_nodes,
)
from dsnswitch.sim.golden.topology.dsn import level_count, local_graph

K4X2 = K4x2()
T42, T43 = read_table(TABLE_4_2), read_table(TABLE_4_3)
PAIRS = [(a, b) for a in range(8) for b in range(8) if a != b]


# Jump level (D 4.2.1, Fig. 4.2 line 17, 4.2.3; F Fig. 2 lines 3 and 21) -----------------------------------------------


def printed_level(p, d):
    """``k = floor(log(2^p / d)) + 1``, as printed."""
    return floor(log2(Fraction(2**p, d))) + 1


def printed_levels(p, d):
    """Levels by the printed formula, where level p + 1, which does not exist, is replaced by p."""
    levels = []
    while d:
        levels.append(min(printed_level(p, d), p))
        d -= 2 ** (p - levels[-1])
    return levels


@pytest.mark.parametrize("p", range(1, 9))
def test_printed_jump_level_is_wrong_exactly_at_powers_of_two(p):
    wrong = [d for d in range(1, 2**p) if printed_level(p, d) != forward_levels(2**p, d)[0]]
    assert wrong == [2**j for j in range(p)]
    assert printed_level(p, 1) == p + 1
    for j in range(1, p):
        assert 2 ** (p - printed_level(p, 2**j)) == 2**j // 2
    assert all(forward_levels(2**p, d)[0] == p - floor(log2(d)) for d in range(1, 2**p))


def test_printed_jump_level_has_no_value_at_distance_0():
    # "repeat ... until u in V_t" runs line 17 once even if source and target are in the same supernode.
    with pytest.raises(ZeroDivisionError):
        printed_level(3, 0)
    assert forward_levels(8, 0) == []


def test_the_largest_k_of_the_text_is_the_shorter_shortcut():
    # D 4.2.1: "the largest integer such that d/2 <= l_k <= d". At d = 2 both lengths 2 and 1 satisfy it (p = 2).
    fits = [k for k in (1, 2) if 2 / 2 <= 2 ** (2 - k) <= 2]
    assert fits == [1, 2]
    assert forward_levels(4, 2) == [fits[0]]
    assert printed_levels(2, 2) == [2, 2]


def test_printed_jump_level_never_uses_level_1_when_both_directions_are_used():
    # D 4.3.3: "the level-1 shortcuts are used for ... distance n/2". With the printed formula they are not used at all.
    for p in range(2, 9):
        assert 1 not in {k for d in range(1, 2 ** (p - 1) + 1) for k in printed_levels(p, d)}
        assert forward_levels(2**p, 2 ** (p - 1)) == [1]


def test_corrected_jump_level_gives_the_link_loads_of_section_4_3_3():
    # "level-k shortcuts, k > 1, are used in 2^(log n - 1) different sets of routing paths", level 1 only for n/2.
    for p in range(2, 9):
        uses = [sum(level == k for d in range(2**p) for level, _ in ring_moves(2**p, 0, d)) for k in range(1, p + 1)]
        assert uses == [1] + [2 ** (p - 1)] * (p - 1)


def test_distance_of_fig_4_2_must_be_that_of_the_intermediate_supernode():
    # Line 17 uses d_st. Taken literally, it never changes: n = 6, d = 3 jumps by 2 forever and misses the destination.
    def misses(n, d):
        step = 2 ** (level_count(n) - forward_levels(n, d)[0])
        return all(jumps * step % n != d for jumps in range(1, 2 * n))

    assert [(n, d) for n in range(2, 7) for d in range(1, n // 2 + 1) if misses(n, d)] == [(6, 3)]


# Directions -----------------------------------------------------------------------------------------------------------


def test_fig_4_1_goes_forward_only_and_fig_4_2_backward():
    forward, both = (Dsn((7,), RingSupernode(4), directions) for directions in ("forward", "both"))
    # v2 of V1 -> v1 -> level 1 to v2 of V5 -> level 2 to v3 of V7, as in Fig. 4.1.
    assert route_nodes(forward, (0, 1), (6, 2)) == [(0, 1), (0, 0), (4, 1), (6, 2)]
    assert route_nodes(both, (0, 1), (6, 2)) == [(0, 1), (0, 2), (0, 3), (6, 2)]
    assert ring_moves(7, 0, 6) == [(3, "backward")]


def test_ties():
    assert ring_moves(2, 0, 1) == [(1, "forward")]
    assert ring_moves(8, 0, 4) == [(1, "forward")]
    assert ring_moves(8, 0, 5) == [(3, "backward"), (2, "backward")]
    assert local_path(RingSupernode(4), 0, 2) == (0, 1, 2)
    assert local_path(RingSupernode(4), 3, 1) == (3, 0, 1)
    assert local_path(Coc(2, 2), 0, 3) == (0, 1, 3)


def hop_by_hop(n, s, t):
    """The rule of the hardware: leading one forward, trailing one backward, direction chosen again at each supernode."""
    p, moves = level_count(n), []
    while s != t:
        f = (t - s) % n
        b = n - f
        if 2 * f <= n:
            length, way, sign = 1 << (f.bit_length() - 1), "forward", 1
        else:
            length, way, sign = b & -b, "backward", -1
        moves.append((p - length.bit_length() + 1, way))
        s = (s + sign * length) % n
    return moves


def test_hop_by_hop_form_takes_the_shortcuts_of_the_reversed_path():
    for n in range(2, 130):
        for t in range(n):
            assert hop_by_hop(n, 0, t) == ring_moves(n, 0, t)


def naive_moves(n, distance):
    """Variant: the leading one first in both directions."""
    if 2 * distance <= n:
        return ring_moves(n, 0, distance)
    return [(k, "backward") for k in forward_levels(n, n - distance)]


def capped_printed_moves(n, distance):
    p = level_count(n)
    if 2 * distance <= n:
        return [(k, "forward") for k in printed_levels(p, distance)]
    return [(k, "backward") for k in reversed(printed_levels(p, n - distance))]


def grid_lengths(n, moves):
    """Hops of all routes from supernode (0, 0) of an n x n ``k4x2`` grid, with ``moves(n, distance)`` in each dimension."""
    local = np.array([[len(local_path(K4X2, a, b)) - 1 for b in range(8)] for a in range(8)])
    hops, end = np.zeros((n, 8), int), np.tile(np.arange(8), (n, 1))
    for distance in range(n):
        for k, way in moves(n, distance):
            enter, leave = (k - 1, k % 8) if way == "forward" else (k % 8, k - 1)
            hops[distance] += local[end[distance], enter] + 1
            end[distance] = leave
    x = hops.T[:, :, None] + hops.T[end.T].reshape(8, n, n)
    last = end.T[end.T].reshape(8, n, n)
    return x[..., None] + local[last]


def average(lengths):
    return lengths.sum() / (lengths.size - 8)


def test_naive_backward_is_not_the_reversed_path():
    # The smallest ring with a difference is n = 7, b = 3. Level 3 ends where level 2 begins; the other order needs a local hop.
    differ = [(n, f) for n in range(2, 8) for f in range(n) if naive_moves(n, f) != ring_moves(n, 0, f)]
    assert differ == [(7, 4)]
    assert ring_moves(7, 0, 4) == [(3, "backward"), (2, "backward")]
    assert naive_moves(7, 4) == [(2, "backward"), (3, "backward")]


def test_averages_of_the_readings_at_8x8x8():
    readings = {
        "reversed": (lambda n, d: ring_moves(n, 0, d), 5.2877, 9),
        "naive backward": (naive_moves, 5.5225, 10),
        "forward only": (lambda n, d: ring_moves(n, 0, d, "forward"), 6.4462, 11),
        "printed jump level": (capped_printed_moves, 6.9785, 13),
    }
    for moves, mean, longest in readings.values():
        lengths = grid_lengths(8, moves)
        assert average(lengths) == pytest.approx(mean, abs=5e-5)
        assert lengths.max() == longest
    assert average(grid_lengths(8, readings["reversed"][0])) == pytest.approx(statistics(grid(8, 8)).average_path)


def test_naive_backward_breaks_the_papers_bound_at_16x16():
    assert grid_lengths(16, naive_moves).max() == 17 > path_bound(grid(16, 16)) == 16
    assert route_lengths(grid(16, 16)).max() == 12


def test_a_reversed_path_does_not_use_the_local_routes_of_table_4_2():
    # The path 1 -> 5 passes 4. Its reversal is 5, 4, 1, but Table 4.2 states 5, 8, 1. The number of hops is equal for every pair.
    assert local_path(K4X2, 0, 4) == (0, 3, 4)
    assert local_path(K4X2, 4, 0) == (4, 7, 0)
    assert all(len(local_path(K4X2, a, b)) == len(local_path(K4X2, b, a)) for a, b in PAIRS)


# Local routing tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [T42, T43])
def test_header_of_the_tables_is_swapped(table):
    # If rows are From, every cell is a path in the supernode that ends at its column. As printed, no cell is such a path.
    net = local_graph(K4X2)
    for row, column in PAIRS:
        path = (row, *table[row][column])
        assert path[-1] == column
        assert nx.is_path(net, path)
    assert not any(table[to][origin][-1] == to for to, origin in PAIRS)


def test_table_4_3_has_no_alternative_for_the_lower_half():
    two_hops = {(a, b) for a, b in PAIRS if len(T42[a][b]) == 2}
    changed = {(a, b) for a, b in PAIRS if T42[a][b] != T43[a][b]}
    assert T43[4:] == T42[4:]
    assert len(two_hops) == 24
    assert changed == {(a, b) for a, b in two_hops if a < 4}
    # The alternative for 5 -> 1, with the cross link first, would be 4,1. Table 4.3 prints 8,1 again.
    assert T43[4][0] == T42[4][0] == (7, 0)
    assert nx.is_path(local_graph(K4X2), (4, 3, 0))
    # A path with the cross link first exists for all 24 pairs. Table 4.3 prints it for the upper 12.
    for a, b in two_hops:
        assert nx.is_path(local_graph(K4X2), (a, 7 - a, b))
        assert (T43[a][b] == (7 - a, b)) == (a < 4)


def test_a_cube_with_one_diagonal_has_diameter_3():
    # D 3.2.4: "by adding just one more link, a diagonal in any face, as shown in Figure 3.3, we achieve diameter 2".
    cube = nx.hypercube_graph(3)
    diagonals = [(a, b) for a, b in product(cube, repeat=2) if a < b and sum(i != j for i, j in zip(a, b)) == 2]
    assert len(diagonals) == 12
    assert {nx.diameter(nx.Graph([*cube.edges, extra])) for extra in diagonals} == {3}
    # Figure 3.3 adds one link to each node: both diagonals of two opposite faces.
    drawn = nx.Graph([*cube.edges, *((a, b) for a, b in diagonals if a[0] == b[0])])
    assert nx.is_isomorphic(drawn, local_graph(K4X2))
    assert nx.diameter(drawn) == 2
