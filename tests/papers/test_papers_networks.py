"""Formulas and figures of the papers for the networks that they compare: T, O, R, D 2.1.2, 3.4.1."""

from statistics import mean

import numpy as np
import pytest

from dsnswitch.net.analysis.paths import shortest_lengths
from dsnswitch.net.analysis.structure import halved, halved_hosts
from dsnswitch.net.plan.cabling import plan
from dsnswitch.net.topology.dsn import grid
from dsnswitch.net.topology.oft import maximal_leaves
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.supernode import K4x2
from tools.papers.measure import distances


def sizes(spelling):
    """Switches, hosts, and numbers of links of a switch without those to hosts: all that occur."""
    network = parse_network(spelling)
    hosts = sum(map(network.hosts_of, network.switches()))
    return network.nodes, hosts, {len(network.ports_of(switch)) for switch in network.switches()}


def diameter(spelling):
    """Greatest distance of two switches with hosts."""
    network = parse_network(spelling)
    ends = [network.number(switch) for switch in network.terminals()]
    starts = [row for row, switch in enumerate(network.representatives()) if network.hosts_of(switch)]
    return int(shortest_lengths(network)[np.ix_(starts, ends)].max())


def means(form, seeds):
    """Diameter and mean distance over seeds, as R counts it: over all pairs, those of a switch with itself included."""
    found = [shortest_lengths(parse_network(form.format(seed))) for seed in range(seeds)]
    return mean(int(hops.max()) for hops in found), mean(float(hops.mean()) for hops in found)


# T: diameter two.


def test_two_dimensional_hyperx():
    # T 2.1.1: (r/3 + 1)^2 switches, r/3 hosts each; here r = 12.
    assert sizes("hyperx:5x5,p=4") == ((12 // 3 + 1) ** 2, 4 * 25, {8})
    assert diameter("hyperx:5x5,p=4") == 2


@pytest.mark.parametrize("q", [3, 4, 5, 7, 8, 9, 11, 13])
def test_slim_fly(q):
    delta = {0: 0, 1: 1, 3: -1}[q % 4]
    radix = (3 * q - delta) // 2
    assert sizes(f"slimfly:q={q}") == (2 * q**2, 2 * q**2 * (radix // 2), {radix})
    assert diameter(f"slimfly:q={q}") == 2


def test_slim_fly_of_13():
    # T 4.1: N = 3042 with p = 9, 3380 with p = 10, R = 338, r = 28 and 29.
    assert sizes("slimfly:q=13") == (338, 3042, {19})
    assert sizes("slimfly:q=13,p=10") == (338, 3380, {19})
    # T 2.1.2: 2.9 ports and 1.95 links per host with p = 10, 3.11 and 2.05 with p = 9.
    links = parse_network("slimfly:q=13").link_count
    assert [(round((19 + p) / p, 2), round(1 + links / (338 * p), 2)) for p in (10, 9)] == [(2.9, 1.95), (3.11, 2.06)]
    # D 3.4.1: Slimfly of 98 to 5,618 nodes, degree 11 to 79; 1,922 in Fig. 3.1.
    assert [sizes(f"slimfly:q={q}")[::2] for q in (7, 31, 53)] == [(98, {11}), (1922, {47}), (5618, {79})]


def test_path_diversity_of_slim_fly_23():
    # T 2.3.3: about 1.1 paths on average and 8 at most between switches without a link.
    network = parse_network("slimfly:q=23")
    near = np.zeros((network.nodes, network.nodes), np.float32)
    for link in network.links():
        near[network.number(link.source), network.number(link.target)] = 1
    near += near.T
    paths = (near @ near)[(near == 0) & ~np.eye(network.nodes, dtype=bool)]
    assert (round(float(paths.mean()), 1), int(paths.max())) == (1.1, 8)


def test_mlfm():
    # T 2.2.3: R = 3/2 h (h + 1), N = h^3 + h^2; T 4.1: h = 15, N = 3600, R = 360, r = 30.
    for h in (2, 3, 8, 15):
        assert sizes(f"mlfm:h={h}") == (3 * h * (h + 1) // 2, h**3 + h**2, {h, 2 * h})
    assert sizes("mlfm:h=15")[:2] == (360, 3600)
    assert diameter("mlfm:h=15") == 2
    # T 2.3.1: of MLFM and SF with radix 64, "around 36K and 33.7K, respectively"; the formula gives 33,792 for the MLFM.
    assert 32**3 + 32**2 == 33_792


def test_oft():
    # T 2.2.4: R = 3 k^2 - 3 k + 3, N = 2 k^3 - 2 k^2 + 2 k; T 4.1: k = 12, N = 3192, R = 399, r = 24.
    for k in (3, 4, 5, 6, 12):
        assert sizes(f"oft:k={k}") == (3 * k**2 - 3 * k + 3, 2 * k**3 - 2 * k**2 + 2 * k, {k, 2 * k})
    assert sizes("oft:k=12")[:2] == (399, 3192)
    assert diameter("oft:k=12") == 2


def test_the_4_ml3b():
    # T Table 2: the steps of T 2.2.4 for k = 4.
    assert maximal_leaves(4) == [
        *([9, 10, 11, 12], [9, 0, 1, 2], [9, 3, 4, 5], [9, 6, 7, 8], [10, 0, 3, 6], [10, 1, 4, 7], [10, 2, 5, 8]),
        *([11, 0, 4, 8], [11, 1, 5, 6], [11, 2, 3, 7], [12, 0, 5, 7], [12, 1, 3, 8], [12, 2, 4, 6]),
    ]


@pytest.mark.parametrize(
    ("network", "per_host"), [("oft:k=4", 0.62), ("oft:k=6", 0.65), ("slimfly:q=13,p=10", 0.65), ("slimfly:q=13", 0.73)]
)
def test_bisection_per_host(network, per_host):
    # T Fig. 4: 0.81 b per host of a small OFT, 0.71 b and 0.67 b of a Slim Fly whose p is rounded down and up.
    found = parse_network(network)
    assert 2 * halved_hosts(found) / sizes(network)[1] == pytest.approx(per_host, abs=0.006)


# O: host-switch graphs.


def test_dragonfly():
    # O 4a to 4c with a = 2h = 2p: radix 2a - 1, m = a^3/2 + a, n = a^4/4 + a^2/2; O 6.3.2: a = 8, m = 264, n = 1056.
    for a in (2, 4, 6, 8):
        assert sizes(f"dragonfly:a={a},h={a // 2}") == (a**3 // 2 + a, a**4 // 4 + a**2 // 2, {a - 1 + a // 2})
    assert sizes("dragonfly:a=8,h=4")[:2] == (264, 1056)
    assert diameter("dragonfly:a=8,h=4") == 3
    # D 3.4.1, footnote 5: 256 nodes in 32 groups of 8 have degree 11. 31 of the 32 links of a group are needed.
    assert sizes("dragonfly:a=8,h=4,g=32") == (256, 1024, {10, 11})


def test_fat_tree():
    # O 5b, 5c: m = 5 K^2 / 4, n = K^3 / 4; O 6.3.3: K = 16, m = 320, n = 1024. T 2.2.1: 3 r / 2 switches, r^2 / 2 hosts.
    for k in (4, 6, 16):
        assert sizes(f"fattree:k={k}") == (5 * k**2 // 4, k**3 // 4, {k // 2, k})
        assert sizes(f"fattree:k={k},levels=2") == (3 * k // 2, k**2 // 2, {k // 2, k})
    assert [diameter("fattree:k=6"), diameter("fattree:k=6,levels=2")] == [4, 2]


def test_torus():
    # O 3a: m = N^K switches; O 6.3.1: K = 5, N = 3, m = 243, r = 15 with 5 hosts.
    assert sizes("torus:3x3x3x3x3")[::2] == (243, {10})


# D 2.1.2.


def test_shuffles_and_stars():
    assert sizes("de-bruijn:d=2,n=3")[0] == 8
    assert max(sizes("de-bruijn:d=2,n=3")[2]) == 4
    for d, n in ((2, 5), (3, 4)):
        assert (sizes(f"de-bruijn:d={d},n={n}")[0], diameter(f"de-bruijn:d={d},n={n}")) == (d**n, n)
    for n, m in ((3, 3), (4, 3), (3, 4)):
        switches, _, degrees = sizes(f"kautz:n={n},m={m}")
        assert (switches, max(degrees)) == ((m - 1) ** n + (m - 1) ** (n - 1), 2 * (m - 1))
    # The links are full duplex, so the diameter may be less than n.
    assert [diameter("kautz:n=3,m=3"), diameter("kautz:n=4,m=4")] == [3, 4]
    for n, switches in ((3, 6), (4, 24), (5, 120), (6, 720)):
        assert sizes(f"star:n={n}") == (switches, switches, {n - 1})
        assert diameter(f"star:n={n}") == 3 * (n - 1) // 2
    assert sizes("folded-hypercube:n=8")[::2] == (256, {9})


def test_indirect_networks():
    # D 2.1.2: n stages of k^(n-1) switches; a k-ary n-fly has 2 k^n endpoints. A k-ary n-tree has k^n hosts.
    assert sizes("butterfly:k=2,n=3") == (12, 16, {2, 4})
    assert sizes("butterfly:k=4,n=4") == (256, 512, {4, 8})
    assert sizes("tree:k=4,n=2") == (8, 16, {4})
    assert sizes("tree:k=2,n=3") == (12, 8, {2, 4})
    # Kim et al., 2007: the k-ary n-flat has n' = n - 1 dimensions, k^n hosts, radix n (k - 1) + 1.
    assert sizes("flattened-butterfly:k=4,n=3") == (16, 64, {6})


# F: DSN-x.


@pytest.mark.parametrize("n", [16, 37, 60, 128, 250, 500])
def test_dsn_x_is_within_the_routing_bound(n):
    # F III-A: the longest route is at most 3p + r with r = n mod p; so is the diameter.
    p = (n - 1).bit_length()
    assert diameter(f"dsn-x:n={n}") <= 3 * p + n % p
    # F II-A: a shortcut leaves a node of each level up to p - 1 and enters one of the next level.
    degrees = sizes(f"dsn-x:n={n}")[2]
    assert min(degrees) >= 2
    assert max(degrees) <= 5


# D Fig. 3.6: min-cuts.


@pytest.mark.parametrize("size", [4, 8, 16])
def test_only_shortcuts_of_length_1_join_even_and_odd_columns(size):
    dsn = grid(size, size, K4x2())
    joining = [link for link in dsn.links() if (link.source[0] - link.target[0]) % 2]
    assert len(joining) == size * size == dsn.nodes // 8
    assert {min((a := abs(link.source[0] - link.target[0])), size - a) for link in joining} == {1}
    assert halved(dsn) <= len(joining)


def test_min_cuts_of_512_switches():
    # D: "narrower than those of both RR-6 and Skywalk-4-2 but wider than that of 3-D Torus", at every size.
    assert (halved(grid(8, 8, K4x2())), halved(parse_network("torus:8x8x8"))) == (64, 128)


# R: permutation and random shortcuts.


@pytest.mark.parametrize(
    ("degree", "network", "hops"),
    [(4, "torus:32x32", (9, 32)), (11, "folded-hypercube:n=10", (5, 5)), (62, "hyperx:32x32", (3, 2))],
)
def test_random_rings_of_fig_1_of_r(degree, network, hops):
    # R Fig. 1a: for a given degree, random shortcuts have a lower diameter. That is so up to the hypercube's degree.
    assert (diameter(f"random-ring:n=1024,degree={degree},seed=1"), diameter(network)) == hops


@pytest.mark.regress
@pytest.mark.parametrize(
    ("base", "ring", "hops", "average"),
    [("hypercube:12", 12, (-4, 3), (-1.63, 0.72)), ("folded-hypercube:n=12", 13, (-1, 0), (-1.23, 0.24))],
)
def test_permuted_hypercubes_of_r(base, ring, hops, average):
    # R III-B, 4,096 switches: -4 and +3 hops, -1.63 and +0.72 on average; folded: up to -2 and 0, -1.24 and +0.23.
    own, cube, random = (
        distances(parse_network(text))
        for text in (f"permuted:cabinet=16,seed=1:{base}", base, f"random-ring:n=4096,degree={ring},seed=1")
    )
    assert (own[0] - cube[0], own[0] - random[0]) == hops
    assert (own[1] - cube[1], own[1] - random[1]) == pytest.approx(average, abs=0.006)


def test_shortcuts_of_limited_length():
    # R Fig. 12, 256 switches: at most a hop more than RING-8, and a comparable mean.
    ring, nbr, gau = (
        distances(parse_network(f"{text},seed=1"))
        for text in ("random-ring:n=256,degree=8", "nbr:n=256,degree=8,alpha=0.5", "gau:n=256,degree=8,alpha=0.7")
    )
    assert (nbr[0] - ring[0], gau[0] - ring[0]) == (1, 0)
    assert nbr[1] / ring[1] == pytest.approx(1.046, abs=0.001)
    assert gau[1] / ring[1] == pytest.approx(1, abs=0.001)


def test_cables_of_random_rings():
    # R III-D, 256 switches: RING-8 has cables that are 30 to 31 % longer than those of P-HYPERCUBE. R Fig. 1b: three times those
    # of the hypercube, in the order of the numbers.
    ring, cube = (parse_network(text) for text in ("random-ring:n=256,degree=8,seed=1", "hypercube:8"))
    permuted = plan(parse_network("permuted:cabinet=16,seed=1:hypercube:8"), "sequential", 16)
    assert plan(ring, "optimised", 16).average / permuted.average == pytest.approx(1.334, abs=0.01)
    assert plan(ring, "sequential", 16).average / plan(cube, "sequential", 16).average == pytest.approx(1.54, abs=0.006)


def test_torus_16_x_16():
    # R Table 1: diameter 16, ASPL 8.00, over all pairs with those of a switch with itself.
    assert means("torus:16x16", 1) == (16, 8.0)


@pytest.mark.parametrize(
    ("form", "seeds", "hops", "average"),
    [
        ("random-ring:n=256,degree=4,seed={}", 5, 7, 4.38),
        ("permuted:seed={}:torus:16x16", 5, 10, 5.59),
        ("permuted:full=1,seed={}:torus:16x16", 10, 11, 5.96),
        pytest.param("random-ring:n=4096,degree=6,seed={}", 2, 7, 5.06, marks=pytest.mark.regress),
        pytest.param("permuted:seed={}:torus:16x16x16", 2, 16, 8.41, marks=pytest.mark.regress),
        pytest.param("permuted:full=1,seed={}:torus:16x16x16", 2, 17, 8.70, marks=pytest.mark.regress),
    ],
)
def test_table_1_of_r(form, seeds, hops, average):
    found = means(form, seeds)
    # R states one network each. The full permutation loses links that it would repeat, so it is up to an edge longer.
    assert found[0] == pytest.approx(hops, abs=1)
    assert found[1] == pytest.approx(average, rel=0.02)
