"""Digits chosen at the source: walks keep to the signs of their header, and no choice closes a cycle or needs one class more."""

import networkx as nx
import numpy as np
import pytest
from walks import RisingClasses, every_state, signs_of

from dsnswitch.hdl.routing.digits import DigitRoute
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.minimal.digits import digits, sign_widths
from dsnswitch.net.routing.minimal.relation import DigitArrival
from dsnswitch.net.routing.registry import DIGITS, relation_of
from dsnswitch.net.topology.dsn import port_links
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.choices import Choices

SMALL = ["grid:4x2:ring-3", "ring:8:ring-4", "grid:1x4:k4x2:double"]
LARGE = [
    "grid:4x4",
    *(pytest.param(one, marks=pytest.mark.regress) for one in ("grid:8x8", "grid:8x8:k4x2:double", "grid:4x8", "grid:16x16")),
]


def lengths(network, destination, signs):
    """Hops to a destination if lengths with signs are taken only where they are needed, in the direction of the sign.

    A length is needed if the distance is no multiple of twice the length, once the shorter ones that are needed are gone.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(network.switches())
    widths = sign_widths(network)
    for switch in network.switches():
        for link in port_links(network, switch[-1]):
            if link.level is not None and abs(link.offset) < 1 << widths[axis := network.dimensions.index(link.port.kind)]:
                left, length = (destination[axis] - switch[axis]) % network.sizes[axis], 1
                while length < abs(link.offset):
                    left += (left // length % 2) * (length if signs[axis] & length else -length)
                    length *= 2
                if left // length % 2 == 0 or (link.offset < 0) != bool(signs[axis] & length):
                    continue
            graph.add_edge(network.neighbour(switch, link.port.index)[0], switch)
    return nx.single_source_shortest_path_length(graph, destination)


@pytest.mark.parametrize("spelling", SMALL)
def test_every_hop_of_every_walk(spelling):
    """By distances of the graph, and by the definition of the classes."""
    relation = relation_of(parse_network(spelling), DIGITS)
    network, minimal = relation.network, relation_of(relation.network, "minimal")
    signs, left, classes, several, choices = relation.digits.signs, {}, RisingClasses(network), 0, 0
    for destination in network.switches():
        for number, choice in enumerate(signs):
            left[destination, number] = lengths(network, destination, choice)
    for switch, arrival, destination in every_state(relation):
        steps = relation.steps(switch, arrival, destination)
        assert (not steps) == (switch == destination)
        assert arrival is None or {choice for _, _, choice in steps} <= {arrival.choice}
        several += arrival is not None and len(steps) > 1
        choices += arrival is None and len({choice for _, _, choice in steps}) > 1
        for port, virtual_class, choice in steps:
            there = classes.check(switch, arrival, port, virtual_class)
            assert left[destination, choice][there] == left[destination, choice][switch] - 1
    classes.compare(relation, minimal)
    assert several
    assert choices


@pytest.mark.parametrize("spelling", LARGE)
def test_no_more_classes_than_minimal_routing(spelling):
    relation = relation_of(parse_network(spelling), DIGITS)
    prove(relation)
    assert max(relation.classes.values()) == max(relation_of(relation.network, "minimal").classes.values())
    found = relation.digits
    # Both options are offered for nearly all pairs that have both in each dimension.
    places = zip(np.indices(relation.network.sizes), found.distances.sign_widths)
    has_both = np.all([distances % (1 << width) > 0 for distances, width in places], axis=0)
    assert found.offered[-1][..., has_both].mean() > 0.9


@pytest.mark.parametrize("spelling", SMALL)
def test_sources_are_offered_the_signs_of_the_golden_model(spelling):
    """By a search for whole routes, no choice of a source turns too often; an option is missing if one of its choices does."""
    relation = relation_of(parse_network(spelling), DIGITS)
    network, found = relation.network, relation.digits
    golden = Choices(network, max(relation.classes.values()) - 1, found.distances.sign_widths)
    for source in network.representatives():
        for target in network.switches():
            if source == target:
                continue
            distances = tuple((t - s) % n for s, t, n in zip(source, target, network.sizes))
            place = (source[-1], target[-1], *distances)
            wanted = golden.offered(source, target)
            written = [signs_of(found, choice) for choice in found.written(*place[:2], distances)]
            assert set(written) <= wanted
            assert golden.hops(source, target, written[0]) == min(golden.hops(source, target, one) for one in wanted)
            for option, choices in enumerate(found.choices[(..., *distances)]):
                # Without a need, an option is another one's.
                if not (found.choices[(slice(option), 0, *distances)] == choices[0]).any():
                    all_turn_seldom = {signs_of(found, one) for one in choices} <= wanted
                    assert found.offered[(option, *place)] == (all_turn_seldom or option == found.preferred[place])


@pytest.mark.parametrize("spelling", ["grid:4x4", "grid:8x4:ring-3"])
def test_the_source_takes_the_least_loaded_output(spelling):
    """By the definition: first the load, then the preference if there is none, then the turn."""
    found, chance = digits(parse_network(spelling)), np.random.default_rng(1)
    seen, many, ports = set(), found.dsn.m, len(found.dsn.ports)
    for _ in range(2000):
        own, target = map(int, chance.integers(many, size=2))
        distances = tuple(map(int, chance.integers(found.dsn.sizes)))
        if (own, *distances) == (target, 0, 0):
            continue
        used, turn = chance.integers(4, size=ports) * chance.integers(2), int(chance.integers(16))
        place = (own, target, *distances)
        choice = found.chosen(own, target, distances, used, turn)
        assert choice in found.written(own, target, distances)
        first, loads, written = found.preferred[place], {}, {}
        for option, choices in enumerate(found.choices[(..., *distances)]):
            if found.offered[(option, *place)]:
                written[option] = choices[0 if option == first else turn >> 2]
                loads[option] = used[found.decisions.ports[(own, target, *found.state(distances, written[option]))]]
        least = min(loads.values())
        by_turn = min((option for option in loads if loads[option] == least), key=lambda option: option ^ turn % 4)
        assert choice == written[first if loads[first] == 0 else by_turn]
        seen.add(choice)
    assert seen == set(range(1 << sum(found.distances.sign_widths)))


@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("grid:8x6", "Digits need sizes that are powers of two, not 6"),
        ("ring:8:ring-4:forward", "Digits need a DSN that is routed in both directions"),
        ("torus:4x4", "must be base or bubble, not minimal-digits"),
    ],
)
def test_networks_that_are_refused(spelling, message):
    with pytest.raises((ValueError, UsageError), match=message):
        relation_of(parse_network(spelling), DIGITS)


@pytest.mark.parametrize("spelling", ["grid:4x2:ring-3", "ring:8:ring-3"])
def test_the_logic_decides_as_the_relation(simulate, spelling):
    """Every own id, destination and choice, whether a source writes it or not, after each hop of such a packet."""
    network = parse_network(spelling)
    relation = relation_of(network, DIGITS)
    found, dut = relation.digits, DigitRoute(network)
    golden, chance = Choices(network, 9, found.distances.sign_widths), np.random.default_rng(1)
    came = set()

    async def bench(ctx):
        for own in network.representatives():
            ends = {port.index: end[0] for port in network.ports if (end := network.neighbour(own, port.index))}
            for target in network.switches():
                for number in range(len(found.signs)):
                    signs = signs_of(found, number)
                    ways = [port for port, end in ends.items() if end != target and own in golden.exits(end, target, signs)]
                    for port in ways or [None]:
                        await compare(ctx, own, target, number, port, None if port is None else ends[port])

    async def compare(ctx, own, target, number, port, before):
        arrival, signs = DigitArrival(port, int(chance.integers(2)), number), signs_of(found, number)
        came.add(port)
        for field, here, there in zip(network.fields, own, target):
            if field.width:
                ctx.set(getattr(dut.own, field.name), here)
                ctx.set(getattr(dut.dst, field.name), there)
        ctx.set(dut.in_state, golden.header(before or own, target, signs))
        ctx.set(dut.in_port, 0 if port is None else 1 << port)
        ctx.set(dut.in_class, arrival.virtual_class)
        await ctx.delay(1e-9)
        assert ctx.get(dut.out_state) == golden.header(own, target, signs)
        assert ctx.get(dut.arrived) == (own == target)
        if own == target:
            assert ctx.get(dut.out_port) == ctx.get(dut.other_port) == 0
            return
        steps = relation.steps(own, arrival, target)
        for name, step in (("out", steps[0]), ("other", steps[-1])):
            assert ctx.get(getattr(dut, f"{name}_port")) == 1 << step[0]
            assert ctx.get(getattr(dut, f"{name}_class")) == step[1] % (1 << len(dut.out_class))

    simulate(dut, bench)
    assert came >= {port.index for port in network.ports}
