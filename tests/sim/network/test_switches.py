"""Switches that leave a network and join it under traffic: their links die and return, and tables of the same ranks are written.

At random, as links do in ``test_changes``; and switch by switch, as a network grows by the plan of ``dsnswitch expand``.
"""

import numpy as np
import pytest
from changes import GRAPHS, SIZES, core_values, run
from cores import CORE

from dsnswitch.net.messages import UsageError
from dsnswitch.net.plan.plan import expand
from dsnswitch.net.tables.absent import reaching
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point


def links_of(network, away):
    """The links, each at one end, of the switches ``away``."""
    return {(link.source, link.port) for link in network.links() if link.source in away or link.target in away}


CASES = [("torus", "direct", 6), *((graph, "direct", 100) for graph in GRAPHS), ("torus", "ternary", 100)]


@pytest.mark.parametrize(
    ("graph", "kind", "count"), [pytest.param(*case, marks=() if case[2] < 100 else pytest.mark.regress) for case in CASES]
)
def test_switches_leave_and_join_under_traffic(core, graph, kind, count):
    """Nothing stops; every lost packet met a dead port, or had no further class: ``no_route``. All are counted."""
    values, first, changes = core_values(graph, kind, 3, lambda network: list(network.switches()), links_of, 2, count)
    made = core(values)
    for pauses in (True, False):
        found = run(made, values, first, changes, pauses)
        # A tenth of the switches are away. Packets to them are lost, and those over them until new tables are written.
        assert 0 < found.lost["no_route"] < 0.4 * found.offered_packets
        assert {cause for cause, number in found.lost.items() if number} == {"no_route"}


GROWTHS = [("grid:1x2:ring-3", "grid:2x2:ring-3"), ("grid:2x2:k4x2", "grid:2x4:k4x2"), ("dsn-f:24", "dsn-f:31")]


@pytest.mark.regress
@pytest.mark.parametrize(("small", "large"), GROWTHS)
def test_a_network_grows_and_shrinks_under_traffic(core, small, large):
    """Switches join, one after another, then leave again: packets of the others pass no absent switch, and none is lost."""
    plan = expand(parse_network(small), parse_network(large))
    assert not plan.remove
    network, old = plan.after, set(plan.moved.values())
    values = SIZES | {"topology": network.spelling, "kind": "direct"}
    whole = lookup.tables_for(network, values)
    # Mixtures of old and new routes turn more often than either.
    values |= {"classes": whole.layers + 3}
    new = [switch for switch in network.switches() if switch not in old]
    numbers = np.array([network.number(switch) for switch in new])
    made = core(CORE | values)

    def tables(away):
        return lookup.tables_for(network, values, sorted(links_of(network, away)), before=whole) if away else whole

    some = np.array([switch in old for switch in network.switches()])
    away = set(new)
    # Ranks are those of all switches. Packets of the old ones alone, and of all that are there.
    common = {"load": 0, "tables": whole, "failed": tuple(sorted(links_of(network, away))), "lossy": True, "ordered": False}
    engine = Engine(made, [Point(weights=some.astype(float), sources=some, **common), Point(**common)])

    def change(before, after):
        """From the switches ``before`` that are away to those ``after``: tables lead to live links only."""
        dead, left = links_of(network, before), links_of(network, after)
        for point in (0, 1):
            for link in sorted(dead - left):
                engine.repair(point, *link)
        engine.run(engine.rewrite(dict.fromkeys((0, 1), tables(after))) + 300)
        for point in (0, 1):
            for link in sorted(left - dead):
                engine.fail(point, *link)

    def measured(cycles):
        engine.start_measuring(1)
        engine.run(cycles)
        return engine.statistics(1)

    engine.run(engine.rewrite(dict.fromkeys((0, 1), tables(away))))
    engine.start_measuring()
    for point in (0, 1):
        engine.set_load(point, 0.2)
    found = measured(500)
    assert not found.link_flits[numbers].any()
    assert found.lost["no_route"] > 50
    for switch in new:
        change(away, away - {switch})
        away.remove(switch)
    # Packets that were sent before have arrived, or were lost.
    engine.run(300)
    found = measured(1000)
    assert found.link_flits[numbers].any(axis=1).all()
    assert found.destination_flits[numbers].all()
    assert not any(found.lost.values())
    for switch in reversed(new):
        change(away, away | {switch})
        away.add(switch)
    engine.run(300)
    found = measured(300)
    assert not found.link_flits[numbers].any()
    assert {cause for cause, number in found.lost.items() if number} == {"no_route"}
    engine.drain()
    found = engine.statistics(0)
    assert found.delivered_packets == found.offered_packets > 500
    assert not any(found.lost.values())


def test_hosts_of_a_switch_without_links_send_nothing(core):
    """Until a link returns; and those of other switches send as before."""
    values = SIZES | {"topology": GRAPHS["torus"], "kind": "direct", "classes": 3}
    made = core(values)
    network, away = made.network, {(1, 2)}
    links, number = sorted(links_of(network, away)), network.number((1, 2))
    engine = Engine(made, [Point(load=0.3, tables=lookup.tables_for(network, values), lossy=True, ordered=False)])

    def sent(cycles):
        engine.start_measuring()
        engine.run(cycles)
        return engine.statistics(0)

    for link in links[1:]:
        engine.fail(0, *link)
    assert sent(400).link_flits[number].sum() > 0
    engine.fail(0, *links[0])
    engine.run(200)
    offered = engine.queued(0)
    found = sent(400)
    assert found.link_flits[number].sum() == 0
    assert found.offered_flits == pytest.approx(15 * 0.3 * 400, rel=0.15), offered
    engine.repair(0, *links[0])
    assert sent(400).link_flits[number].sum() > 0
    engine.stop()
    engine.fail(0, *links[0])
    engine.repair(0, *links[0])
    assert sent(400).offered_packets == 0


def test_a_switch_that_has_left_is_a_leaf_of_the_routes():
    """It keeps one link, up by the ranks before; a group of them hangs together; a network in parts is still refused."""
    network = parse_network("torus:4x4")
    before = lookup.tables_for(network, SIZES | {"topology": "torus:4x4"})
    away = {(1, 1), (1, 2)}
    links = links_of(network, away)
    assert reaching(network, [((1, 1), (1, 2))]) == (((1, 1), 2),)
    left = links - set(reaching(network, sorted(links), before))
    assert (len(links), len(left)) == (7, 2)
    up = before.ranks.up
    known = {(int(before.wiring.number[s]), int(p)): u for s, p, u in zip(before.wiring.source, before.wiring.port, up)}
    for switch, port in left:
        end, back = network.neighbour(switch, port)
        one = (switch, port) if switch in away else (end, back)
        assert known[network.number(one[0]), one[1]] or not any(
            known[network.number(one[0]), other.index] for other, at in network.links_of(one[0]) if at[0] not in away
        )
    inner = {(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (3, 0)}
    hanging = links_of(network, inner) - set(reaching(network, sorted(links_of(network, inner))))
    assert len(hanging) == len(inner)
    halves = links_of(network, {(0, at) for at in range(4)}) | links_of(network, {(2, at) for at in range(4)})
    apart = [link for link in halves if network.neighbour(*link)[0][0] != link[0][0]]
    with pytest.raises(UsageError, match="is not connected, it has 4 parts"):
        lookup.tables_for(network, SIZES | {"topology": "torus:4x4"}, broken=apart)
