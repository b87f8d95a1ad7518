"""Units of the fabric port by k-induction: credits are conserved, buffers do not overflow. Each proof fails for mutants."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.credits import BufferLevel, CreditLedger
from dsnswitch.hdl.port.early import EarlyFlits
from dsnswitch.hdl.port.receiver import PacketGuard, Receiver, RetryReceiver
from dsnswitch.hdl.port.transmitter import Skid

from .monitors import EarlyMonitor, GuardMonitor, LedgerMonitor, LevelMonitor, ReportMonitor, SkidMonitor


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


@pytest.mark.parametrize("inserting", [pytest.param(False, marks=pytest.mark.prove), True])
def test_skid_buffer_loses_nothing(bounded, inserting):
    proved, log = bounded(SkidMonitor(inserting=inserting), 14)
    assert proved, log


def test_packets_end_once(induct):
    proved, log = induct(GuardMonitor())
    assert proved, log


def speculating(**more):
    """A fabric port that speculates, with one channel, or two."""
    values = {"block": "fabric-port", "topology": "torus:2", "flit": 24, "packet": 3, "depth": 6, "speculate": "on"}
    return build(values | more).shape


@pytest.mark.parametrize("retry", [False, True])
def test_each_flit_counts_once(induct, retry):
    proved, log = induct(EarlyMonitor(speculating(retry=retry), RetryReceiver if retry else Receiver))
    assert proved, log


def test_each_flit_of_two_channels_counts_once(bounded):
    proved, log = bounded(EarlyMonitor(speculating(channels="dim0=2")), 6)
    assert proved, log


EARLY_FAULTS = {
    "wrong-bits-count": ("(self.takes & self.offers).any() & self.exact", "(self.takes & self.offers).any()"),
    "refused-flits-count": ("(self.takes & self.offers).any() & self.exact", "self.offers.any() & self.exact"),
    "never-sure-again": ("self.sure.eq(waits | counts)", "self.sure.eq(counts)"),
    "overtakes": ("waits.eq(self.accepts & (waits | ~counts))", "waits.eq(self.accepts & ~counts)"),
    "given-twice": ("waits.eq(self.accepts & (waits | ~counts))", "waits.eq(self.accepts)"),
    "never-given": ("waits.eq(self.accepts & (waits | ~counts))", "waits.eq(0)"),
    "not-corrected": ("Mux(waits, self.flit, self.early)", "self.early"),
}


@pytest.mark.parametrize("name", EARLY_FAULTS)
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
    "tail-not-counted": (GuardMonitor, (), PacketGuard, "Mux(self.tail | self.refused, 0, before - 1)", "before - 1"),
    "head-not-open": (GuardMonitor, (), PacketGuard, "self.tail | self.refused", "self.tail"),
    "lacks-one-less": (GuardMonitor, (), PacketGuard, "equals(now, 1)", "equals(now, 2)"),
    "tail-without-space": (GuardMonitor, (), PacketGuard, "self.broken & self.space", "self.broken"),
    "tail-in-a-busy-cycle": (GuardMonitor, (), PacketGuard, "lowest.o & self.free.replicate(channels)", "lowest.o"),
    "all-tails-at-once": (GuardMonitor, (), PacketGuard, "lowest.o &", "lowest.i &"),
    "break-forgotten": (GuardMonitor, (), PacketGuard, "waits.eq(self.broken)", "waits.eq(0)"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_broken_unit_is_noticed(induct, mutant, name):
    monitor, sizes, unit, old, new = FAULTS[name]
    proved, log = induct(monitor(*sizes, kind=mutant(unit, "elaborate", old, new)))
    assert not proved, log


SKID_FAULTS = {
    "newest-first": ("_select", "Mux(filled, oldest[:rest]", "Mux(filled & ~self.valid, oldest[:rest]"),
    "newest-marks-first": ("_select", "bare.eq(~after.any() & ~self.inserts)", "bare.eq(~after.any())"),
    "flits-not-inserted": ("_select", "waiting.eq(after.any() & ~self.inserts)", "waiting.eq(after.any())"),
    "stall-too-late": ("elaborate", "self.stall.eq(after >= self.LIMIT)", "self.stall.eq(after > self.LIMIT)"),
    "entry-not-moved": (
        "elaborate",
        "Mux(self.pop, self.level == number + 1, self.level == number)",
        "self.level == number",
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "stall-too-late" else pytest.mark.prove) for name in SKID_FAULTS]
)
def test_broken_skid_buffer_is_noticed(bounded, mutant, name):
    proofs = [bounded(SkidMonitor(mutant(Skid, *SKID_FAULTS[name]), inserting), 14) for inserting in (False, True)]
    assert not all(proved for proved, _ in proofs)
