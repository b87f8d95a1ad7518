"""Minimal routing as a relation: shortest paths, never longer than the base routing's, with rising channel numbers."""

import random

import numpy as np
import pytest
from all_pairs import shortest_lengths

from dsnswitch.net.analysis.paths import loads as traffic
from dsnswitch.net.analysis.paths import route_lengths, statistics
from dsnswitch.net.routing.dependencies import cycle, dependencies
from dsnswitch.net.routing.minimal import decisions as decided
from dsnswitch.net.routing.minimal.rules import Found, Rule, Search, cost, cover, loads, matches, mirrored
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.dsn import SignedShortcuts

SMALL = ["grid:3x4:k4x2:double", "grid:5x3:coc-3x2", "grid:1x9", "ring:13:ring-4", "grid:2x1", "ring:1:ring-5"]
FORWARD = ["ring:7:ring-4:forward", "grid:3x5:k4x2:forward"]
DOUBLE = ["grid:8x8:k4x2:double", "grid:16x16:k4x2:double"]
USUAL = ["grid:8x8", "grid:8x16", "grid:16x16", "grid:32x2", "grid:64x1", "grid:11x13", *DOUBLE]
#: Networks that take more than a second.
LARGE = ["grid:8x16", "grid:11x13", "grid:16x16", "grid:32x2", "grid:64x1", DOUBLE[1]]
EVERY_SIZE = [f"grid:{x}x{y}" for x in range(2, 18) for y in sorted({1, x // 2, x})]
EVERY_SIZE += [f"grid:{x}x{17 - x}:k4x2:double" for x in range(2, 16, 2)]

#: Maximum number of classes of each kind of port; more would need a reason.
MOST_CLASSES = 4


def near(spelling):
    return relation_of(parse_network(spelling), "minimal")


def check_lengths(spelling):
    """Check that every route is a shortest path and no longer than the base routing's."""
    relation = near(spelling)
    found = statistics(relation)
    assert found.average_path == found.aspl
    assert found.maximum_stretch == 1
    assert found.routing_diameter == relation.bound == found.diameter
    assert (route_lengths(relation) <= route_lengths(relation_of(relation.network))).all()
    assert cycle(dependencies(relation)) is None
    assert max(relation.classes.values()) <= MOST_CLASSES


@pytest.mark.parametrize(
    "spelling", [*SMALL, *(pytest.param(usual, marks=pytest.mark.regress if usual in LARGE else ()) for usual in USUAL)]
)
def test_routes_are_shortest(spelling):
    check_lengths(spelling)


@pytest.mark.regress
@pytest.mark.parametrize("spelling", EVERY_SIZE)
def test_routes_are_shortest_at_every_size(spelling):
    check_lengths(spelling)


def number(relation, hop):
    """Position of a channel in the order that proves the routing free of deadlock, by the definition of a class."""
    start, end = hop.source[-1], hop.target[-1]
    return (hop.virtual_class, 0, start) if end > start else (hop.virtual_class, 1, -start)


@pytest.mark.parametrize("spelling", [*SMALL, *FORWARD])
def test_numbers_of_channels_rise_along_every_route(spelling):
    relation = near(spelling)
    network, most = relation.network, {}
    for source in network.switches():
        for target in network.switches():
            hops = relation.route(source, target)
            numbers = [number(relation, hop) for hop in hops]
            assert numbers == sorted(set(numbers))
            for hop in hops:
                kind = network.ports[hop.port].kind
                most[kind] = max(most.get(kind, 0), hop.virtual_class + 1)
    assert most == {kind: count for kind, count in relation.classes.items() if kind in most}


@pytest.mark.parametrize(("spelling", "pairs"), [("grid:4x4", None), ("grid:8x8", 60), (DOUBLE[0], 60), ("ring:13:ring-4", None)])
def test_golden_model_with_every_digit_finds_the_shortest_paths(spelling, pairs):
    network = parse_network(spelling)
    golden, shortest = SignedShortcuts(network, digit=2), shortest_lengths(network)
    targets = list(network.switches())
    for source in network.representatives():
        for target in targets if pairs is None else random.Random(source[-1]).sample(targets, pairs):
            place = (source[-1], *reversed(target[:-1]), target[-1])
            assert golden.hops(source, target) == shortest[place]


@pytest.mark.parametrize("seed", range(20))
def test_cover_lies_between_its_bounds(seed):
    """Against the definition of a cube, input by input. No cube is redundant."""
    chance, variables = random.Random(seed), 5
    most = chance.getrandbits(1 << variables)
    least = most & chance.getrandbits(1 << variables)
    cubes, covered = cover(least, most, variables)

    def union(chosen):
        return sum(1 << i for i in range(1 << variables) if any(i & mask == value & mask == value for mask, value in chosen))

    assert union(cubes) == covered
    assert least & ~covered == covered & ~most == 0
    for cube in cubes:
        assert least & ~union([other for other in cubes if other != cube])


def test_rules_choose_among_the_candidates():
    chance = np.random.default_rng(1)
    tables = {port: chance.random(256) < 0.4 for port in (3, 5, 6)}
    free = ~(tables[3] | tables[5] | tables[6])
    search = Search(tables, free, {5})
    lengths = [search.best.cost]
    for _ in range(30):
        search.run(1)
        lengths.append(search.best.cost)
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0]
    for found in search.pool:
        assert found.rules[-1].cubes == ((0, 0),)
        assert found.cost == cost(found.rules)
        # The rule of the rising port is the first or the last one.
        assert 5 in (found.rules[0].port, found.rules[-1].port)
        for place in range(256):
            assert free[place] or tables[matches(found.rules, place)][place]
    search.forbid(3, tables[3] & (tables[5] | tables[6]))
    for place in np.flatnonzero(tables[3] & (tables[5] | tables[6]) & ~free):
        assert matches(search.best.rules, place) != 3
    assert matches([Rule(1, ((3, 1),)), Rule(2, ((2, 2),))], 4) is None


@pytest.mark.parametrize("spelling", ["grid:4x4", "ring:13:ring-4"])
def test_ports_are_those_of_the_rules(spelling):
    found = decided.decisions(parse_network(spelling))
    for own, rules in enumerate(found.rules):
        for place in np.ndindex(found.distances.shape):
            target, *distances = place
            if (target, any(distances)) != (own, False):
                assert found.ports[(own, *place)] == matches(rules, found.number(distances, target))


@pytest.mark.parametrize("spelling", ["grid:8x8", pytest.param("grid:16x16", marks=pytest.mark.regress)])
def test_three_classes_and_a_balanced_load(spelling):
    """No routing exceeds 0.5 on either network: half of all packets have an odd distance in x and need a shortcut of length 1."""
    relation = near(spelling)
    assert set(relation.classes.values()) == {3}
    assert 0.485 < traffic(relation).bound < 0.5


@pytest.mark.parametrize(("spelling", "classes"), [(DOUBLE[0], 3), pytest.param(DOUBLE[1], 4, marks=pytest.mark.regress)])
def test_a_second_set_of_shortcuts_doubles_the_bound(spelling, classes):
    """With equal shares of all shortest paths, the bound would be 0.966 at 8 x 8."""
    relation = near(spelling)
    assert set(relation.classes.values()) == {classes}
    assert 0.966 < traffic(relation).bound < 1


@pytest.mark.parametrize("spelling", ["grid:5x3", "ring:13:ring-4"])
def test_loads_are_those_of_the_routes(spelling):
    relation = near(spelling)
    network, counted = relation.network, {}
    for source in network.switches():
        for target in network.switches():
            for hop in relation.route(source, target):
                counted[hop.source, hop.port] = counted.get((hop.source, hop.port), 0) + 1
    found = loads(relation.decisions.distances, relation.decisions.ports)
    assert {(own, port): count for (own, port), count in found.items() if count} == {
        (switch[-1], port): count for (switch, port), count in counted.items() if not any(switch[:-1])
    }
    rows = traffic(relation)
    assert rows.bound == pytest.approx((network.nodes - 1) / max(counted.values()))
    assert sum(row["mean"] * row["channels"] for row in rows.rows) / network.nodes == pytest.approx(rows.average_path)


def test_no_switch_turns_a_packet_more_often_than_it_must():
    """The number of turns is compared with every shortest path of every pair."""
    relation = near("grid:4x4")
    network, found = relation.network, relation.decisions
    left = found.distances.hops

    def fewest(switch, target, down):
        if switch == target:
            return 0
        best = []
        for port in network.ports:
            end = network.neighbour(switch, port.index)
            if end is None or hops(end[0], target) != hops(switch, target) - 1:
                continue
            up = end[0][-1] > switch[-1]
            best.append((down and up) + fewest(end[0], target, not up))
        return min(best)

    def hops(switch, target):
        return left[(switch[-1], target[-1], *((t - s) % n for s, t, n in zip(switch, target, network.sizes)))]

    # At 4 x 4, the preference for few shortcuts of length 1 costs no additional turn.
    worst = max(fewest((0, 0, own), target, False) for own in range(8) for target in network.switches())
    assert worst == found.turns.fewest == found.turns.most(found.ports)


def test_a_mirrored_set_of_rules_exchanges_x_and_y():
    dsn = parse_network("grid:4x4")
    found = Found(0, (0, 2, 1, 3, 4, 5, 6), (4, 1), [Rule(4, ((0b0010011, 0b0010001),)), Rule(1, ((0, 0),))])
    other = mirrored(dsn, found, 2)
    assert other.order == (2, 0, 3, 1, 4, 5, 6)
    assert other.ports == (6, 1)
    assert other.rules == [Rule(6, ((0b0011100, 0b0010100),)), Rule(1, ((0, 0),))]
    assert mirrored(dsn, other, 2) == found


@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("grid:64x64", "at most 13 bits of distances and destination id, not 15"),
        ("grid:2x2:ring-1", "supernodes of at least 2 nodes, not ring-1"),
        ("torus:4x4", "Routing of torus:4x4 must be base or bubble, not minimal"),
    ],
)
def test_networks_that_are_refused(spelling, message):
    with pytest.raises(ValueError, match=message):
        near(spelling)
