"""Forwarding tables of simulated cores: delivery, order, failures, and the update under traffic."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from cores import CORE, FORWARDING, LAYERS, RING, TABLE
from layered import layered

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.ranks import Ranks
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point, SimulationError

KINDS = {
    "ternary": TABLE,
    "direct": LAYERS,
    "forwarding": FORWARDING,
    "turns": CORE
    | {"topology": "torus:5", "flit": 48, "packet": 2, "depth": 4, "lookup": "table", "kind": "direct", "classes": 3},
    "staged": TABLE | {"stages": 2, "hosts": 2},
    "dsn": CORE | {"topology": "grid:2x2:k4x2", "flit": 64, "packet": 3, "lookup": "table", "keys": "folded", "entries": 40},
}
SOME = [pytest.param(name, marks=pytest.mark.regress if name in ("staged", "dsn") else ()) for name in KINDS]


def tables(made, **more):
    parameters = made.manifest["parameters"]
    if parameters.get("layers", 1) > 1 and not more:
        return layered(made.network, parameters["layers"])
    return lookup.tables_for(made.network, parameters, **more)


def hops_of(made, compiled):
    """Switches that a packet passes by the tables, ``[source switch][destination switch]``: a walk of its own."""
    network, found = made.network, np.zeros((made.network.nodes, made.network.nodes), int)
    for source in network.switches():
        for column, end in enumerate(network.terminals()):
            at, count = source, 1
            while at != end:
                at = network.neighbour(at, port_of(network, compiled, at, column))[0]
                count += 1
            found[network.number(source), network.number(end)] = count
    return found


def port_of(network, compiled, at, column):
    number, wiring = network.number(at), compiled.wiring
    action = compiled.tables[number].lookup(int(wiring.keys(wiring.place[number])[column]))
    return action & (1 << compiled.port_bits) - 1


@pytest.mark.parametrize("kind", SOME)
def test_packets_take_the_routes_of_the_tables(core, kind):
    """Alone in the network, every packet takes the cycles of its route; the algorithm is not asked."""
    made = core(KINDS[kind])
    compiled, each, hosts = tables(made), made.latency, len(made.host_ports)
    inputs = {"mode": 1} if kind == "forwarding" else {}
    pairs = [(a, b) for a in range(0, made.hosts, 3) for b in range(made.hosts) if a != b]
    trace = [(10 + 80 * number, *pair, 2) for number, pair in enumerate(pairs)]
    engine = Engine(made, [Point(trace=trace, tables=compiled, log=True, inputs=inputs)])
    engine.run(trace[-1][0] + 100)
    engine.drain()
    log, expected = engine.delivered(0), hops_of(made, compiled)
    assert len(log) == len(pairs)
    for packet in log:
        hops = expected[packet["source"] // hosts, packet["destination"] // hosts]
        assert packet["hops"] == hops
        assert packet["head"] - packet["injected"] == each * hops
        assert packet["tail"] - packet["head"] == 1


def test_layers_are_those_of_the_tables(core):
    """A packet is on the channel of its layer on every link, and both layers are used."""
    made = core(LAYERS)
    compiled = tables(made)
    found = lookup.layers_of(made.network, compiled)
    for number, table in enumerate(compiled.tables):
        actions = table.answers_to(compiled.wiring.keys(compiled.wiring.place[number]))
        assert found[number].tolist() == (actions >> compiled.port_bits).tolist(), number
    layers = set(found.ravel().tolist())
    assert layers >= {0, 1}
    source = int(np.argwhere(found > 0)[0][0])
    for layer in layers:
        # Flits of a single flow are on channels of its layer only, at every switch after the first.
        pairs = [(source, end) for end in range(made.hosts) if end != source and found[source, end] == layer]
        trace = [(10 + 50 * number, *pair, 4) for number, pair in enumerate(pairs)]
        if not trace:
            continue
        engine = Engine(made, [Point(trace=trace, tables=compiled)])
        engine.start_measuring()
        engine.run(trace[-1][0] + 100)
        fill = engine.statistics(0).fill[: len(made.links)]
        assert fill[:, layer].sum() > 0
        assert fill.sum() == pytest.approx(fill[:, layer].sum())


def test_every_pair_of_a_graph_on_layers(core, root):
    """Shortest paths round rings of 5 need two layers. Every packet is on the channels of its own."""
    values = {"topology": f"graph:{root / 'tests/graphs/petersen.edges'}", "flit": 48, "packet": 2, "depth": 4}
    made = core(CORE | values | {"lookup": "table", "kind": "direct", "layers": 2})
    network, compiled = made.network, tables(made)
    graph = nx.Graph((network.number(link.source), network.number(link.target)) for link in network.links())
    distances, layers = dict(nx.all_pairs_shortest_path_length(graph)), lookup.layers_of(network, compiled)
    assert {0, 1} == set(layers.ravel().tolist())
    pairs = [(a, b) for a in range(network.nodes) for b in range(network.nodes)]
    for layer in (0, 1):
        chosen = [pair for pair in pairs if layers[pair] == layer]
        engine = Engine(made, [Point(trace=[(0, *pair, 2) for pair in 20 * chosen], tables=compiled, log=True)])
        engine.start_measuring()
        engine.run(100)
        engine.drain()
        log, fill = engine.delivered(0), engine.statistics(0).fill[: len(made.links)]
        assert sorted((one["source"], one["destination"]) for one in log) == sorted(20 * chosen)
        assert all(one["hops"] == 1 + distances[one["source"]][one["destination"]] for one in log)
        assert fill[:, layer].sum() == fill.sum() > 0


def test_classes_rise_with_turns(core):
    """Flits are on the channels of the classes of a walk of its own: one higher where a packet goes up after it went down."""
    made = core(KINDS["turns"])
    network, compiled = made.network, tables(made)
    up = lookup.ports_up(compiled)
    expected = {}
    for source in network.switches():
        for column, end in enumerate(network.terminals()):
            at, number, entry = source, 0, None
            while at != end:
                port = port_of(network, compiled, at, column)
                mask = up[network.number(at)]
                number += entry is not None and bool(mask >> entry & mask >> port & 1)
                at, entry = network.neighbour(at, port)
                expected.setdefault((network.number(source), network.number(end)), []).append(number)
    assert {max(classes) for classes in expected.values()} >= {0, 1}
    for pair, classes in expected.items():
        engine = Engine(made, [Point(trace=[(0, *pair, 2)] * 20, tables=compiled)])
        engine.start_measuring()
        engine.run(100)
        fill = engine.statistics(0).fill[: len(made.links)]
        assert (fill.sum(axis=0) > 0).tolist() == [number in classes for number in range(fill.shape[1])]


def test_a_core_with_turn_classes_takes_tables_of_fewer(core):
    made = core(KINDS["turns"])
    compiled = lookup.tables_for(made.network, {"lookup": "table", "classes": 1})
    assert compiled.layers == 1
    engine = Engine(made, [Point(load=0.1, tables=compiled)])
    engine.start_measuring()
    engine.run(300)
    fill = engine.statistics(0).fill[: len(made.links)]
    assert fill[:, 0].sum() == fill.sum() > 0


@pytest.mark.parametrize("kind", SOME)
def test_tables_under_load(core, kind):
    """Two points with different tables, beyond saturation: everything arrives in order, and all credits return."""
    made = core(KINDS[kind])
    port = next(port for port, _ in made.network.links_of(made.network.switch(0)))
    broken = [(made.network.switch(0), port.index)]
    points = [Point(load=0.9, tables=tables(made)), Point(load=0.2, failed=broken, tables=tables(made, broken=broken))]
    engine = Engine(made, points)
    engine.start_measuring()
    engine.run(1000)
    engine.drain()
    for number in (0, 1):
        found = engine.statistics(number)
        assert found.offered_packets == found.measured > 100
        assert not any(found.lost.values())
    assert engine.statistics(1).link_flits[0, port.index] == 0


@pytest.mark.parametrize("kind", ["ternary", pytest.param("direct", marks=pytest.mark.regress)])
def test_tables_change_under_traffic(core, kind):
    """From the failure until the new tables packets are lost, and counted; after that nothing is."""
    made = core(KINDS[kind])
    broken = [(made.network.switch(5), 0)]
    first = tables(made)
    engine = Engine(made, [Point(load=0.2, tables=first, lossy=True, ordered=False, log=True)])
    engine.start_measuring()
    engine.run(500)
    engine.fail(0, *broken[0])
    engine.run(500)
    # Tables in layers have no ranks to keep.
    cycles = engine.rewrite({0: tables(made, broken=broken, before=None if first.ranks is None else first)})
    assert 1 <= cycles <= 48
    engine.run(cycles + 100)
    during = engine.statistics(0)
    engine.run(1000)
    engine.drain()
    after = engine.statistics(0)
    assert during.lost["no_route"] > 5
    assert after.lost == during.lost
    assert (
        after.measured + sum(after.lost.values()) == after.offered_packets == len(engine.delivered(0)) + sum(after.lost.values())
    )
    engine.start_measuring()
    assert engine.statistics(0).lost["no_route"] == 0


def test_a_link_that_returns(core):
    """While it is dead, packets are lost; after its return none is, and it carries flits again."""
    made = core(TABLE)
    switch, engine = made.network.switch(5), Engine(made, [Point(load=0.2, tables=tables(made), lossy=True, ordered=False)])
    engine.start_measuring()
    engine.run(200)
    engine.fail(0, switch, 0)
    engine.run(500)
    dead = engine.statistics(0)
    assert dead.lost["no_route"] > 5
    engine.repair(0, *made.network.neighbour(switch, 0))
    engine.run(300)
    engine.drain()
    after = engine.statistics(0)
    assert after.link_flits[5, 0] > dead.link_flits[5, 0]
    assert sum(after.lost.values()) < 2 * dead.lost["no_route"]
    engine.set_load(0, 0.2)
    engine.start_measuring()
    engine.run(300)
    engine.drain()
    assert not any(engine.statistics(0).lost.values())


def test_changes_of_points_do_not_wait_for_each_other(core):
    """Each switch has a write port of its own, so a change takes as long with other points as alone."""
    made = core(KINDS["direct"])
    first, second = tables(made), tables(made, broken=[(made.network.switch(5), 0)])
    alone = Engine(made, [Point(load=0.1, tables=first)])
    cycles = alone.rewrite({0: second})
    both = Engine(made, [Point(load=0.1, tables=first), Point(load=0.1, tables=first)])
    assert [both.rewrite({number: second}) for number in (0, 1)] == [cycles, cycles]
    assert cycles < both.rewrite({0: first}) <= 2 * cycles


def test_tables_of_other_ranks_do_not_follow(core):
    made = core(KINDS["turns"])
    switch = made.network.switch(0)
    first = tables(made)
    engine = Engine(made, [Point(load=0.1, tables=first)])
    wiring, up = first.wiring, first.ranks.up
    reversed_ranks = replace(first, ranks=Ranks(wiring, np.append(~up[:-1], False)))
    with pytest.raises(UsageError, match="Tables that follow others must have the same ranks, but port"):
        engine.rewrite({0: reversed_ranks})
    assert engine.rewrite({0: tables(made, broken=[(switch, 0)], before=first)}) > 0


def test_a_dropped_packet_is_an_error_unless_losses_are_expected(core):
    made = core(TABLE)
    engine = Engine(made, [Point(load=0.2, tables=tables(made))])
    engine.run(100)
    engine.fail(0, made.network.switch(5), 0)
    with pytest.raises(SimulationError, match="the switch reports no_route at port"):
        engine.run(1000)


def test_impossible_tables(core):
    made = core(TABLE)
    with pytest.raises(UsageError, match="A core with lookup by table needs tables for every point"):
        Engine(made, [Point()])
    with pytest.raises(UsageError, match="Tables need 2 layers, more than the 1 of the core"):
        Engine(made, [Point(tables=layered(made.network, 2))])
    other = lookup.tables_for(parse_network("torus:5"), {"lookup": "table"})
    with pytest.raises(UsageError, match="are not those of torus:4x4"):
        Engine(made, [Point(tables=other)])
    with pytest.raises(UsageError, match="A core with lookup by algorithm has no tables"):
        Engine(core(RING), [Point(tables=tables(made))])


def test_entries_that_a_change_needs():
    network, parameters = parse_network("torus:4x4"), {"lookup": "table", "kind": "ternary", "keys": "absolute", "classes": 2}
    first, second = (lookup.tables_for(network, parameters, broken=links) for links in ((), [((0, 0), 0)]))
    one, both = lookup.entries_needed([first]), lookup.entries_needed([first, second])
    assert one == max(len(table.entries) for table in first.tables)
    _, state = lookup.writes(network, parameters | {"entries": both}, first)
    lookup.writes(network, parameters | {"entries": both}, second, state)
    _, state = lookup.writes(network, parameters | {"entries": both - 1}, first)
    with pytest.raises(UsageError, match="a change under traffic needs"):
        lookup.writes(network, parameters | {"entries": both - 1}, second, state)


def test_a_route_of_more_hops_than_a_header_counts():
    """A ring in which a link has failed has longer routes than its own algorithm."""
    tables = lookup.tables_for(parse_network("torus:18"), {"lookup": "table"}, broken=[((0,), 0)])
    core = SimpleNamespace(manifest={"parameters": {}, "header": [{"name": "hops", "bits": [8, 11]}]})
    with pytest.raises(UsageError, match="Tables have routes of 17 links, but a header of this core counts at most 14"):
        Core.check_hops(core, tables)
