"""Adaptive routing in a network of cores: packets choose, and those with the mark ``ordered`` stay in order."""

import numpy as np
import pytest
from cores import CORE, RING
from logs import overtaken

from dsnswitch.net.routing.registry import DIGITS, relation_of
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

#: A core of test_routings.py.
ADAPTIVE = CORE | {"topology": "ring:4:ring-2", "routing": "minimal", "adaptive": True, "flit": 64, "packet": 1, "depth": 2}
#: The same with longer packets.
LONG = {"packet": 4, "depth": 8}
GRID = {"topology": "grid:4x4:ring-3"} | LONG


def run(core, in_order):
    """The log of heavy traffic, in which packets wait."""
    point = Point(load=0.9, in_order=in_order, seed=3, log=True)
    engine = Engine(core, [point])
    engine.start_measuring()
    engine.run(3000)
    engine.drain()
    return engine.delivered(0)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="short"),
        pytest.param({"topology": "grid:4x2:k4x2:double"} | LONG, marks=pytest.mark.regress, id="long"),
    ],
)
def test_only_marked_packets_stay_in_order(core, more):
    made = core(ADAPTIVE | more)
    marked = np.random.default_rng(1).random((made.network.nodes,) * 2) < 0.5
    log = run(made, marked)
    found = overtaken(log)
    assert found
    assert not any(marked[pair] for pair in found)
    assert sum(marked[int(one["source"]), int(one["destination"])] for one in log) > len(log) / 3


def test_waiting_packets_take_the_second_port_of_an_entry(core):
    """By tables of turn classes: every route is a shortest path, and marked packets stay in order."""
    values = {"topology": "jellyfish:n=24,degree=4", "flit": 64, "packet": 2, "depth": 4}
    made = core(CORE | values | {"lookup": "table", "kind": "direct", "classes": 3, "adaptive": True})
    tables = lookup.tables_for(made.network, made.manifest["parameters"])
    distance = tables.wiring.distance[tables.wiring.place][:, tables.wiring.place]
    marked = np.random.default_rng(1).random((made.network.nodes,) * 2) < 0.5
    engine = Engine(made, [Point(load=0.9, in_order=marked, tables=tables, seed=3, log=True)])
    engine.start_measuring()
    engine.run(2000)
    engine.drain()
    log = engine.delivered(0)
    assert all(one["hops"] == 1 + distance[one["source"], one["destination"]] for one in log)
    found = overtaken(log)
    assert found
    assert not any(marked[pair] for pair in found)
    assert sum(marked[int(one["source"]), int(one["destination"])] for one in log) > len(log) / 3


@pytest.mark.parametrize(
    ("more", "share"),
    [
        pytest.param({}, 1 / 16, id="short"),
        pytest.param(GRID, 1 / 8, marks=pytest.mark.regress, id="one-channel"),
        pytest.param(GRID | {"channels": "x=2,y=2", "pool": "x=8,y=8,local=8"}, 1 / 8, marks=pytest.mark.regress, id="pool"),
    ],
)
def test_digits_of_the_source(core, more, share):
    """Heavy traffic drains; every packet takes hops of the relation, and marked ones take its preferred route in order.

    More than a ``share`` of the pairs has routes of several lengths.
    """
    made = core(ADAPTIVE | {"digits": True} | more)
    network = made.network
    relation = relation_of(network, DIGITS)
    marked = np.random.default_rng(1).random((network.nodes,) * 2) < 0.5
    point = Point(load=0.9, in_order=marked, seed=3, log=True)
    engine = Engine(made, [point])
    engine.start_measuring()
    engine.run(3000)
    engine.drain()
    log = engine.delivered(0)
    found = overtaken(log)
    assert found
    assert not any(marked[pair] for pair in found)
    lengths = {}
    for one in log:
        pair = int(one["source"]), int(one["destination"])
        lengths.setdefault(pair, set()).add(int(one["hops"]) - 1)
    several = 0
    for pair, seen in lengths.items():
        ends = tuple(map(network.switch, pair))
        least = len(relation.route(*ends)) if pair[0] != pair[1] else 0
        assert min(seen) >= least
        assert max(seen) <= relation.bound
        assert seen == {least} or not marked[pair]
        several += len(seen) > 1
    assert several > len(lengths) * share


def test_the_mark_is_refused_without_a_choice(core):
    made = core(RING)
    with pytest.raises(ValueError, match="only with adaptive routing"):
        Engine(made, [Point(in_order=np.ones((made.network.nodes,) * 2))])
    with pytest.raises(ValueError, match="8 x 8 switches"):
        Engine(core(ADAPTIVE), [Point(in_order=np.ones(3))])
