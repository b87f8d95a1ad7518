"""Proofs for outputs with several virtual networks: who is granted, and for how long a head waits."""

import pytest

from dsnswitch.hdl.core.network_arbiter import NetworkArbiter
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network

from .network_monitors import NetworkAllocatorMonitor, NetworkArbiterMonitor, NetworkWaitingMonitor

#: Inputs and channels of virtual networks.
TWO = ([(0, 2), (1, 3)], [[0], [1]])
UNEVEN = ([(0, 2, 3), (1, 4)], [[0, 1], [2]])
THREE = ([(0, 3), (1, 4), (2,)], [[0], [1], [2]])


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("sizes", [TWO, UNEVEN, pytest.param(THREE, marks=pytest.mark.prove)])
def test_arbiter(induct, sizes, speculative):
    proved, log = induct(NetworkArbiterMonitor(*sizes, speculative))
    assert proved, log


def shape(packet, depth):
    """Two virtual networks, each with a channel on each of two ports."""
    return CoreShape(parse_network("torus:2"), flit=32, packet=packet, depth=depth, virtual_networks=2)


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
        ("Mux(keeps.any(), keeps[number], wins)", "wins"),
    ],
)
def test_broken_arbiter_is_noticed(induct, mutant, old, new):
    proved, log = induct(NetworkArbiterMonitor(*TWO, kind=mutant(NetworkArbiter, "elaborate", old, new)))
    assert not proved
    assert "proof did fail" in log
