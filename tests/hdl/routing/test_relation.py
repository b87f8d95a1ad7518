"""Routing as a relation: the golden paths, classes without a cycle, and a certificate that other programs can check."""

from collections import Counter

import pytest
from walks import every_state, following

from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.dependencies import cycle, dependencies, numbering
from dsnswitch.net.routing.dsn.classes import GRANULARITIES, Purpose, merged
from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.minimal.relation import AdaptiveRelation, DigitRelation, MinimalRelation
from dsnswitch.net.routing.registry import ADAPTIVE, DIGITS, relation_of
from dsnswitch.net.routing.relation import Channel, Relation, RoutingError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing import lattices as paths
from dsnswitch.sim.golden.routing.dsn import route
from dsnswitch.sim.golden.topology import lattices

DSNS = ["grid:5x3:coc-3x2", "ring:13:ring-4", "ring:16:ring-4", "ring:7:ring-4:forward"]
DSNS += ["grid:5x3:k4x2:double", "grid:3x4:cube-2"]
TORI = ["torus:4x4", "torus:5x3x2", "torus:7", "torus:2"]

every_dsn = pytest.mark.parametrize(
    "spelling", [*DSNS, "ring:16:k4x2:double", "ring:32:k4x2", "grid:2x2:ring-1", "ring:1:ring-5"]
)
every_torus = pytest.mark.parametrize("spelling", TORI)


MINIMAL = ["grid:3x4:k4x2:double", "grid:5x3:coc-3x2", "grid:1x9", "ring:13:ring-4", "grid:2x1", "ring:1:ring-5"]
MINIMAL += ["ring:7:ring-4:forward", "grid:3x5:k4x2:forward"]
CHOOSING = [("grid:4x4:ring-3", ADAPTIVE), ("grid:3x2:k4x2:double", ADAPTIVE), ("grid:4x2:ring-3", DIGITS)]


def pairs(network):
    return ((source, target) for source in network.switches() for target in network.switches())


@every_dsn
def test_routes_are_the_golden_paths(spelling):
    network = parse_network(spelling)
    relation = relation_of(network)
    for source, target in pairs(network):
        hops = relation.route(source, target)
        assert [(hop.source, hop.target) for hop in hops] == [hop[:2] for hop in route(network, source, target)]
        assert all(0 <= hop.virtual_class < relation.classes[network.ports[hop.port].kind] for hop in hops)


@every_torus
def test_torus_routes_and_classes_are_golden(spelling):
    network = parse_network(spelling)
    relation = relation_of(network)
    for source, target in pairs(network):
        found = [(hop.source, hop.target, hop.virtual_class) for hop in relation.route(source, target)]
        assert found == paths.route(network.sizes, source, target)


@every_torus
def test_torus_graph_is_golden(spelling):
    network = parse_network(spelling)
    edges = {frozenset(edge) for edge in lattices.graph(network.sizes, wraps=True).edges if edge[0] != edge[1]}
    assert Counter(frozenset((link.source, link.target)) for link in network.links()) == Counter(edges)
    for switch in network.switches():
        ends = [network.neighbour(switch, port.index) for port in network.ports]
        assert all(network.neighbour(*end) == (switch, port) for port, end in enumerate(ends))


def advance(relation, state):
    """All steps of a packet, without symmetries."""
    (switch, _, destination), found = state, []
    for port, arrival in following(relation, *state):
        there, _ = relation.network.neighbour(switch, port)
        state = None if there == destination else (there, arrival, destination)
        found.append((Channel(switch, port, arrival.virtual_class), state))
    return found


@pytest.mark.parametrize(
    ("spelling", "routing"), [*((name, "base") for name in DSNS + TORI), *((name, "minimal") for name in MINIMAL), *CHOOSING]
)
def test_symmetry_hides_nothing(spelling, routing):
    """The small automaton of the deadlock search has the dependencies of all pairs, channel by channel."""
    relation, wanted = relation_of(parse_network(spelling), routing), {}
    plain = {"states": Relation.states, "label": Relation.label, "advance": advance}
    for channel, after in dependencies(type("Plain", (type(relation),), plain)(relation.network)).items():
        wanted.setdefault(relation.label(channel), set()).update(map(relation.label, after))
    found = dependencies(relation)

    def through_turns(labels):
        return {b for a in labels for b in (through_turns(found[a]) if a[0] == "turn" else [a])}

    assert {a: through_turns(b) for a, b in found.items() if a[0] != "turn"} == wanted
    assert cycle(wanted) is None


@pytest.mark.parametrize(
    ("spelling", "routing"),
    [("grid:4x4", "base"), ("torus:5x4", "base"), *CHOOSING, ("ring:7:ring-4:forward", ADAPTIVE), ("ring:8:ring-4", DIGITS)],
)
def test_numbers_rise_along_every_walk(spelling, routing):
    """The certificate against all walks, whatever hops packets choose."""
    relation = relation_of(parse_network(spelling), routing)
    network, numbers = relation.network, {channel: number for channel, _, number in certificate(relation)}
    for switch, came, destination in every_state(relation):
        for port, arrival in following(relation, switch, came, destination):
            if came:
                before, exit_port = network.neighbour(switch, came.port)
                assert numbers[before, exit_port, came.virtual_class] < numbers[switch, port, arrival.virtual_class]


@pytest.mark.parametrize(
    ("kind", "spelling"), [(MinimalRelation, "grid:4x4"), (AdaptiveRelation, "grid:4x4:ring-3"), (DigitRelation, "grid:4x4")]
)
def test_one_class_has_a_cycle(kind, spelling):
    """If the class does not depend on turns, packets wait for each other in a cycle, so several classes are necessary."""
    assert cycle(dependencies(type("OneClass", (kind,), {"goes_up": lambda *_: False})(parse_network(spelling)))) is not None


@every_dsn
def test_a_class_fewer_has_a_cycle(spelling):
    """No assignment of the purposes to one class less is free of cycles, so the order of first fit does not matter."""
    relation = DsnRelation(parse_network(spelling))
    assert cycle(dependencies(relation)) is None
    local = relation.classes.get("local", 1)
    if local == 1 or len(relation.assignment[1]) > 6:
        return
    granularity, _ = relation.assignment
    for groups in partitions(list(relation.assignment[1])):
        if len(groups) == local - 1:
            assert cycle(dependencies(assigned(relation.network, granularity, groups))) is not None


def partitions(items):
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for index in range(len(rest)):
            yield [*rest[:index], [items[0], *rest[index]], *rest[index + 1 :]]


def assigned(network, granularity, groups):
    """The relation of a DSN with a given assignment of purposes to classes."""
    of = {purpose: index for index, group in enumerate(groups) for purpose in group}
    return type("Assigned", (DsnRelation,), {"assignment": (granularity, of)})(network)


@pytest.mark.parametrize(("spelling", "free"), [("grid:4x4", True), ("grid:16x16", True), ("grid:32x2", False)])
def test_known_facts_of_k4x2(spelling, free):
    """One class has a cycle at 4 x 4; one class per phase has none up to 4 levels and one at 32 x 2."""
    network = parse_network(spelling)
    granularity = GRANULARITIES[0]
    purposes = [merged(Purpose(phase, between, False, False), granularity) for phase in range(3) for between in (False, True)]
    by_phase = [[p for p in purposes if p.phase == phase] for phase in range(3)]
    assert cycle(dependencies(assigned(network, granularity, [purposes]))) is not None
    assert (cycle(dependencies(assigned(network, granularity, by_phase))) is None) == free


def test_classes_of_the_usual_sizes():
    """The numbers of classes of local links, as `dsnswitch deadlock` prints them."""
    wanted = {"grid:8x8:k4x2:double": 3, "grid:16x16:k4x2:double": 3}
    wanted |= {"grid:8x8": 3, "grid:16x16": 3, "grid:32x32": 3, "grid:16x16:coc-4x4": 3, "ring:100:ring-7": 5}
    assert {spelling: relation_of(parse_network(spelling)).classes["local"] for spelling in wanted} == wanted


def test_numbering_names_a_cycle():
    with pytest.raises(ValueError, match="3 channels wait") as caught:
        numbering({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    found = caught.value.cycle
    graph = {"a": "b", "b": "c", "c": "a"}
    assert all(graph[one] == other for one, other in zip(found, [*found[1:], found[0]]))
    numbers = numbering({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    assert numbers["a"] < numbers["b"] < numbers["c"]


def test_a_lost_packet_is_an_error():
    class Wanders(DsnRelation):
        def hops(self, switch, arrival, destination):
            return ((0, 0),)

    with pytest.raises(RoutingError, match="0,0 to 1,0 takes more than"):
        Wanders(parse_network("ring:4:ring-3")).route((0, 0), (1, 0))
