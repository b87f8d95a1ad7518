"""Tori with bubbles under full load: nothing stops, and all packets arrive. With one class and no bubbles, they stop."""

import pytest
from cores import CORE

from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Burst, Point

#: Rings of five and of four, with the shortest buffers. Packets of one flit wait for whole buffers, too.
TORI = {
    "ring": CORE | {"topology": "torus:5", "routing": "bubble", "flit": 40, "packet": 4, "depth": 5},
    "one-flit": CORE | {"topology": "torus:8", "routing": "bubble", "flit": 40, "packet": 1, "depth": 2},
    "grid": CORE | {"topology": "torus:6x4", "routing": "bubble", "flit": 40, "packet": 4, "depth": 6},
    "channels": CORE
    | {"topology": "torus:7x3x4", "routing": "bubble", "flit": 48, "packet": 3, "depth": 4, "channels": "2", "hosts": 2},
    "virtual-networks": CORE
    | {"topology": "torus:5x4", "routing": "bubble", "flit": 40, "packet": 2, "depth": 3, "virtual_networks": 2, "age": 1},
}
CASES = [pytest.param(name, marks=() if name == "ring" else pytest.mark.regress) for name in TORI]


@pytest.mark.parametrize("name", CASES)
def test_a_full_torus_goes_on_and_drains(core, name):
    """Packets of one flit, of the longest, and of mixed lengths; uniform, and to the opposite switch, which fills every ring."""
    made, longest = core(TORI[name]), TORI[name]["packet"]
    hosts = made.hosts
    opposite = [(host + hosts // 2 - 1) % hosts for host in range(hosts)]
    lengths = [{1: 1}, {longest: 1}, {1: 0.7, longest: 0.3} if longest > 1 else {1: 1}]
    points = [
        Point(load=1.0, lengths=flits, destinations=to, seed=seed, delay=delay, burst=burst, log=True)
        for seed, flits in enumerate(lengths)
        for to in (None, opposite)
        for delay, burst in ((0, None), (3, Burst(20, 10)))
    ]
    engine = Engine(made, points)
    engine.start_measuring()
    engine.run(3000)
    engine.stop_measuring()
    engine.drain(withdrawn=range(len(points)))
    for number in range(len(points)):
        found = engine.statistics(number)
        assert not found.missing
        assert found.measured == len(engine.delivered(number)) == found.injected_packets
        assert found.measured > 50 * hosts
        assert engine.in_flight(number) == 0


def test_the_traffic_that_stops_a_ring_without_bubbles(core):
    """Every switch sends packets two links forward at once, as in test_stopped.py, where one class of tables stops."""
    engine = Engine(core(TORI["ring"]), [Point(trace=[(10, n, (n + 2) % 5, 4) for n in range(5)] * 20, log=True)])
    engine.run(2000)
    engine.drain()
    assert len(engine.delivered(0)) == 100
