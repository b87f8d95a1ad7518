"""Proofs for outputs with several virtual networks: who is granted, and for how long a head waits."""

import pytest

from dsnswitch.hdl.core.network_arbiter import NetworkArbiter
from dsnswitch.hdl.core.output_port import Allocator
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network

from .network_monitors import (
    FreeServiceMonitor,
    LevelMonitor,
    NetworkAllocatorMonitor,
    NetworkArbiterMonitor,
    NetworkWaitingMonitor,
    ServiceMonitor,
)

#: Inputs and channels of virtual networks.
TWO = ([(0, 2), (1, 3)], [[0], [1]])
UNEVEN = ([(0, 2, 3), (1, 4)], [[0, 1], [2]])
THREE = ([(0, 3), (1, 4), (2,)], [[0], [1], [2]])


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("sizes", [TWO, UNEVEN, pytest.param(THREE, marks=pytest.mark.prove)])
def test_arbiter(induct, sizes, speculative):
    proved, log = induct(NetworkArbiterMonitor(*sizes, speculative))
    assert proved, log


def shape(packet, depth, **more):
    """Two virtual networks, each with a channel on each of two ports."""
    return CoreShape(parse_network("torus:2"), flit=32, packet=packet, depth=depth, virtual_networks=2, **more)


#: Weights, levels, flits of a longest packet.
SERVICES = [
    ((), (), 1),
    ((1, 1, 1), (), 1),
    ((2, 1, 1), (), 1),
    ((1, 3, 2), (), 1),
    ((2, 1, 1), (), 2),
    ((1, 1, 2), (0, 0, 1), 1),
    ((), (1, 0, 1), 1),
]


@pytest.mark.parametrize(("weights", "levels", "unit"), SERVICES)
@pytest.mark.parametrize("asking", range(3))
def test_nothing_starves_within_a_level(induct, weights, levels, unit, asking):
    """From any state: the induction is longer than the bound."""
    monitor = ServiceMonitor([(0,), (1,), (2,)], [[0], [1], [2]], asking, weights, levels, unit)
    proved, log = induct(monitor, 24)
    assert proved, log


@pytest.mark.parametrize("most", [1, pytest.param(2, marks=pytest.mark.prove)])
def test_nothing_starves_with_free_weights(induct, most):
    """Whatever is written in any cycle, also a weight of 0."""
    proved, log = induct(FreeServiceMonitor([(0,), (1,), (2,)], [[0], [1], [2]], 1, most), 24)
    assert proved, log


@pytest.mark.parametrize("levels", [(0, 1, 0), (2, 0, 1)])
def test_higher_levels_come_first(induct, levels):
    proved, log = induct(LevelMonitor([(0, 3), (1,), (2,)], [[0], [1], [2]], levels))
    assert proved, log


@pytest.mark.parametrize("packet", [1, 2])
def test_a_packet_that_was_passed_goes_on(bounded, packet):
    """With priorities a packet may wait in its middle: no channel carries two packets at a time then either."""
    proved, log = bounded(NetworkAllocatorMonitor(shape(packet, 2, priorities=(0, 1))), 8)
    assert proved, log


def test_a_packet_goes_on_with_free_levels(bounded):
    """Levels change in any cycle."""
    proved, log = bounded(NetworkAllocatorMonitor(shape(2, 2, free_weights=True)), 8)
    assert proved, log


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("packet", [1, 2])
def test_packets_stay_in_their_virtual_network(bounded, packet, speculative):
    """And no flit leaves without a credit, and each output channel carries one packet at a time; for 8 cycles after reset."""
    proved, log = bounded(NetworkAllocatorMonitor(shape(packet, 2), speculative), 8)
    assert proved, log


@pytest.mark.parametrize(("packet", "depth"), [(2, 3), pytest.param(1, 2, marks=pytest.mark.prove)])
def test_no_head_waits_for_ever(induct, packet, depth):
    proved, log = induct(NetworkWaitingMonitor(shape(packet, depth)), 6)
    assert proved, log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A virtual network that is granted does not go to the end of the order.
        ("served[number].eq(arbiter.grant.any())", "served[number].eq(0)"),
        # A packet that goes on does not keep other virtual networks out.
        ("Mux((keeps & same).any(), keeps[number], wins)", "wins"),
    ],
)
def test_broken_arbiter_is_noticed(induct, mutant, old, new):
    proved, log = induct(NetworkArbiterMonitor(*TWO, kind=mutant(NetworkArbiter, "elaborate", old, new)))
    assert not proved
    assert "proof did fail" in log


def test_broken_service_is_noticed(induct, bounded, mutant):
    """Budgets that are never refilled, levels that do not pass what is kept, and a channel that counts as free too early."""
    broken = mutant(NetworkArbiter, "_by_budget", "spent > 0, most, spent + most", "spent > 0, most, spent")
    monitor = ServiceMonitor([(0,), (1,), (2,)], [[0], [1], [2]], 0, (1, 1, 2), (), 1, broken)
    assert not induct(monitor, 24)[0]
    broken = mutant(NetworkArbiter, "elaborate", " & ~(asks & higher).any()", "")
    assert not induct(LevelMonitor([(0,), (1,)], [[0], [1]], (0, 1), broken))[0]
    broken = mutant(NetworkArbiter, "_weight", " | ~weight.any()", "")
    assert not induct(FreeServiceMonitor([(0,), (1,), (2,)], [[0], [1], [2]], 1, 1, broken), 24)[0]
    broken = mutant(Allocator, "_kept", "self.grant.any() & ~arbiter.chose", "self.grant.any()")
    assert not bounded(NetworkAllocatorMonitor(shape(2, 3, priorities=(0, 1)), kind=broken), 10)[0]
