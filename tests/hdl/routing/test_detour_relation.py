"""Detours around failed links: delivery, bounds, virtual channel classes, and the proof of deadlock freedom."""

import random
from functools import cache
from itertools import pairwise

import pytest
from failed_links import failed_ports, walk

from dsnswitch.net.routing.dependencies import dependencies, numbering
from dsnswitch.net.routing.detour.decisions import Detour, Mode, fault_free_classes, header_width, options, pack, unpack
from dsnswitch.net.routing.detour.relation import DetourRelation
from dsnswitch.net.routing.dsn.local import alternative_hop, first_hop
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.supernode import K4x2
from dsnswitch.sim.golden.routing.dsn import TABLE_4_2, TABLE_4_3, read_table

GRIDS = ["grid:1x2", "grid:3x5:coc-3x2", "grid:1x1", "grid:4x2:ring-5"]
RINGS = ["ring:12:ring-5", "ring:3:ring-3", "ring:8:ring-8"]
LARGE = ["grid:32x2", "grid:4x4", "ring:22:ring-6", "grid:4x4:coc-4x4", "grid:16x8"]


@cache
def detour(spelling):
    return DetourRelation(parse_network(spelling))


@cache
def links(spelling):
    """The link at each switch and port."""
    found = {}
    for link in parse_network(spelling).links():
        found[link.source, link.port] = found[link.target, link.target_port] = link
    return found


def rank(hop):
    """Position of a hop in the order of the proof."""
    start, end = hop.source[-1], hop.target[-1]
    return (hop.virtual_class, 0, start) if end > start else (hop.virtual_class, 1, -start)


def check_walk(relation, hops):
    ranks = [rank(hop) for hop in hops]
    assert ranks == sorted(set(ranks))
    assert len(hops) <= relation.bound
    assert all(hop.virtual_class < relation.classes["local"] for hop in hops)


@pytest.mark.parametrize("spelling", [*GRIDS, *RINGS])
def test_routes_without_failures_are_those_of_the_base_routing(spelling):
    relation, base = detour(spelling), relation_of(parse_network(spelling))
    switches = list(base.network.switches())
    for source in switches[:: max(1, len(switches) // 12)]:
        for target in switches:
            assert [hop.port for hop in relation.route(source, target)] == [hop.port for hop in base.route(source, target)]


def routes_past_any_failed_link(spelling):
    """``(source, target, link, hops, delivered)`` for every canonical pair and every link of its route.

    A translation moves any pair and any link to one of these, and a failed link elsewhere changes no route.
    """
    relation = detour(spelling)
    network = relation.network
    for source in network.representatives():
        for target in network.switches():
            for hop in relation.route(source, target) if source != target else ():
                link = links(spelling)[hop.source, hop.port]
                yield source, target, link, *walk(relation, source, target, failed_ports(network, [link]))


@pytest.mark.parametrize("spelling", [*GRIDS, *RINGS])
def test_every_pair_is_delivered_past_any_failed_link(spelling):
    for source, target, link, hops, delivered in routes_past_any_failed_link(spelling):
        assert delivered, (source, target, link)
        assert link not in [links(spelling)[hop.source, hop.port] for hop in hops]
        check_walk(detour(spelling), hops)


def test_every_pair_is_delivered_past_any_failed_link_of_8_by_8_by_8():
    longest = 0
    for source, target, link, hops, delivered in routes_past_any_failed_link("grid:8x8"):
        assert delivered, (source, target, link)
        longest = max(longest, len(hops))
    assert longest == 12
    assert detour("grid:8x8").classes == {"local": 5, "x": 5, "y": 5}
    assert detour("grid:8x8").bound == 70


@pytest.mark.regress
@pytest.mark.parametrize("spelling", LARGE)
def test_every_pair_is_delivered_past_any_failed_link_of_larger_networks(spelling):
    for source, target, link, hops, delivered in routes_past_any_failed_link(spelling):
        assert delivered, (source, target, link)
        check_walk(detour(spelling), hops)


@pytest.mark.parametrize(
    ("spelling", "share"), [("grid:4x4", 0.3), ("ring:22:ring-6", 0.05), ("grid:3x5:coc-3x2", 0.7), ("grid:3x5:coc-3x2", 0.05)]
)
def test_any_number_of_failed_links_keeps_order_and_bound(spelling, share):
    relation = detour(spelling)
    network = relation.network
    graph, chance = dependencies(relation), random.Random(1)
    every, switches = sorted(set(links(spelling).values()), key=str), list(network.switches())
    outcomes = set()
    for _ in range(40):
        failed = failed_ports(network, chance.sample(every, round(share * len(every))))
        for _ in range(20):
            source, target = chance.sample(switches, 2)
            hops, delivered = walk(relation, source, target, failed)
            outcomes.add(delivered)
            check_walk(relation, hops)
            assert not {(hop.source, hop.port) for hop in hops} & failed
            assert not delivered or (hops[-1].target == target)
            labels = [(hop.source[-1], hop.port, hop.virtual_class) for hop in hops]
            assert all(later in graph[earlier] for earlier, later in pairwise(labels))
    assert outcomes == {False, True}


@pytest.mark.parametrize("spelling", [*GRIDS, *RINGS, "grid:8x8", pytest.param("grid:32x2", marks=pytest.mark.regress)])
def test_the_proof_holds_for_any_failed_links(spelling):
    numbers = numbering(dependencies(detour(spelling)))
    assert len(numbers) == len({*numbers.values()})
    assert {label[:2] for label in numbers} == {(switch[-1], port) for switch, port in links(spelling) if not any(switch[:-1])}


def test_classes_without_failures():
    for spelling, count in {"grid:8x8": 4, "grid:1x8": 3, "grid:32x2": 5, "ring:3:ring-3": 2}.items():
        network = parse_network(spelling)
        assert fault_free_classes(network) == count
        relation = DetourRelation(network)
        most = max(
            hop.virtual_class
            for source in network.representatives()
            for target in network.switches()
            for hop in relation.route(source, target)
        )
        assert most + 1 == count
    assert DetourRelation(parse_network("grid:8x8"), 5).bound == 70


def test_local_detours_are_those_of_table_4_3():
    """The printed lower half of the table repeats Table 4.2, so the mirrored upper half is used there."""
    usual, other = read_table(TABLE_4_2), read_table(TABLE_4_3)
    relation, network = detour("grid:1x1"), parse_network("grid:1x1")
    pairs = [(own, target) for own in range(8) for target in range(8) if len(usual[own][target]) == 2]
    assert len(pairs) == 24
    for own, target in pairs:
        path = other[own][target] if own < 4 else tuple(7 - node for node in other[7 - own][7 - target])
        link = links("grid:1x1")[(0, 0, own), first_hop(K4x2(), own, target)]
        hops, delivered = walk(relation, (0, 0, own), (0, 0, target), failed_ports(network, [link]))
        assert delivered
        assert tuple(hop.target[-1] for hop in hops) == path != usual[own][target]
    for own, target in ((a, b) for a in range(8) for b in range(8) if (a, b) not in pairs):
        assert alternative_hop(K4x2(), own, target) is None


def test_failed_shortcuts_are_passed_as_in_the_dissertation():
    """D Fig. 4.5: levels 2, 3, 4 over a distance of 7. Level 2 fails at V1; then level 1 and back, or level 3 twice."""
    network = parse_network("ring:16:ring-4")
    relation = DetourRelation(network)

    def levels(*failed):
        down = failed_ports(network, [links("ring:16:ring-4")[place] for place in failed])
        hops, delivered = walk(relation, (0, 1), (7, 1), down)
        assert delivered
        taken = [(network.level(hop.source, hop.port), network.ports[hop.port].direction) for hop in hops]
        return [level if way == "forward" else -level for level, way in taken if level]

    forward = next(port.index for port in network.ports if port.name == "x_forward")
    assert levels() == [2, 3, 4]
    assert levels(((0, 1), forward)) == [1, -4]
    assert levels(((0, 1), forward), ((0, 0), forward)) == [3, 2, 4]


def test_y_comes_before_x_where_an_x_shortcut_has_failed():
    network = parse_network("grid:8x8")
    forward = next(port.index for port in network.ports if port.name == "x_forward")
    down = failed_ports(network, [links("grid:8x8")[(0, 0, 0), forward]])
    hops, delivered = walk(detour("grid:8x8"), (0, 0, 0), (4, 4, 0), down)
    assert delivered
    kinds = [network.ports[hop.port].kind for hop in hops]
    assert [kind for kind in kinds if kind != "local"] == ["y", "x"]


def test_options_end():
    """No option leads back to one that has been given up."""
    network = parse_network("grid:8x8")
    for mode in Mode:
        for y_first in (False, True):
            found = options(network, (3, 5), mode, y_first)
            for place, option in enumerate(found[1:], 1):
                rest = options(network, (3, 5), option.mode, option.y_first)
                assert rest[0] == option
                if option.y_first == y_first:
                    assert rest == found[place:]
    assert options(network, (0, 0), Mode.DIRECT, False) == []
    assert options(network, (4, 0), Mode.LONGER, False) == []


def test_a_cut_off_destination_is_undeliverable():
    spelling = "grid:4x4"
    network = parse_network(spelling)
    target = (2, 1, 6)
    down = failed_ports(network, [link for (switch, _), link in links(spelling).items() if switch == target])
    for source in network.switches():
        hops, delivered = walk(detour(spelling), source, target, down)
        assert delivered == (source == target)
        assert len(hops) <= detour(spelling).bound


def test_header_bits():
    assert [unpack(bits) for bits in range(16)] == [
        Detour(Mode(mode), bool(alternative), bool(y)) for y in (0, 1) for alternative in (0, 1) for mode in range(4)
    ]
    assert all(pack(unpack(bits)) == bits for bits in range(16))
    assert [header_width(parse_network(name)) for name in ("grid:8x8", "grid:8x1", "ring:8:ring-4")] == [4, 3, 3]


def test_networks_without_detours_are_refused():
    with pytest.raises(ValueError, match="Routing detour is for supernodes of at least 3 switches, not ring-2"):
        DetourRelation(parse_network("ring:4:ring-2"))
    with pytest.raises(ValueError, match="with one set of shortcuts, not k4x2:double"):
        DetourRelation(parse_network("grid:4x4:k4x2:double"))
    with pytest.raises(ValueError, match="in both directions, not forward only"):
        DetourRelation(parse_network("ring:7:ring-4:forward"))
