"""Adaptive routing in a network of cores: packets choose, and those with the mark ``ordered`` stay in order."""

import numpy as np
import pytest

from dsnswitch.net.simulate.engine import Engine
from dsnswitch.net.simulate.points import Point

#: The cores of test_routings.py.
VALUES = {
    "block": "switch-core",
    "topology": "grid:2x3:ring-3",
    "routing": "minimal",
    "flit": 64,
    "packet": 1,
    "depth": 2,
}
ADAPTIVE = VALUES | {"adaptive": True}


def overtaken(log, number):
    """Pairs of hosts whose packets do not arrive in the order in which they entered the network."""
    last, found = {}, set()
    for one in log:
        pair = int(one["source"]), int(one["destination"])
        if last.setdefault(pair, -1) > int(one["injected"]):
            found.add(pair)
        last[pair] = max(last[pair], int(one["injected"]))
    return found


def run(core, in_order, **more):
    """The log of heavy traffic to few hosts, in which packets wait."""
    point = Point(load=0.9, in_order=in_order, seed=3, log=True, **more)
    engine = Engine(core, [point])
    engine.start_measuring()
    engine.run(3000)
    engine.drain()
    return engine.delivered(0)


def test_only_marked_packets_stay_in_order(core):
    made = core(ADAPTIVE)
    marked = np.random.default_rng(1).random((made.network.nodes,) * 2) < 0.5
    log = run(made, marked)
    found = overtaken(log, made)
    assert found
    assert not any(marked[pair] for pair in found)
    assert sum(marked[int(one["source"]), int(one["destination"])] for one in log) > len(log) / 3


def test_the_mark_is_refused_without_a_choice(core):
    made = core(VALUES)
    with pytest.raises(ValueError, match="only with adaptive routing"):
        Engine(made, [Point(in_order=np.ones((made.network.nodes,) * 2))])
    with pytest.raises(ValueError, match="18 x 18 switches"):
        Engine(core(ADAPTIVE), [Point(in_order=np.ones(3))])
