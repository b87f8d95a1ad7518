"""Errors on links: lost heads, marked packets, and nothing else changes."""

import numpy as np
import pytest
from cores import DSN, FORMS, MANY, RING

from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point, SimulationError


def counted(engine, point=0):
    """``(arrived, marked, lost on links)`` of a drained engine."""
    found = engine.statistics(point)
    assert found.measured + found.marked + sum(found.lost.values()) == found.offered_packets
    assert not found.missing
    assert {cause for cause, number in found.lost.items() if number} <= {"link"}
    return found.measured, found.marked, found.lost["link"]


@pytest.mark.parametrize("flits", [1, 4])
def test_how_many_packets_are_hit(core, flits):
    """One link, errors with probability 0.01 per flit: the head of 1 % of the packets, and a later flit of 2.9 %."""
    made = core(RING)
    trace = [(10 * number, 0, 1, flits) for number in range(20_000)]
    engine = Engine(made, [Point(trace=trace, errors=0.01, log=True), Point(trace=trace)])
    engine.start_measuring()
    engine.run(10 * len(trace) + 100)
    engine.drain()
    arrived, marked, lost = counted(engine)
    expected = np.array([0.99**flits, 0.99 - 0.99**flits, 0.01]) * len(trace)
    assert np.all(np.abs(np.array([arrived, marked, lost]) - expected) <= 4 * np.sqrt(expected))
    assert counted(engine, 1) == (len(trace), 0, 0)
    log = engine.delivered(0)
    assert len(log) == arrived
    assert set(log["flits"]) == {flits}
    assert set(log["tail"] - log["injected"]) == {4 + flits - 1}


@pytest.mark.parametrize("isa", FORMS)
@pytest.mark.parametrize("values", [RING, DSN], ids=["ring", "dsn"])
def test_everything_is_accounted_for(core, values, isa):
    """Beyond saturation, with many errors: packets arrive in order, marked or lost, and all credits return."""
    points = [Point(load=load, errors=0.02, delay=delay, seed=delay) for load, delay in ((0.3, 0), (1.0, 3))]
    engine = Engine(core(values, isa), points)
    engine.start_measuring()
    engine.run(2000)
    engine.drain()
    for number in (0, 1):
        assert all(count > 10 for count in counted(engine, number))


def test_errors_in_joined_words(core):
    """Credits and notices of lost packets cross words; threads change nothing."""
    found = []
    for threads in (1, 2):
        engine = Engine(core(MANY, "generic"), [Point(load=0.05, errors=0.01)], threads=threads)
        engine.start_measuring()
        engine.run(500)
        engine.drain()
        found.append(counted(engine))
    assert found[0] == found[1]
    assert all(count > 10 for count in found[0])


def test_a_point_does_not_depend_on_others(core):
    made = core(RING)
    point = Point(load=0.4, errors=0.03, seed=5, log=True)
    logs = []
    for points, number in (([point], 0), ([Point(load=0.2, errors=0.3)] * 130 + [point], 130)):
        engine = Engine(made, points)
        engine.run(1000)
        engine.drain()
        logs.append(engine.delivered(number).tolist())
    assert logs[0] == logs[1]


def test_a_mark_without_errors_is_noticed(core):
    made = core(RING)
    engine = Engine(made, [Point(load=0.8)])
    engine.run(100)
    row = made.layout.outputs["host_0_tx_flit"][64 + 2] + engine.cycle % 2 * made.layout.flops
    engine._rows[0][row] = 255
    with pytest.raises(SimulationError, match="flits of packets are mixed, unmarked or marked bad at host"):
        engine.run(20)


def test_impossible_errors(core):
    with pytest.raises(ValueError, match=r"Probability of errors must be in 0..0.5, not 0.6"):
        Engine(core(RING), [Point(errors=0.6)])
