"""Plans of expansions, carried out on the golden model's graphs; the figures of F; least numbers of rewired cables."""

from collections import Counter
from itertools import permutations

import networkx as nx
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.plan.plan import _compare, expand
from dsnswitch.net.topology.dsn import Dsn, grid, ring
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.topology import dsn as golden_dsn
from dsnswitch.sim.golden.topology import dsn_f as golden_dsn_f

PLANS = [
    *[("dsn-f:32", f"dsn-f:{n}") for n in (33, 40, 63, 64, 100, 160, 400)],
    ("dsn-f:63", "dsn-f:64"),
    ("dsn-f:62", "dsn-f:64"),
    ("dsn-f:48", "dsn-f:66"),
    ("dsn-f:57", "dsn-f:90"),
    ("dsn-f:23", "dsn-f:24"),
    ("dsn-f:8", "dsn-f:70"),
    ("dsn-f:159", "dsn-f:160"),
    ("dsn-f:155", "dsn-f:161"),
    ("dsn-f:150", "dsn-f:230"),
    ("grid:4x4", "grid:5x4"),
    ("grid:4x3", "grid:4x8"),
    ("grid:3x5", "grid:7x11"),
    ("grid:1x2", "grid:2x3"),
    ("grid:3x3:coc-2x3", "grid:6x5:coc-2x3"),
    ("grid:4x4:ring-5", "grid:9x5:ring-5"),
    ("grid:3x4:k4x2:double", "grid:8x5:k4x2:double"),
    ("grid:3x4", "grid:8x5:k4x2:double"),
    ("ring:5:ring-4", "ring:9:ring-4"),
    ("ring:1:ring-3", "ring:2:ring-3"),
]

every_plan = pytest.mark.parametrize(("before", "after"), PLANS, ids=lambda text: text.replace(":", "-"))


def golden(network):
    """The golden model's cables as a multiset of pairs of addresses."""
    if isinstance(network, Dsn):
        return Counter(frozenset((link.source, link.target)) for link in golden_dsn.links(network))

    def address(node):
        level, layer, supernode = golden_dsn_f.label(network.n, node)
        return layer, supernode, level - 1

    return Counter(frozenset((address(link.source), address(link.target))) for link in golden_dsn_f.links(network.n))


def plan_of(before, after):
    return expand(parse_network(before), parse_network(after))


def renamed(cables, moved):
    return Counter({frozenset(moved[end] for end in cable): count for cable, count in cables.items()})


@every_plan
def test_old_cables_become_the_new_network(before, after):
    plan = plan_of(before, after)
    assert len(set(plan.moved.values())) == len(plan.moved) == plan.before.nodes
    assert set().union(*golden(plan.after)) >= set(plan.moved.values())
    here = golden(plan.before)
    remove, add = (Counter(frozenset((at.source, at.target)) for at in links) for links in (plan.remove, plan.add))
    here.subtract(remove)
    assert min(here.values()) >= 0
    assert renamed(+here, plan.moved) + add == golden(plan.after)
    assert not renamed(remove, plan.moved) & add, "a cable to remove could stay"
    assert plan.cables == (golden(plan.before).total(), golden(plan.after).total())
    assert plan.kept + plan.rewired == plan.cables[0]


@every_plan
def test_no_port_has_two_cables(before, after):
    """Carry out the plan cable by cable, with ports by name: each port is free when a cable is plugged in."""
    plan = plan_of(before, after)
    old, new = plan.before, plan.after

    def plugs(network, link):
        ends = (link.source, link.port), (link.target, link.target_port)
        return frozenset((at, network.ports[port].name) for at, port in ends)

    cables = {plugs(old, link) for link in old.links()}
    cables -= {plugs(old, link) for link in [*plan.remove, *(link for link, _ in plan.replug)]}
    cables = {frozenset((plan.moved[at], port) for at, port in cable) for cable in cables}
    assert len(cables) == plan.kept
    used = {plug for cable in cables for plug in cable}
    for link in [*(link for _, link in plan.replug), *plan.add]:
        cable = plugs(new, link)
        assert not cable & used
        cables.add(cable)
        used |= cable
    assert cables == {plugs(new, link) for link in new.links()}
    degrees = Counter(at for at, _ in used)
    assert max(degrees.values()) <= (5 if isinstance(new, DsnF) else len(new.ports))


@pytest.mark.parametrize("rows", [grid(4, 4), grid(5, 3), grid(8, 8)], ids=lambda dsn: dsn.name)
def test_doubled_grid_keeps_every_cable(rows):
    x, y = rows.sizes
    for sizes in ((2 * x, y), (x, 2 * y), (2 * x, 4 * y)):
        plan = expand(rows, grid(*sizes))
        assert (plan.rewired, plan.share) == (0, 0.0)


def test_a_second_set_of_shortcuts_only_adds_cables():
    plan = plan_of("grid:8x8", "grid:8x8:k4x2:double")
    assert (plan.rewired, len(plan.add)) == (0, 64 * 6)
    assert all(old == new for old, new in plan.moved.items())


@pytest.mark.parametrize(("before", "after"), [((5, 4), (6, 4)), ((5, 4), (8, 4)), ((6, 3), (7, 3)), ((8, 4), (9, 4))])
def test_new_columns_rewire_what_wraps_around(before, after):
    """A ring of p levels has ``2^p - 1`` shortcuts that wrap around. Only their cables are rewired, and all are removed."""
    plan = expand(grid(*before), grid(*after))
    assert plan.rewired == len(plan.remove) == (2 ** golden_dsn.level_count(before[0]) - 1) * before[1]


def fewest(before, after):
    """Rewired cables of the best arrangement of the old supernodes, with any rotation of the ids. One stays in position 0."""
    (old,), (new,), m = before.sizes, after.sizes, before.m
    found = []
    for rest in permutations(range(1, new), old - 1):
        for turn in range(m):
            stops = (0, *rest)
            moved = {(x, own): (stops[x], (own + turn) % m) for x in range(old) for own in range(m)}
            found.append(_compare(before, after, moved).rewired)
    return min(found)


@pytest.mark.parametrize(("old", "new"), [(3, 4), (4, 5), (3, 6), (4, 6), (5, 6)])
def test_no_placement_of_supernodes_rewires_less(old, new):
    before, after = ring(old, 4), ring(new, 4)
    assert expand(before, after).rewired == fewest(before, after)


def test_as_many_ids_as_levels():
    """The exception that docs/growth.md states."""
    before, after = ring(5, 3), ring(6, 3)
    assert (expand(before, after).rewired, fewest(before, after)) == (7, 5)


def test_dsn_f_with_the_same_levels_rewires_at_most_one_cable():
    """F III-E states no rewiring. But a partly filled last supernode with at least three switches has a ring, which is opened."""
    for n in (*range(24, 36), *range(160, 166)):
        plan = expand(DsnF(n), DsnF(n + 1))
        if plan.before.p == plan.after.p:
            partial = n % plan.before.p
            assert len(plan.remove) == (partial > 2)
            assert all(old == new for old, new in plan.moved.items())


@pytest.mark.parametrize(("before", "after"), [("dsn-f:32", "dsn-f:100"), ("dsn-f:48", "dsn-f:128"), ("dsn-f:63", "dsn-f:124")])
def test_layers_stay_above_each_other(before, after):
    """If the new network has a layer 1 above all old supernodes, layer 1 keeps its layer links."""
    plan = plan_of(before, after)
    rewired = [*plan.remove, *(link for link, _ in plan.replug)]
    assert all(max(link.source[0], link.target[0]) != 1 or link.source[0] == link.target[0] for link in rewired)


@pytest.mark.parametrize("p", [3, 4, 5, 6])
def test_dsn_f_rewires_no_more_than_the_paper_states(p):
    """The last switch before p + 1 levels: by F's numbering, layer 2 is complete in some supernodes and empty in others."""
    n = (p + 1) * 2 ** (p + 1)
    plan = expand(DsnF(n - 1), DsnF(n))
    assert (plan.before.p, plan.after.p) == (p, p + 1)
    assert plan.paper == pytest.approx((p + 7) / (4 * p + 4))
    assert 0.9 * plan.paper < plan.share <= plan.paper


def balanced(p):
    """F's network before the transformation: 2^p supernodes of 2p + 2 switches in three layers (F III-D, Fig. 3(a))."""
    count = 2**p
    net = nx.Graph()
    for s in range(count):
        for layer in (0, 1):
            nx.add_cycle(net, [(s, layer * p + own) for own in range(p)])
        net.add_edges_from(((s, own), (s, own + p)) for own in range(p + 2))
        net.add_edge((s, 2 * p), (s, 2 * p + 1))
        net.add_edges_from(((s, own), ((s + 2 ** (p - own - 1)) % count, (own + 1) % p)) for own in range(p))
    return net


@pytest.mark.parametrize("p", [3, 4, 5])
def test_transformation_of_the_paper(p):
    """F counts ``p + 7`` of ``4 p + 4``, because it counts a ring of two switches as two links. One other link is kept, too.

    The layer link between the switches 2p and p becomes the Succ link from S_A to S_B. F removes and adds it.
    """
    old = balanced(p)
    assert old.number_of_edges() == (4 * p + 3) * 2**p
    moved = {}
    for s, own in old:
        half, level = divmod(own, p) if own < 2 * p else (own - 2 * p, p)
        moved[s, own] = (0, 2 * s + half, level)
    new = set(golden(DsnF((p + 1) * 2 ** (p + 1))))
    kept = sum(frozenset((moved[a], moved[b])) in new for a, b in old.edges)
    assert old.number_of_edges() - kept == (p + 5) * 2**p
    succ = [frozenset((moved[s, 2 * p], moved[s, p])) for s in range(2**p)]
    assert all(cable in new for cable in succ)


def test_no_figure_of_the_paper_for_other_growth():
    assert plan_of("dsn-f:32", "dsn-f:160").paper is None
    assert plan_of("grid:2x2", "grid:2x3").paper is None
    assert plan_of("dsn-f:32", "dsn-f:40").paper == 0


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("dsn-f:40", "dsn-f:40", "switches must be more than 40, not 40"),
        ("grid:4x4", "grid:4x4", "The network must grow"),
        ("grid:4x4", "grid:8x3", "Supernodes along y must be at least 4, not 3"),
        ("grid:4x4", "grid:4x8:ring-8", "supernode k4x2 must stay as it is, not become ring-8"),
        ("grid:4x4:k4x2:double", "grid:4x8", "supernode k4x2:double must stay as it is, not become k4x2"),
        ("ring:8:k4x2", "grid:8x8", "A ring DSN grows to a ring DSN, not to grid:8x8"),
        ("dsn-f:40", "grid:8x8", "must be of one kind"),
        ("torus:4x4", "torus:8x4", "not of torus:4x4"),
    ],
)
def test_refusals(before, after, message):
    with pytest.raises(UsageError, match=message):
        plan_of(before, after)
