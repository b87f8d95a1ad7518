"""Units of the fabric port by k-induction: credits are conserved, buffers do not overflow. Each proof fails for mutants."""

import random

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.credits import BufferLevel, CreditLedger, PoolLevel
from dsnswitch.hdl.port.early import EarlyFlits
from dsnswitch.hdl.port.receiver import PacketGuard
from dsnswitch.hdl.port.transmitter import Skid

from .monitors import EarlyMonitor, GuardMonitor, LedgerMonitor, LevelMonitor, PoolLevelMonitor, ReportMonitor, SkidMonitor


@pytest.mark.parametrize("depth", [2, 5, 12])
def test_credits_are_conserved(induct, depth):
    proved, log = induct(LedgerMonitor(depth))
    assert proved, log


def test_reports_are_counted_once(bounded):
    proved, log = bounded(ReportMonitor(3), 12)
    assert proved, log


@pytest.mark.parametrize("depth", [2, 5, 12])
def test_buffer_never_overflows(induct, depth):
    proved, log = induct(LevelMonitor(depth))
    assert proved, log


@pytest.mark.parametrize(("channels", "reserved", "pool"), [(2, 2, 3), (3, 1, 2)])
def test_pool_never_overflows(induct, channels, reserved, pool):
    proved, log = induct(PoolLevelMonitor(channels, reserved, pool))
    assert proved, log


@pytest.mark.parametrize("inserting", [pytest.param(False, marks=pytest.mark.prove), True])
def test_skid_buffer_loses_nothing(bounded, inserting):
    proved, log = bounded(SkidMonitor(inserting=inserting), 14)
    assert proved, log


def test_skid_buffer_leaves_no_gap(simulate):
    """The line pauses at times for a cycle. The sender stops three cycles after a stall, and the line never waits for it."""
    unit, left, rng = Skid(16, 1), [], random.Random(1)

    async def bench(ctx):
        stalls, number = [0, 0, 0], 0
        for _ in range(400):
            sends = not stalls[0]
            ctx.set(unit.valid, sends)
            ctx.set(unit.entry, number if sends else 0)
            ctx.set(unit.inserted, rng.getrandbits(16))
            number += sends
            pops = ctx.get(unit.front_valid) and rng.random() < 0.7
            assert ctx.get(unit.front_valid)
            ctx.set(unit.pop, pops)
            if pops:
                left.append(ctx.get(unit.front))
            stalls = [*stalls[1:], ctx.get(unit.stall)]
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    assert left == [*range(len(left))]
    assert len(left) > 200


def test_packets_end_once(induct):
    proved, log = induct(GuardMonitor())
    assert proved, log


def speculating(**more):
    """A fabric port that speculates, with one channel, or two."""
    values = {"block": "fabric-port", "topology": "torus:2", "flit": 24, "packet": 3, "depth": 6, "speculate": "on"}
    return build(values | more).shape


@pytest.mark.parametrize("retry", [False, True])
def test_each_flit_counts_once(induct, retry):
    proved, log = induct(EarlyMonitor(speculating(retry=retry)))
    assert proved, log


def test_each_flit_of_two_channels_counts_once(bounded):
    proved, log = bounded(EarlyMonitor(speculating(channels="dim0=2")), 6)
    assert proved, log


def test_a_flit_that_is_not_withdrawn_is_noticed(induct, mutant, monkeypatch):
    broken = mutant(EarlyFlits, "elaborate", "self.confirmed.eq(waits | counts)", "self.confirmed.eq(counts)")
    monkeypatch.setattr("dsnswitch.hdl.port.receiver.EarlyFlits", broken)
    proved, log = induct(EarlyMonitor(speculating()))
    assert not proved
    assert "proof did fail" in log


#: A fault for each monitor: sizes, owner, method, old and new text, and cycles of a proof that is no induction.
FAULTS = {
    LedgerMonitor: ((5,), CreditLedger, "elaborate", "+ self.dropped - gives", "- gives", None),
    ReportMonitor: ((3,), CreditLedger, "elaborate", "self.update & ~compares & self.active", "self.update & self.active", 12),
    LevelMonitor: ((5,), BufferLevel, "elaborate", "(level < depth - 1) |", "(level < depth) |", None),
    PoolLevelMonitor: ((2, 2, 3), PoolLevel, "elaborate", "self._pool - 1) & ~takes", "self._pool - 1)", None),
    GuardMonitor: ((), PacketGuard, "elaborate", "self.broken & self.space", "self.broken", None),
    SkidMonitor: ((), Skid, "_stalls", ">= self.ENTRIES", "> self.ENTRIES", 14),
}


@pytest.mark.parametrize("monitor", FAULTS)
def test_broken_unit_is_noticed(induct, bounded, mutant, monitor):
    sizes, owner, *fault, cycles = FAULTS[monitor]
    broken = monitor(*sizes, kind=mutant(owner, *fault))
    proved, log = bounded(broken, cycles) if cycles else induct(broken)
    assert not proved, log
