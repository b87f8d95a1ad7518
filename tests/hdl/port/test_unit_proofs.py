"""Units of the fabric port by k-induction: credits are conserved, buffers do not overflow. Each proof fails for mutants."""

import random

import pytest
from tiers import some

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


def test_reports_that_are_counted_twice_are_noticed(bounded, mutant):
    broken = mutant(CreditLedger, "elaborate", "self.update & ~compares & self.active", "self.update & self.active")
    proved, log = bounded(ReportMonitor(3, broken), 12)
    assert not proved, log


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


def gaps(simulate, kind=Skid):
    """Cycles without a flit while the sender has flits and the line pauses at times for a cycle; all flits leave in order."""
    unit, left, rng = kind(16, 1), [], random.Random(1)
    found = 0

    async def bench(ctx):
        nonlocal found
        stalls, number = [0, 0, 0], 0
        for _ in range(400):
            sends = not stalls[0]
            ctx.set(unit.valid, sends)
            ctx.set(unit.entry, number if sends else 0)
            number += sends
            pops = ctx.get(unit.front_valid) and rng.random() < 0.7
            found += not ctx.get(unit.front_valid)
            ctx.set(unit.pop, pops)
            if pops:
                left.append(ctx.get(unit.front))
            stalls = [*stalls[1:], ctx.get(unit.stall)]
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    assert left == [*range(len(left))]
    assert len(left) > 200
    return found


def test_skid_buffer_leaves_no_gap(simulate):
    """The sender stops three cycles after a stall, and its entries are enough for a line that never waits for it."""
    assert not gaps(simulate)


def test_gap_is_noticed(simulate, mutant):
    assert gaps(simulate, mutant(Skid, "_stalls", "after + ~stalled[0] + ~stalled[1] >= self.ENTRIES", "after >= 1"))


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


EARLY_FAULTS = {
    "wrong-bits-count": ("(self.takes & self.offers).any() & self.exact", "(self.takes & self.offers).any()"),
    "refused-flits-count": ("(self.takes & self.offers).any() & self.exact", "self.offers.any() & self.exact"),
    "never-confirmed-again": ("self.confirmed.eq(waits | counts)", "self.confirmed.eq(counts)"),
    "overtakes": ("waits.eq(self.accepts & (waits | ~counts))", "waits.eq(self.accepts & ~counts)"),
    "given-twice": ("waits.eq(self.accepts & (waits | ~counts))", "waits.eq(self.accepts)"),
    "never-given": ("waits.eq(self.accepts & (waits | ~counts))", "waits.eq(0)"),
    "not-corrected": ("Mux(waits, self.flit, self.early)", "self.early"),
}


@pytest.mark.parametrize("name", some(EARLY_FAULTS, "never-confirmed-again", "not-corrected"))
def test_a_flit_that_is_not_withdrawn_is_noticed(induct, mutant, monkeypatch, name):
    monkeypatch.setattr("dsnswitch.hdl.port.receiver.EarlyFlits", mutant(EarlyFlits, "elaborate", *EARLY_FAULTS[name]))
    proved, log = induct(EarlyMonitor(speculating()))
    assert not proved
    assert "proof did fail" in log


FAULTS = {
    "report-not-compared": (LedgerMonitor, (5,), CreditLedger, "compares & (advance <= self.flight)", "compares"),
    "drops-without-credit": (LedgerMonitor, (5,), CreditLedger, "+ self.dropped - gives", "- gives"),
    "flight-forgotten": (LedgerMonitor, (5,), CreditLedger, "Mux(believed, advance, 0), self.flight)", "advance, 0)"),
    "no-space-for-two": (LevelMonitor, (5,), BufferLevel, "(level < depth - 1) |", "(level < depth) |"),
    "delivered-not-counted": (LevelMonitor, (5,), BufferLevel, "level + self.delivered -", "level -"),
    "pool-with-one-place": (PoolLevelMonitor, (2, 2, 3), PoolLevel, "self._pool - 1) & ~takes", "self._pool - 1)"),
    "pool-not-freed": (PoolLevelMonitor, (2, 2, 3), PoolLevel, "self.used + more - fewer", "self.used + more"),
    "tail-not-counted": (GuardMonitor, (), PacketGuard, "Mux(self.tail | self.refused, 0, rest)", "rest"),
    "head-not-open": (GuardMonitor, (), PacketGuard, "self.tail | self.refused", "self.tail"),
    "lacks-one-less": (GuardMonitor, (), PacketGuard, "equals(lacks, 1)", "equals(lacks, 2)"),
    "tail-without-space": (GuardMonitor, (), PacketGuard, "self.broken & self.space", "self.broken"),
    "tail-in-a-busy-cycle": (GuardMonitor, (), PacketGuard, "lowest.o & self.free.replicate(channels)", "lowest.o"),
    "all-tails-at-once": (GuardMonitor, (), PacketGuard, "lowest.o &", "lowest.i &"),
    "break-forgotten": (GuardMonitor, (), PacketGuard, "waits.eq(self.broken)", "waits.eq(0)"),
}


#: One of each monitor.
QUICK = ("drops-without-credit", "no-space-for-two", "pool-with-one-place", "tail-without-space")


@pytest.mark.parametrize("name", some(FAULTS, *QUICK))
def test_broken_unit_is_noticed(induct, mutant, name):
    monitor, sizes, unit, old, new = FAULTS[name]
    proved, log = induct(monitor(*sizes, kind=mutant(unit, "elaborate", old, new)))
    assert not proved, log


SKID_FAULTS = {
    "newest-first": ("_select", "after == number", "after.any() == number"),
    "flits-not-inserted": ("_select", "place & ~self.inserts", "place"),
    "stall-too-late": ("_stalls", ">= self.ENTRIES", "> self.ENTRIES"),
    "stalls-forgotten": ("_stalls", "~stalled[0] + ~stalled[1]", "~stalled[0]"),
    "entries-always-moved": ("elaborate", "self.valid | ~filled", "1"),
}


@pytest.mark.parametrize("name", some(SKID_FAULTS, "stall-too-late"))
def test_broken_skid_buffer_is_noticed(bounded, mutant, name):
    proofs = [bounded(SkidMonitor(mutant(Skid, *SKID_FAULTS[name]), inserting), 14) for inserting in (False, True)]
    assert not all(proved for proved, _ in proofs)
