"""Retransmission by k-induction and bounded proofs: the replay buffer keeps what may be needed. Each proof fails for mutants."""

import pytest
from tiers import some

from dsnswitch.hdl.port.retransmission import Acceptance, ReplayBuffer

from .retry_monitors import LineMonitor, PointerMonitor, ProgressMonitor, ReplayMonitor, RequestMonitor


@pytest.mark.parametrize("sizes", [(4, 1, 3), pytest.param((8, 1, 4), marks=pytest.mark.prove)])
def test_buffer_never_overflows(induct, sizes):
    proved, log = induct(PointerMonitor(sizes=sizes))
    assert proved, log


@pytest.mark.parametrize("cycles", [8, pytest.param(14, marks=pytest.mark.prove)])
def test_flits_are_those_of_their_numbers(bounded, cycles):
    proved, log = bounded(ReplayMonitor(), cycles)
    assert proved, log


@pytest.mark.parametrize("cycles", [9, pytest.param(16, marks=pytest.mark.prove)])
def test_every_flit_counts_once(bounded, cycles):
    proved, log = bounded(LineMonitor(), cycles)
    assert proved, log


@pytest.mark.parametrize("cycles", [15, pytest.param(20, marks=pytest.mark.prove)])
def test_a_line_that_loses_nothing_delivers(bounded, cycles):
    proved, log = bounded(ProgressMonitor(), cycles)
    assert proved, log


PROGRESS_FAULTS = {
    "no-second-request": (Acceptance, "elaborate", "self.request ^ requests|self.request | requests"),
    "answer-not-stated": (ReplayBuffer, "elaborate", "self.answered.eq(newest_request)|self.answered.eq(0)"),
}


@pytest.mark.parametrize("name", some(PROGRESS_FAULTS, "answer-not-stated"))
def test_a_line_that_stops_is_noticed(bounded, mutant, name):
    owner, method, change = PROGRESS_FAULTS[name]
    broken = mutant(owner, method, *change.split("|", 1))
    kinds = {"kind": broken} if owner is ReplayBuffer else {"other": broken}
    proved, log = bounded(ProgressMonitor(**kinds), 15)
    assert not proved, log


def test_requests_are_repeated(bounded):
    proved, log = bounded(RequestMonitor(), 12)
    assert proved, log


def test_a_request_that_is_made_once_is_noticed(bounded, mutant):
    broken = mutant(Acceptance, "elaborate", "waits.eq(waits - 1)", "waits.eq(waits)")
    proved, log = bounded(RequestMonitor(broken), 12)
    assert not proved, log


POINTER_FAULTS = {
    "overflows": "self.level >= self._depth - 2|self.level >= self._depth",
    "any-report-believed": "self.update & (advance <= self.level)|self.update",
    "request-not-compared": "tries & believed & self.active|tries & self.active",
    "new-flit-forgotten": "came.eq(fresh)|came.eq(fresh & ~believed)",
    "one-skipped": "self.number.eq(self.target)|self.number.eq(self.target + 1)",
    "progress-not-seen": "tries & ~advances & (attempts|tries & (attempts",
    "session-not-ended": "self.oldest, base, came, self.number|self.oldest, base, came",
}


@pytest.mark.parametrize("name", some(POINTER_FAULTS, "overflows", "one-skipped"))
def test_broken_pointers_are_noticed(induct, mutant, name):
    broken = mutant(ReplayBuffer, "elaborate", *POINTER_FAULTS[name].split("|"))
    proved, log = induct(PointerMonitor(broken, (4, 1, 3)))
    assert not proved, log


DATA_FAULTS = {
    "one-late": ("_keep", "Mux(self.sent, self.following, self.number)|self.number"),
    "written-again": ("_keep", "writer.en.eq(fresh)|writer.en.eq(self.sent)"),
}
LINE_FAULTS = {
    "one-left": (ReplayBuffer, "elaborate", "last.eq(self.following == self.newest)|last.eq(self.following + 1 == self.newest)"),
    "wrong-flit-acknowledged": (
        Acceptance,
        "elaborate",
        "Mux(self.was_taken & ~self.undone, following|Mux(self.was_taken, following",
    ),
    "doubtful-flit-acknowledged": (
        Acceptance,
        "elaborate",
        "self.accepted.eq(Mux(self.doubts, self.accepted, counts))|self.accepted.eq(counts)",
    ),
    "request-in-doubt": (Acceptance, "elaborate", "lacks.eq(self.missing & ~self.doubts)|lacks.eq(self.missing)"),
    "revoked-flit-counts": (Acceptance, "elaborate", "Mux(self.revoked, self.accepted, counts)|counts"),
    "flit-counts-twice": (Acceptance, "elaborate", "following.eq(counted + 1)|following.eq(counted + 2)"),
}


@pytest.mark.parametrize("name", some(DATA_FAULTS, "one-late"))
def test_wrong_flits_are_noticed(bounded, mutant, name):
    method, change = DATA_FAULTS[name]
    proved, log = bounded(ReplayMonitor(mutant(ReplayBuffer, method, *change.split("|"))), 8)
    assert not proved, log


@pytest.mark.parametrize("name", some(LINE_FAULTS, "one-left", "flit-counts-twice"))
def test_broken_ends_are_noticed(bounded, mutant, name):
    owner, method, change = LINE_FAULTS[name]
    broken = mutant(owner, method, *change.split("|"))
    kinds = {"kind": broken} if owner is ReplayBuffer else {"other": broken}
    proved, log = bounded(LineMonitor(**kinds), 9)
    assert not proved, log
