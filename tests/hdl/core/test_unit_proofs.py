"""Proofs for units of the switch by k-induction: arbiter, credits, buffer. Each proof fails for a mutant."""

import pytest

from dsnswitch.hdl.core.arbiter import LeastRecent, MatrixArbiter
from dsnswitch.hdl.core.input_channel import ChannelBuffer, PooledChannelBuffer
from dsnswitch.hdl.core.output_port import Allocator, CreditCounter, PoolCounter
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network

from .allocator_monitors import AllocatorMonitor, RingMonitor, WaitingMonitor
from .arbiter_monitors import ArbiterMonitor, LeastRecentMonitor, RankedArbiterMonitor
from .buffer_monitors import BufferMonitor, CreditMonitor, OrderMonitor, PoolMonitor, SharedBufferMonitor, TagMonitor


def cases(quick, large):
    """Parameters of a test; ``large`` ones are for `make prove`."""
    return [*quick, *(pytest.param(*case, marks=pytest.mark.prove) for case in large)]


INDUCTION = [
    *((ArbiterMonitor, sizes) for sizes in ((1,), (2,), (4,), (4, 2), (2, 2, True), (4, 2, True))),
    *((RankedArbiterMonitor, sizes) for sizes in ((2,), (3,))),
    *((LeastRecentMonitor, sizes) for sizes in ((2,), (4,))),
    *((CreditMonitor, sizes) for sizes in ((2, 1), (2, 2), (5, 3), (7, 1))),
    *((PoolMonitor, sizes) for sizes in ((2, 2, 4, 2), (3, 3, 5, 4), (2, 1, 2, 2))),
    *((BufferMonitor, sizes) for sizes in ((2,), (3,), (4,), (7,), (2, True), (4, True))),
]
LARGE = [(ArbiterMonitor, (6, 2)), (ArbiterMonitor, (5, 3)), (RankedArbiterMonitor, (5,))]


@pytest.mark.parametrize(("monitor", "sizes"), cases(INDUCTION, LARGE))
def test_proved_by_induction(induct, monitor, sizes):
    proved, log = induct(monitor(*sizes))
    assert proved, log


#: Proofs for some cycles, because induction knows nothing about the contents of a RAM.
BOUNDED = [
    *((SharedBufferMonitor, (2, 2, words), 8) for words in (2, 3)),
    *((OrderMonitor, sizes, cycles) for sizes, cycles in (((2,), 14), ((3,), 14), ((2, True), 10), ((4, True), 10))),
    (TagMonitor, (4,), 10),
]


@pytest.mark.parametrize(
    ("monitor", "sizes", "cycles"), cases(BOUNDED, [(SharedBufferMonitor, (2, 2, 3), 10), (OrderMonitor, (5,), 14)])
)
def test_proved_for_some_cycles(bounded, monitor, sizes, cycles):
    proved, log = bounded(monitor(*sizes), cycles)
    assert proved, log


def shape(packet, depth, **more):
    """Two channels at the host's port."""
    return CoreShape(parse_network("torus:2"), flit=16, packet=packet, depth=depth, spread=(("host", 2),), **more)


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("packet", [1, 2])
def test_output_keeps_packets_apart(bounded, packet, speculative):
    """No flit leaves without a credit, and each output channel carries one packet at a time; for 8 cycles after reset."""
    proved, log = bounded(AllocatorMonitor(shape(packet, 2), 3, speculative), 8)
    assert proved, log


def ring(packet, depth):
    """A switch of a ring: two inputs of its output enter the ring, and one goes on in it."""
    return CoreShape(parse_network("torus:4"), flit=16, packet=packet, depth=depth, routing="bubble")


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize(("packet", "depth"), [(1, 2), (2, 3)])
def test_a_ring_keeps_a_flit_free(bounded, packet, depth, speculative):
    """Whoever enters a ring leaves a flit free behind its last one; for 8 cycles after reset."""
    proved, log = bounded(RingMonitor(ring(packet, depth), speculative), 8)
    assert proved, log


WAITING = [(3, 2, 3, {}), (3, 1, 2, {}), (3, 2, 2, {"pool": (("host", 4),)})]


@pytest.mark.parametrize(("sources", "packet", "depth", "more"), cases(WAITING, [(4, 2, 3, {}), (5, 3, 4, {})]))
def test_no_head_waits_for_ever(induct, sources, packet, depth, more):
    """Arbiter, channels and credits together: the packets that begin on a channel while a head waits for it are bounded."""
    proved, log = induct(WaitingMonitor(shape(packet, depth, **more), sources), 6)
    assert proved, log


#: A fault for each monitor: sizes, owner, method, old and new text.
FAULTS = {
    ArbiterMonitor: ((4,), MatrixArbiter, "elaborate", " & of_group", ""),
    RankedArbiterMonitor: ((3,), MatrixArbiter, "_inputs_ahead", "self.above | ~self", "~self"),
    CreditMonitor: ((5, 3), CreditCounter, "late", "Mux(self.sent, *self.early[name])", "self.early[name][1]"),
    LeastRecentMonitor: ((3,), LeastRecent, "_update", "order & ~low_served | high_served", "order"),
    PoolMonitor: ((2, 2, 4, 2), PoolCounter, "elaborate", "claim <= self._limit - packet", "claim <= self._limit"),
    BufferMonitor: ((4,), ChannelBuffer, "elaborate", "read.eq(filled & (", "read.eq(("),
    OrderMonitor: ((4,), ChannelBuffer, "elaborate", " & ~filled),", "),"),
    SharedBufferMonitor: ((2, 2, 2), PooledChannelBuffer, "elaborate", " & ~came & has_place", " & has_place"),
    TagMonitor: ((4,), ChannelBuffer, "elaborate", "direct & confirmed)):", "direct)):"),
    AllocatorMonitor: ((shape(2, 3), 2, True), Allocator, "_early", "arbiter.keep & self.ends", "arbiter.keep"),
    RingMonitor: ((ring(2, 3), True), Allocator, "_credits", "1 if self.ring else limit", "limit"),
    WaitingMonitor: ((shape(2, 3), 3), Allocator, "_early", "bitwise_mux(long_waits, packet_fits, single_fits)", "single_fits"),
}


@pytest.mark.parametrize("monitor", FAULTS)
def test_broken_unit_is_noticed(induct, bounded, mutant, monitor):
    sizes, unit, *fault = FAULTS[monitor]
    role = "buffer" if unit is PooledChannelBuffer else "kind"
    broken = monitor(*sizes, **{role: mutant(unit, *fault)})
    cycles = {AllocatorMonitor: 8, RingMonitor: 8, SharedBufferMonitor: 10, OrderMonitor: 14, TagMonitor: 10}.get(monitor)
    proved, log = bounded(broken, cycles) if cycles else induct(broken, 6)
    assert not proved
    assert "proof did fail" in log
