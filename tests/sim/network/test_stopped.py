"""A network that stops names the channels that wait for each other."""

import pytest
from cores import CORE

from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.lookup import tables_for
from dsnswitch.sim.network.engine.points import NetworkStopped, Point

RING = CORE | {"topology": "torus:5", "flit": 40, "packet": 4, "depth": 4}
RING |= {"lookup": "table", "kind": "direct", "layers": 2}


def forward_tables(made, layer=0):
    """Tables of a ring that always lead forward, on one layer: the textbook's deadlock."""
    good = tables_for(made.network, made.manifest["parameters"])
    width, bits, found = good.wiring.width, good.port_bits, []
    for switch, old in enumerate(good.tables):
        entries = [Entry(n, width, layer << bits | (good.arrived if n == switch else 0)) for n in range(made.network.nodes)]
        found.append(Table(old.name, width, tuple(map(str, range(16))), tuple(entries)))
    return Tables(good.wiring, "given", 2, found)


@pytest.mark.parametrize("layer", [0, 1])
def test_a_ring_with_one_class_stops(core, layer):
    """Every switch sends a packet two links forward, and each fills the next buffer: all five channels, in order of waiting."""
    made = core(RING)
    points = [Point(load=0), Point(trace=[(10, n, (n + 2) % 5, 4) for n in range(5)])]
    for point in points:
        point.tables = forward_tables(made, layer)
    engine = Engine(made, points)
    with pytest.raises(NetworkStopped) as caught:
        engine.run(10_000)
    channels = caught.value.channels
    # The buffer of a forward channel is at the backward port of the next switch.
    assert {(port, channel) for _, port, channel in channels} == {(1, layer)}
    first = channels[0][0]
    assert [switch for switch, _, _ in channels] == [(first + n) % 5 for n in range(5)]
    names = [f"{(first - 1 + n) % 5} dim0_forward channel {layer}" for n in range(6)]
    # Three cycles of the head in a switch, and three flits after it.
    assert str(caught.value).startswith("Point 1: 5 packets are in the network, and none has moved since cycle 16; ")
    assert str(caught.value).endswith(f"; these channels wait for each other: {' > '.join(names)}")
    assert (caught.value.point, caught.value.cycle) == (1, 16)


def test_silence_is_no_stop(core):
    """Packets that have just entered an empty network are noticed as moving, however long nothing has moved before."""
    made = core(RING)
    good = tables_for(made.network, made.manifest["parameters"])
    engine = Engine(made, [Point(trace=[(5000, 0, 1, 4), (9000, 0, 1, 4)], tables=good)])
    for cycle in (4998, 8998):
        engine.run(cycle - engine.cycle)
        for _ in range(8):
            engine.run(1)
    engine.drain()


def test_the_right_tables_do_not_stop(core):
    made = core(RING)
    good = tables_for(made.network, made.manifest["parameters"])
    engine = Engine(made, [Point(trace=[(10, n, (n + 2) % 5, 4) for n in range(5)], tables=good)])
    engine.run(5000)
    engine.drain()
