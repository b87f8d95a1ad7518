"""Warm-up, saturation and confidence with engines that follow formulas, and a small real network with exact cycles."""

import math

import numpy as np
import pytest
from cores import CUBE

from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Burst, Point, SimulationError, Statistics
from dsnswitch.sim.network.experiment import results
from dsnswitch.sim.network.experiment.measure import Rules, complete, measure, saturation, slowest, together
from dsnswitch.sim.network.workload.patterns import pattern

FAST = Rules(cycles=2000)


class Fake:
    """An engine whose points accept loads up to a capacity, and have a latency that is a function of load and cycle."""

    class core:
        hosts = 100
        present = np.ones(hosts, bool)
        manifest = {"parameters": {"packet": 4}}  # noqa: RUF012

    def __init__(self, points, capacity=0.3, latency=None, late=0):
        self.points, self.cycle, self.capacity, self.late = points, 0, capacity, late
        self.latency = latency or (lambda load, cycle: 10 if load <= capacity else 10 + cycle)
        self.begins, self.ends, self.drained = [0] * len(points), [None] * len(points), False

    def run(self, cycles):
        assert cycles > 0
        self.cycle += cycles

    def start_measuring(self, point):
        self.begins[point] = self.cycle

    def stop_measuring(self, point):
        self.ends[point] = self.cycle

    def drain(self, most, withdrawn):
        self.drained, self.withdrawn = True, withdrawn

    def statistics(self, point):
        load, begin = self.points[point].load, self.begins[point]
        end = self.cycle if self.ends[point] is None else self.ends[point]
        offered = round(load * 100 * (end - begin))
        delivered = round(min(load, self.capacity) * 100 * (end - begin))
        steps = range(begin, end, 100)
        each = delivered // 4 / max(1, len(steps))
        total = sum(self.latency(load, cycle) * each for cycle in steps)
        missing = self.late if self.ends[point] is not None and self.cycle < end + 500 else 0
        none = np.zeros(3, int)
        return Statistics(
            cycles=end - begin,
            hosts=100,
            offered_packets=offered // 4,
            offered_flits=offered,
            injected_packets=delivered // 4,
            injected_flits=delivered,
            delivered_packets=delivered // 4,
            delivered_flits=delivered,
            **dict.fromkeys(("head", "tail", "queued_head", "queued_tail"), none),
            sums={"queued_tail": total, "tail": total},
            greatest={"queued_tail": 9},
            hops=none,
            measured=delivered // 4,
            missing=missing,
            link_flits=none,
            source_flits=np.full(100, delivered / 100),
            destination_flits=none,
            fill=none,
        )


def test_a_stable_point():
    """Three windows are the shortest warm-up; then the measurement takes its cycles, and all is drained."""
    engine = Fake([Point(load=0.2)])
    (found,) = measure(engine, FAST)
    # 2,000 packets of 4 flits take 400 cycles, and a window has 500 at least.
    assert (found.saturated, found.warm_up, found.statistics.cycles) == (False, 1500, 2000)
    assert (found.offered, found.accepted) == (pytest.approx(0.2), pytest.approx(0.2))
    assert found.batches == pytest.approx([10] * 10)
    assert found.confidence == pytest.approx(0)
    assert engine.drained
    assert engine.withdrawn == []


def test_warm_up_waits_for_the_latency():
    """The latency falls from 100 to 10 during 1,800 cycles, and the middle third must be behind them."""
    engine = Fake([Point(load=0.2)], latency=lambda load, cycle: max(10, 100 - cycle / 20))
    (found,) = measure(engine, FAST)
    assert not found.saturated
    assert 3500 <= found.warm_up <= 5500
    assert found.batches == pytest.approx([10] * 10)


@pytest.mark.parametrize(
    ("capacity", "latency"), [(0.19, None), (0.3, lambda load, cycle: 10 + cycle / 10)], ids=["accepts 95 %", "latency grows"]
)
def test_a_saturated_point(capacity, latency):
    """It is measured too; its source queues are not drained, but the network is."""
    engine = Fake([Point(load=0.2)], capacity, latency)
    (found,) = measure(engine, FAST)
    assert found.saturated
    assert found.accepted == pytest.approx(min(0.2, capacity))
    assert found.statistics.cycles == 2000
    assert engine.withdrawn == [0]


def test_two_windows_above_the_limit_are_enough():
    """A network far beyond saturation does not take the longest warm-up; --warm-up shortens that of any."""
    (found,) = measure(Fake([Point(load=1.0)]), FAST)
    assert found.saturated
    assert found.warm_up == 1500
    (found,) = measure(Fake([Point(load=0.2)], latency=lambda load, cycle: cycle + 1), Rules(cycles=2000, warm_up=1000))
    assert found.saturated
    assert found.warm_up == 1000


def test_a_point_does_not_depend_on_others():
    loads = (0.02, 0.2, 0.29, 0.5)
    alone = [measure(Fake([Point(load=load)]), FAST)[0] for load in loads]
    both = measure(Fake([Point(load=load) for load in loads]), FAST)
    for one, other in zip(alone, both, strict=True):
        assert (one.warm_up, one.saturated, one.batches) == (other.warm_up, other.saturated, other.batches)
        assert one.statistics.cycles == other.statistics.cycles == 2000


def test_late_packets_are_waited_for():
    engine = Fake([Point(load=0.2)], late=3)
    (found,) = measure(engine, FAST)
    assert found.statistics.missing == 0
    assert engine.cycle == 1500 + 2000 + 500
    engine = Fake([Point(load=0.2)], late=3)
    engine.statistics = lambda point, old=engine.statistics: old(point) if engine.ends[0] is None else lost(old(point))

    def lost(statistics):
        statistics.missing = 2
        return statistics

    with pytest.raises(SimulationError, match="2 packets of point 0 have not arrived"):
        measure(engine, FAST)


def test_events():
    """They happen at the beginning of their cycles."""
    seen = []
    events = [(cycle, lambda engine, cycle=cycle: seen.append((cycle, engine.cycle))) for cycle in (1777, 0, 1234)]
    measure(Fake([Point(load=0.2)]), FAST, events=events)
    assert seen == [(0, 0), (1234, 1234), (1777, 1777)]


@pytest.mark.parametrize("capacity", [0.003, 0.086, 0.253, 0.7, 0.999])
@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_saturation(capacity, at_once):
    """*over* is the capacity, and *stable* at most 2 % above it: of such a load 98 % is accepted."""
    asked = []

    def make(loads):
        asked.append(len(loads))
        return Fake([Point(load=load) for load in loads], capacity, lambda load, cycle: 10)

    found = saturation(make, at_once, Rules(cycles=1000, packets=10))
    assert found.over == pytest.approx(capacity, abs=1e-3)
    slack = 0.01  # Packets in flight.
    assert capacity - 0.005 - 1e-3 <= found.stable <= capacity / 0.98 + slack + 0.005
    assert {*asked} <= {1, at_once}
    assert [load for load, *_ in found.tried] == sorted(load for load, *_ in found.tried)
    assert found.slowest == pytest.approx(1)


def test_a_network_without_saturation():
    found = saturation(lambda loads: Fake([Point(load=load) for load in loads], 1.0), 2, FAST)
    assert (found.over, found.stable) == (1, 1)


def test_latency_above_the_limit_is_not_stable():
    """The network accepts everything, but takes 500 cycles above 0.4."""
    found = saturation(
        lambda loads: Fake([Point(load=load) for load in loads], 1.0, lambda load, cycle: 500 if load > 0.4 else 9), 4, FAST
    )
    assert found.stable == pytest.approx(0.4, abs=0.005)


def test_points_that_share_a_word():
    assert [together(nodes) for nodes in (8, 64, 128, 200, 256, 512, 2048)] == [8, 8, 4, 2, 2, 1, 1]
    assert together(512, 2) == 2


# A real network: a cube of 8 switches.


@pytest.fixture
def cube(core):
    return core(CUBE)


@pytest.mark.regress
def test_cores_that_speculate(core):
    """Without lines, each flit counts in the cycle in which it arrives."""
    test_one_flow_has_exact_cycles(core(CUBE | {"speculate": "on"}), 0)


@pytest.mark.parametrize("delay", [0, 3])
def test_one_flow_has_exact_cycles(cube, delay):
    """From corner to corner: 4 switches of 2 cycles, 3 links, and 3 more flits. Seven of eight hosts are silent."""
    table = np.full(8, -1)
    table[0] = 7
    point = Point(load=0.02, destinations=table, delay=delay)
    (found,) = measure(Engine(cube, [point]), FAST)
    row = results.point_row(cube, point, found)
    assert row["latency"]["tail"]["median"] == 4 * 2 + 3 * delay + 3
    assert row["latency"]["head"]["median"] == 4 * 2 + 3 * delay
    assert row["zero_load"]["latency"] == 4 * 2 + 3 * delay + 3
    assert row["hops"] == {"mean": 3, "max": 3, "histogram": [0, 0, 0, row["packets"]]}
    assert (row["senders"], row["saturated"], row["missing"]) == (1, False, 0)
    loaded = [(one["from"], one["to"]) for one, load in zip(results.link_rows(cube), row["links"], strict=True) if load]
    assert loaded == [("0,0,0", "1,0,0"), ("1,0,0", "1,1,0"), ("1,1,0", "1,1,1")]
    assert [load for load in row["links"] if load] == pytest.approx([row["accepted"]] * 3, abs=0.005)


def test_zero_load_identity(cube):
    """At a very low load the mean latency is that of the identity, for mixed packet lengths and a delay."""
    point = Point(load=0.004, delay=2, lengths={4: 1.0}, seed=5)
    (found,) = measure(Engine(cube, [point]), Rules(cycles=20_000))
    row = results.point_row(cube, point, found)
    assert row["latency"]["tail"]["mean"] == pytest.approx(row["zero_load"]["latency"], abs=0.05)
    assert row["latency"]["tail"]["mean"] >= row["zero_load"]["latency"] - 1e-6
    assert row["hops"]["mean"] == pytest.approx(12 / 7, rel=0.1)


def test_saturation_of_the_cube(cube):
    """All packets of bit complement cross each of the three dimensions once, so that each link has the load of one host."""
    attributes = pattern("bit-complement", cube.network, 1, 4)
    found = saturation(lambda loads: Engine(cube, [Point(load=load, **attributes) for load in loads]), together(8), FAST)
    assert 0.5 < found.over <= 1
    assert found.stable <= found.over * 1.02 + 0.01


def test_hot_spot_is_unfair(cube):
    """All hosts send to host 0, which takes one flit per cycle: the network saturates, and the sum is 1."""
    table = np.array([-1] + [0] * 7)
    (found,) = measure(Engine(cube, [Point(load=0.5, destinations=table)]), FAST)
    assert found.saturated
    assert found.accepted * 7 == pytest.approx(1, abs=0.03)
    assert slowest(found) <= 1


def test_bursts_wait_longer(cube):
    points = [Point(load=0.2), Point(load=0.2, burst=Burst(50, 200))]
    steady, bursty = measure(Engine(cube, points), Rules(cycles=5000))
    assert bursty.statistics.mean("queued_tail") > steady.statistics.mean("queued_tail")
    assert bursty.confidence > steady.confidence


def test_completion(cube):
    """One packet takes 11 cycles from corner to corner; a second one 4 more; an exchange at least its serialisation."""
    one = Point(trace=np.array([[250, 0, 7, 4]]), log=True)
    two = Point(trace=np.array([[0, 0, 7, 4], [0, 0, 7, 4]]), log=True)
    every = Point(log=True, **pattern("all-to-all:8", cube.network, 1, 4))
    found = complete(Engine(cube, [one, two, every]))
    assert [found[0].cycles, found[1].cycles] == [11, 15]
    assert found[2].cycles >= 7 * 8
    assert found[2].statistics.measured == 8 * 7 * 2
    assert list(found[0].senders) == [True] + [False] * 7
    row = results.completed_row(cube, every, found[2])
    assert row["completion"] == found[2].cycles
    # Half of all packets cross each dimension.
    total = sum(row["links"]) * found[2].cycles
    assert total == pytest.approx(8 * 8 * 12, rel=1e-4)


def test_confidence():
    (found,) = measure(Fake([Point(load=0.2)]), FAST)
    found.batches = [10, 12] * 5
    assert found.confidence == pytest.approx(2.262 * math.sqrt(10 / 9) / math.sqrt(10))


def test_saturated_during_the_measurement():
    """The network accepts half as much after the warm-up."""
    (found,) = measure(Fake([Point(load=0.2)]), FAST, events=[(1600, lambda engine: setattr(engine, "capacity", 0.1))])
    assert found.saturated
    assert found.warm_up == 1500
