"""Routes in two stages in a network of cores: lengths, order of marked packets, and no change to a lightly loaded network."""

from collections import Counter

import numpy as np
import pytest
from cores import CORE
from logs import overtaken

from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

VALUES = {"topology": "hyperx:3x3", "lookup": "table", "kind": "direct", "flit": 64, "packet": 2, "depth": 4, "classes": 3}
INDIRECTLY = CORE | VALUES | {"routing": "indirect"}
DRAGONFLY = {"topology": "dragonfly:a=4,h=2", "hosts": 2, "packet": 2, "depth": 8, "classes": 4}
BY_LOAD = CORE | VALUES | DRAGONFLY | {"routing": "ugal", "threshold": 20}


def run(made, load, in_order=None, cycles=2000, **more):
    tables = lookup.tables_for(made.network, made.manifest["parameters"])
    engine = Engine(made, [Point(load=load, in_order=in_order, tables=tables, seed=3, log=True, **more)])
    engine.start_measuring()
    engine.run(cycles)
    engine.drain()
    return engine.delivered(0), tables


def test_packets_go_over_random_switches(core):
    """Marked packets go straight, in order; the others over any switch, all of them about equally often."""
    made = core(INDIRECTLY)
    marked = np.random.default_rng(1).random((9, 9)) < 0.3
    log, tables = run(made, 0.5, marked)
    distance = tables.wiring.distance[tables.wiring.place][:, tables.wiring.place]
    lengths = {}
    for one in log:
        pair = int(one["source"]), int(one["destination"])
        lengths.setdefault(pair, Counter())[int(one["hops"]) - 1] += 1
    found = overtaken(log)
    assert found
    hops = packets = expected = 0
    for (source, destination), seen in lengths.items():
        if marked[source, destination]:
            assert set(seen) == {distance[source, destination]}
            assert (source, destination) not in found
            continue
        middles = [at for at in range(9) if at != source]
        ways = [int(distance[source, at] + distance[at, destination]) for at in middles]
        assert set(seen) <= set(ways)
        expected += np.mean(ways) * seen.total()
        hops, packets = hops + sum(length * count for length, count in seen.items()), packets + seen.total()
    assert packets > 1000
    assert hops / packets == pytest.approx(expected / packets, rel=0.02)


def test_sources_choose_by_load(core):
    """Nearly all packets go straight at a light load. Where the hosts of a group share one shortest path, many go over others."""
    made = core(BY_LOAD)
    rates, shares = [], []
    shared = {"destinations": (np.arange(72) + 8) % 72}
    for load, marked, more in ((0.05, 0, {}), (1.0, 0, shared), (1.0, 1, shared)):
        log, tables = run(made, load, np.full((36, 36), bool(marked)), 3000, **more)
        distance = tables.wiring.distance[tables.wiring.place][:, tables.wiring.place]
        longer = [one["hops"] - 1 > distance[one["source"] // 2, one["destination"] // 2] for one in log]
        shares.append(np.mean(longer))
        rates.append(2 * sum(1000 <= one["tail"] < 3000 for one in log) / 2000 / 72)
    assert shares[0] < 0.02 < 0.2 < shares[1], shares
    assert shares[2] == 0
    assert not overtaken(log)
    assert rates[1] > 1.5 * rates[2], rates


def test_tables_that_need_more_classes_are_refused(core):
    made = core(INDIRECTLY)
    tables = lookup.compile_tables(made.network)
    with pytest.raises(UsageError, match="Tables need 3 turn classes, more than the 2 of the core"):
        lookup.check_tables(made.network, made.manifest["parameters"] | {"classes": 2}, tables)
