"""Proofs for units of the switch by k-induction: arbiter, credits, buffer. Each proof fails for a mutant."""

import pytest
from tiers import some

from dsnswitch.hdl.core.arbiter import LeastRecent, MatrixArbiter
from dsnswitch.hdl.core.input_channel import ChannelBuffer, PooledChannelBuffer
from dsnswitch.hdl.core.output_port import Allocator, CreditCounter, PoolCounter
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.core.shared_buffer import SharedBuffer
from dsnswitch.net.topology.registry import parse_network

from .monitors import (
    AllocatorMonitor,
    ArbiterMonitor,
    BufferMonitor,
    CreditMonitor,
    LeastRecentMonitor,
    OrderMonitor,
    PoolMonitor,
    RankedArbiterMonitor,
    SharedBufferMonitor,
    TagMonitor,
    WaitingMonitor,
)


@pytest.mark.parametrize(
    ("inputs", "channels"),
    [(1, 1), (2, 1), (4, 1), (4, 2), *(pytest.param(*sizes, marks=pytest.mark.prove) for sizes in ((6, 2), (5, 3)))],
)
def test_nobody_is_passed_over_for_ever(induct, inputs, channels):
    """Bound of the waiting time: the grants on a channel for which an input waits, whatever is asked for on other channels."""
    proved, log = induct(ArbiterMonitor(inputs, channels))
    assert proved, log


@pytest.mark.parametrize("inputs", [2, 3, pytest.param(5, marks=pytest.mark.prove)])
def test_the_oldest_is_granted(induct, inputs):
    """A packet becomes as old as possible while it waits; from then on it waits as without ages."""
    proved, log = induct(RankedArbiterMonitor(inputs))
    assert proved, log


@pytest.mark.parametrize("inputs", [2, 4])
def test_what_does_not_count_is_not_granted(induct, inputs):
    proved, log = induct(ArbiterMonitor(inputs, 2, True))
    assert proved, log


@pytest.mark.parametrize("inputs", [2, 4])
def test_the_least_recently_served_is_picked(induct, inputs):
    proved, log = induct(LeastRecentMonitor(inputs))
    assert proved, log


@pytest.mark.parametrize(("depth", "packet"), [(2, 1), (2, 2), (5, 3), (7, 1)])
def test_credits_are_counted(induct, depth, packet):
    proved, log = induct(CreditMonitor(depth, packet))
    assert proved, log


@pytest.mark.parametrize(("channels", "packet", "pool", "limit"), [(2, 2, 4, 2), (3, 3, 5, 4), (2, 1, 2, 2)])
def test_channels_share_a_pool(induct, channels, packet, pool, limit):
    proved, log = induct(PoolMonitor(channels, packet, pool, limit))
    assert proved, log


@pytest.mark.parametrize(("words", "cycles"), [(2, 8), (3, 8), pytest.param(3, 10, marks=pytest.mark.prove)])
def test_shared_buffer_keeps_order(bounded, words, cycles):
    """Words are used again, and the lists of two channels mix."""
    proved, log = bounded(SharedBufferMonitor(2, 2, words), cycles)
    assert proved, log


@pytest.mark.parametrize("depth", [2, 3, 4, 7])
def test_buffer_never_overflows(induct, depth):
    proved, log = induct(BufferMonitor(depth))
    assert proved, log


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_buffer_keeps_order(bounded, depth):
    proved, log = bounded(OrderMonitor(depth), 14)
    assert proved, log


@pytest.mark.parametrize("depth", [2, 4])
def test_buffer_takes_what_counts(induct, bounded, depth):
    for proved, log in (induct(BufferMonitor(depth, True)), bounded(OrderMonitor(depth, True), 10)):
        assert proved, log


def test_no_packet_takes_the_way_of_a_head_that_did_not_count(bounded):
    proved, log = bounded(TagMonitor(4), 10)
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


#: Flits of the longest packet, and a fault.
PROVED = [(3, 2, 3, {}), (3, 1, 2, {}), (3, 2, 2, {"pool": (("host", 4),)})]
PROVED += [pytest.param(*case, marks=pytest.mark.prove) for case in ((4, 2, 3, {}), (5, 3, 4, {}))]


@pytest.mark.parametrize(("sources", "packet", "depth", "more"), PROVED)
def test_no_head_waits_for_ever(induct, sources, packet, depth, more):
    """Arbiter, channels and credits together: the packets that begin on a channel while a head waits for it are bounded."""
    proved, log = induct(WaitingMonitor(shape(packet, depth, **more), sources), 6)
    assert proved, log


UNFAIR = {
    "short-packets-first": (Allocator, "_early", "bitwise_mux(long_waits, packet_fits, single_fits)", "single_fits"),
    "grants-on-other-channels-count": (
        MatrixArbiter,
        "_choose_group",
        "Mux(served, self.of_groups(self.grant), 0)",
        "self.of_groups(self.grant)",
    ),
}


@pytest.mark.parametrize("name", some(UNFAIR, "short-packets-first"))
def test_unfair_output_is_noticed(induct, mutate, name):
    mutate(*UNFAIR[name][:2], *UNFAIR[name][2:])
    proved, log = induct(WaitingMonitor(shape(2, 3), 3), 6)
    assert not proved
    assert "proof did fail" in log


ALLOCATOR_FAULTS = {
    "channel-not-held": (2, "elaborate", "held.eq(still_held)", "held.eq(0)"),
    "dropped-flits-are-sent": (2, "elaborate", "self.grant & ~self.front.drop", "self.grant"),
    "body-without-credit": (2, "_goes_on", "channel & bitwise_mux(self.grant, passed, reached)", "channel"),
    "head-without-credit": (1, "elaborate", "~still_held & (", "~still_held | ("),
    "freed-before-the-tail": (2, "_early", "arbiter.keep & self.ends", "arbiter.keep"),
    "freed-without-the-tail": (2, "_early", "Mux(self.grant.any(), freed, 0)", "freed"),
    "head-after-a-head": (2, "_early", " & ~(chose & (long_waits | some_denied.replicate(channels)))", ""),
    "credit-of-the-chosen-flit": (2, "_early", "chose | is_freed", "is_freed"),
    "credit-of-the-tail": (2, "_early", "chose | is_freed", "chose"),
    "credit-of-the-body": (2, "_goes_on", "bitwise_mux(self.grant, passed, reached)", "reached"),
}


@pytest.mark.parametrize("name", some(ALLOCATOR_FAULTS, "head-without-credit", "freed-before-the-tail"))
def test_broken_output_is_noticed(bounded, mutant, name):
    packet, *fault = ALLOCATOR_FAULTS[name]
    proved, log = bounded(AllocatorMonitor(shape(packet, packet + 1), 2, True, mutant(Allocator, *fault)), 8)
    assert not proved
    assert "proof did fail" in log


#: Cycles of proofs that are no induction, which knows nothing about the contents of a RAM.
BOUNDS = {OrderMonitor: 14, SharedBufferMonitor: 10, TagMonitor: 10}
FAULTS = {
    "newest-first": (ArbiterMonitor, (4,), MatrixArbiter, "order & ~low_served | high", "order | high", "_update"),
    "order-stands": (ArbiterMonitor, (4,), MatrixArbiter, "m.d.sync += order.eq(order_now)", "pass", "_update"),
    "groups-in-no-order": (
        ArbiterMonitor,
        (4,),
        MatrixArbiter,
        "self._group_orders[channel], grants",
        "self._group_orders[channel], 0 * grants",
        "_choose_group",
    ),
    "grants-on-other-channels-count": (
        ArbiterMonitor,
        (4, 2),
        MatrixArbiter,
        "Mux(served, self.of_groups(self.grant), 0)",
        "self.of_groups(self.grant)",
        "_choose_group",
    ),
    "channels-in-no-order": (
        ArbiterMonitor,
        (2, 2),
        MatrixArbiter,
        "self._channel_order, served",
        "self._channel_order, 0 * served",
    ),
    "two-channels": (ArbiterMonitor, (4, 2), MatrixArbiter, " & wins_channel[c].replicate(inputs)", ""),
    "two-groups": (ArbiterMonitor, (4,), MatrixArbiter, " & of_group", ""),
    "two-grants": (ArbiterMonitor, (4,), MatrixArbiter, "request & ~loses & of_group", "request & of_group"),
    "order-in-a-circle": (ArbiterMonitor, (9,), MatrixArbiter, "if rival != one", "if rival == (one + 3) % 9", "_loses"),
    "ranks-ignored": (RankedArbiterMonitor, (3,), MatrixArbiter, "self.above | ~self", "~self", "_inputs_ahead"),
    "oldest-starves": (RankedArbiterMonitor, (3,), MatrixArbiter, "~self.below & orders[0]", "~self.below", "_inputs_ahead"),
    "sent-is-late": (CreditMonitor, (5, 3), CreditCounter, "Mux(self.sent, *self.early[name])", "self.early[name][1]", "late"),
    "credit-lost": (CreditMonitor, (5, 3), CreditCounter, "Mux(up, left, left - 1)", "left - 1"),
    "one-too-many": (CreditMonitor, (5, 3), CreditCounter, "after >= bound", "after + 1 >= bound"),
    "served-stays-first": (LeastRecentMonitor, (3,), LeastRecent, "order & ~low_served | high_served", "order", "_update"),
    "all-are-picked": (
        LeastRecentMonitor,
        (3,),
        LeastRecent,
        "self.request[one] & ~self._loses(self.request, one, ahead)",
        "self.request[one]",
    ),
    "begins-twice": (PoolMonitor, (2, 2, 4, 2), PoolCounter, " & ~self.chose & ~recent", " & ~self.chose"),
    "begins-at-once": (PoolMonitor, (2, 2, 4, 2), PoolCounter, " & ~self.chose & ~recent", " & ~recent"),
    "takes-all": (PoolMonitor, (2, 2, 4, 2), PoolCounter, "claim <= self._limit - packet", "claim <= self._limit"),
    "rest-is-kept": (PoolMonitor, (2, 3, 4, 3), PoolCounter, "& self.tail, 1 - rest, 0)", "& self.tail, 0, 0)"),
    "list-not-started": (SharedBufferMonitor, (2, 2, 3), SharedBuffer, " | self.single[v] & self.reads[v])", ")"),
    "list-not-followed": (SharedBufferMonitor, (2, 2, 3), SharedBuffer, "follows.eq(self.reads[v] & ~starts)", "follows.eq(0)"),
    "credit-too-early": (
        SharedBufferMonitor,
        (2, 2, 2),
        PooledChannelBuffer,
        "self.reads | ~self.filled_now & ~self.writes & (self.pop | owed.any())",
        "self.pop",
    ),
    "list-overtaken": (
        SharedBufferMonitor,
        (2, 2, 2),
        PooledChannelBuffer,
        "self.valid & ~self.filled_now & ~came & has_place",
        "self.valid & ~self.filled_now & has_place",
    ),
    "overtakes-the-ram": (OrderMonitor, (4,), ChannelBuffer, " & ~filled),", "),"),
    "reads-nothing": (BufferMonitor, (4,), ChannelBuffer, "read.eq(filled & (", "read.eq(("),
    "word-lost": (
        OrderMonitor,
        (4,),
        ChannelBuffer,
        "write.eq(self.valid & ~self.direct & confirmed)",
        "write.eq(self.valid & ~self.direct & confirmed & self.stays)",
    ),
    "verdict-ignored": (ArbiterMonitor, (3, 2, True), MatrixArbiter, "granted & ~self.unconfirmed", "granted"),
    "withdrawn-flit-in-front": (
        BufferMonitor,
        (4, True),
        ChannelBuffer,
        "self.stays | self.second_valid | self.direct & confirmed",
        "self.stays | self.second_valid | self.direct",
    ),
    "withdrawn-flit-written": (
        BufferMonitor,
        (4, True),
        ChannelBuffer,
        "write.eq(self.valid & ~self.direct & confirmed)",
        "write.eq(self.valid & ~self.direct)",
    ),
    "request-remembered": (
        TagMonitor,
        (4,),
        ChannelBuffer,
        "(self.second_valid | self.direct & confirmed)",
        "(self.second_valid | self.direct)",
    ),
}


#: One of each monitor.
QUICK = ("two-groups", "ranks-ignored", "sent-is-late", "served-stays-first", "takes-all", "list-overtaken", "overtakes-the-ram")
QUICK += ("reads-nothing", "request-remembered")


@pytest.mark.parametrize("name", some(FAULTS, *QUICK))
def test_broken_unit_is_noticed(induct, bounded, mutant, name):
    monitor, sizes, unit, old, new, *method = FAULTS[name]
    role = "buffer" if unit is PooledChannelBuffer else "kind"
    broken = monitor(*sizes, **{role: mutant(unit, *(method or ["elaborate"]), old, new)})
    proved, log = bounded(broken, BOUNDS[monitor]) if monitor in BOUNDS else induct(broken)
    assert not proved
    assert "proof did fail" in log
