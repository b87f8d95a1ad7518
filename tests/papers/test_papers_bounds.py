"""The papers' errors and gaps, part two: levels, bounds, DSN-F and the link layer (docs/papers.md)."""

from fractions import Fraction
from math import floor, log2

import networkx as nx
import pytest
from all_pairs import phase_tables, route_lengths, statistics

from dsnswitch.net.topology.dsn import grid, port_links, ring
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.supernode import Coc
from dsnswitch.sim.golden.routing.dsn import path_bound, route, route_nodes
from dsnswitch.sim.golden.topology.dsn import degrees, level_count, shortcuts

# Levels and ids -------------------------------------------------------------------------------------------------------


def test_last_level_wraps_onto_id_0():
    # D 3.2.2 ends the level-j shortcut on v_{j+1}; with m = p = j there is none. D Fig. 4.5: v4 of V7 reaches v1 of V8.
    assert (6, 3, 7, 0, 4) in set(shortcuts(16, 4))
    assert max(k for *_, k in shortcuts(16, 4)) + 1 == 5 > 4
    last = [link for link in port_links(ring(16, 4), 3) if link.level == 4]
    assert [(link.offset, link.to_id) for link in last] == [(1, 0)]
    # With m > p it stays on v_{p+1}.
    assert (6, 3, 7, 4, 4) in set(shortcuts(16, 5))
    # Worked example of Fig. 4.5. The text calls the destination v_8^8, but m = 4 has no node 8.
    assert route_nodes(ring(16, 4), (0, 1), (7, 1)) == [(0, 1), (4, 2), (6, 3), (7, 0), (7, 1)]


def test_fewer_levels_than_p_do_not_reach_every_supernode():
    # D allows z <= p shortcuts per supernode. With n = 4, z = 1, l_1 = 2 (Table 4.1), supernode 1 cannot be reached from 0.
    net = nx.Graph((s, t) for s, _, t, _, k in shortcuts(4, 2) if k <= 1)
    assert not nx.has_path(net, 0, 1)
    assert sorted(map(len, nx.connected_components(net))) == [2, 2]


def test_log_x_at_least_z_fails_where_x_is_not_a_power_of_two():
    # D 3.2.3 assumes log X >= z, Fact 2 sets z = ceil(log X).
    assert [x for x in range(2, 18) if log2(x) < level_count(x)] == [x for x in range(2, 18) if x & (x - 1)]
    assert log2(3) < level_count(3) == 2


# Bounds ---------------------------------------------------------------------------------------------------------------


def test_average_degree_bound_of_fact_2_counts_one_dimension():
    # Fact 2: average degree <= delta + 2 z / m. A grid has two dimensions: delta + 4 z / m.
    for n in (2, 4, 8, 16):
        z = level_count(n)
        measured = Fraction(sum(degrees(grid(n, n))), 8)
        assert 4 + Fraction(2 * z, 8) < measured == 4 + Fraction(4 * z, 8)
    # D 3.4.2 itself counts both: 5.75, 6 and 6.25 at 1024, 2048 and 4096 nodes.
    sizes = [(8, 16), (16, 16), (16, 32)]
    assert [sum(degrees(grid(*size))) / 8 for size in sizes] == [5.75, 6.0, 6.25]
    # D 3.4 states "around 6" for 128 to 16384 nodes, but the degree goes from 5 to 6.75.
    assert [sum(degrees(grid(*size))) / 8 for size in [(4, 4), (32, 64)]] == [5.0, 6.75]
    # The other half of the fact, at most delta + 4, is true, also for the maximum.
    assert max(degrees(grid(16, 16))) == 8


@pytest.mark.parametrize(("directions", "slack"), [("both", 3), ("forward", 2)])
def test_path_bound_holds_for_k4x2(directions, slack):
    # 3 Delta + ceil(log X) + 1 + ceil(log Y) + 1 (D 4.2.1). The shortcuts over a distance depend on p alone. Of all rings
    # with p levels, n = 2^p has all distances of the others, so powers of two cover all X, Y.
    sizes = [2**p for p in range(9)]
    grids = [grid(x, y, None, directions) for x in sizes for y in sizes]
    assert min(path_bound(dsn) - route_lengths(dsn).max() for dsn in grids) == slack


def longest_ring_route(n, supernode, directions):
    dsn = ring(n, supernode, directions)
    return int(route_lengths(dsn).max()), path_bound(dsn)


def test_path_bound_fails_for_coc():
    # "3 stages of L-routing and 2 of S-routing" omits the local hops between the shortcuts of one S-routing stage.
    # d = 21 = 10101b takes levels 1, 3, 5; id 1 -> 2 and 3 -> 4 are two hops each when a subgraph has two nodes.
    assert [n for n in range(2, 23) if (pair := longest_ring_route(n, Coc(3, 2), "forward"))[0] > pair[1]] == [22]
    assert longest_ring_route(22, Coc(3, 2), "forward") == (11, 10)
    source, target = (0, 3), (21, 2)
    hops = route(ring(22, Coc(3, 2), "forward"), source, target)
    assert [hop.level for hop in hops if hop.level] == [1, 3, 5]
    assert len(hops) == 11
    # In both directions, and for the paper's own CoC-16.
    assert longest_ring_route(426, Coc(8, 2), "both") == (15, 14)
    assert longest_ring_route(342, Coc(4, 4), "forward") == (15, 14)
    # CoC-16 in both directions keeps the bound on every allowed ring: powers of two cover all, as above.
    assert all(longest <= bound for longest, bound in (longest_ring_route(2**p, Coc(4, 4), "both") for p in range(13)))
    # A grid: 6 x 22, forward only.
    dsn = grid(6, 22, Coc(3, 2), "forward")
    assert (int(route_lengths(dsn).max()), path_bound(dsn)) == (17, 16)


def test_fact_1_is_no_bound_on_routes():
    # Fact 1 bounds the graph diameter by log n + 2 Delta. Routes of the custom routing may be longer.
    found = statistics(ring(10, Coc(3, 3)))
    bound = log2(10) + 2 * 2
    assert found.diameter <= bound < found.routing_diameter == 8


def test_phase_ends_at_the_last_shortcut():
    # D 4.2.1 does not state at which node of W the X phase ends. Here it ends at the far end of its last shortcut. An empty
    # phase has no hops, so a dimension without a shortcut adds no local hops.
    hops, end = phase_tables(grid(8, 8), 0)
    assert (hops[0] == 0).all()
    assert (end[0] == range(8)).all()
    assert route_nodes(grid(8, 8), (0, 0, 5), (0, 0, 5)) == [(0, 0, 5)]


# DSN-F and the link layer: statements that arithmetic alone can check -----------------------------------------------


def f_links(n, p):
    """Links of DSN-F by the text of F III-B, as a simple graph on the node numbers."""
    size = p * 2**p
    found = set()
    for i in range(n):
        base, own, layer, s = i - i % p, i % p, i // size, i // p % 2**p
        ring_of_layer = [j for j in range(base, base + p) if j < n]
        if len(ring_of_layer) > 1:
            found.add(frozenset((i, ring_of_layer[(own + 1) % len(ring_of_layer)])))
        if layer:
            found.add(frozenset((i, i - size)))
        elif own + 1 < p:
            found.add(frozenset((i, (s + 2 ** (p - own - 1)) % 2**p * p + own + 1)))
        else:
            found.add(frozenset((i, (s + 1) % 2**p * p)))
    return nx.Graph(tuple(link) for link in found)


def test_f_fig_2_cannot_route_the_papers_own_example():
    # n = 32, p = 3, node 24 to node 7: (24, 0, 1, 8, 7). The distance is 2 supernodes.
    net = f_links(32, 3)
    assert nx.is_path(net, [24, 0, 1, 8, 7])
    assert net.has_edge(0, 13)
    # As printed, the level is 3 = p, and level p has no shortcut. The example takes the shortcut of level 2.
    assert floor(log2(2**3 / 2)) + 1 == 3
    assert 3 - floor(log2(2)) == 2
    # Line 14 leaves level p - 1 = 2 by Succ, but the Succ link is at level p: node 1 has no link to supernode 1.
    assert not {3, 4, 5} & set(net[1])
    assert 3 in net[2]


def test_f_theorem_1_average_degree_is_4_only_without_a_partial_supernode():
    # Fig. 1: n = 32 leaves two nodes in the last supernode of layer 1, with one link between them.
    def average_degree(n):
        return Fraction(2 * f_links(n, 3).number_of_edges(), n)

    assert average_degree(32) == 4 - Fraction(1, 16)
    assert average_degree(24) == average_degree(27) == average_degree(30) == 4
    assert max(degree for _, degree in f_links(32, 3).degree) == 5


def test_f_layers_are_counted_one_too_many():
    # F III-B 1: 0 <= k <= ceil(n / N). With n = 24 = N every node is in layer 0, and the bound allows layer 1.
    assert {i // 24 for i in range(24)} == {0}
    assert -(-24 // 24) == 1


def test_f_four_layers_do_not_occur_at_four_levels():
    # F III-E: "the four layers are installed into one cabinet" of 16 switches, with p = 4. Every n with p = 4:
    sizes = [n for n in range(2, 400) if 4 * 2**4 <= n < 5 * 2**5]
    assert {DsnF(n).p for n in sizes} == {4}
    assert (DsnF(sizes[0] - 1).p, DsnF(sizes[-1] + 1).p) == (3, 5)
    assert [max(DsnF(n).layers for n in sizes), -(-sizes[-1] // 64)] == [3, 3]


def test_buffer_of_table_5_1_is_no_codeword_of_rs_255_239():
    assert 255 * 8 == 2040 != 2112
    assert 528 * 10 == 5280


def test_eight_check_bits_do_not_correct_260():
    # D 5.2.2: "8-bit overhead over 260-bit of data". Single error correction alone needs 2^r >= 260 + r + 1.
    assert min(r for r in range(20) if 2**r >= 260 + r + 1) + 1 == 10
    assert 2**8 < 260 + 8 + 1


def test_wrapped_cables_exceed_fact_3():
    # D 3.3: the outgoing shortcuts of a supernode have at most X units of cable. On a row that is not folded, a cable that wraps
    # around is longer than its shortcut.
    def cable(n):
        return Fraction(sum(abs(a - b) for a, _, b, _, _ in shortcuts(n, 8)), n)

    assert cable(8) == Fraction(70, 8) > 8
    assert all(sum(2 ** (p - k) for k in range(1, p + 1)) < 2**p for p in range(1, 8))  # by the length of the shortcuts it holds
