"""Sources of a network in which single flits and longer packets compete: each gets through, and the longest wait is reported."""

import numpy as np
import pytest

from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

#: Hosts that send single flits, as a mask, of networks in which heads waited for ever when an output served the input channels by
#: one order of groups.
SINGLE = (0b10111111, 0b11000001, 0b11001100, 0b11011101, 0b11011111, 0b11110000, 0b11111111)


def run(core, masks, cycles=3000, offers=None):
    """Statistics of rings of four switches, two hosts each: host i sends to host i + 4 all the time, or in the first cycles."""
    made = core({"block": "switch-core", "topology": "torus:4", "hosts": 2, "flit": 64, "packet": 4, "channels": "2"})
    points = []
    for mask in masks:
        lengths = [1 if mask >> host & 1 else 4 for host in range(8)]
        packets = [(np.arange(0, offers or cycles, flits), host, flits) for host, flits in enumerate(lengths)]
        rows = [(cycle, host, (host + 4) % 8, flits) for times, host, flits in packets for cycle in times]
        points.append(Point(trace=np.array(sorted(rows))))
    engine = Engine(made, points)
    for number in range(len(points)):
        engine.start_measuring(number)
    engine.run(cycles)
    return [engine.statistics(number) for number in range(len(points))]


@pytest.mark.parametrize("masks", [SINGLE, pytest.param(range(256), marks=pytest.mark.regress)], ids=["some", "all"])
def test_every_source_gets_through(core, masks):
    """A head waits for a bounded number of packets. Each switch of the ring halves the share of those that come a longer way."""
    for statistics in run(core, masks):
        assert statistics.source_flits.min() > 20
        assert 0 < statistics.longest_wait < 200


def test_the_longest_wait_counts_cycles_without_a_flit(core):
    """A buffer that holds flits and sends none waits; an empty one does not."""
    assert run(core, [0], 100, offers=1)[0].longest_wait == 0
