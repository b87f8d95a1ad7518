"""Retransmission by k-induction and bounded proofs: the replay buffer keeps what may be needed. Each proof fails for mutants."""

import pytest

from dsnswitch.hdl.port.retransmission import Acceptance, ReplayBuffer

from .retry_monitors import LineMonitor, PointerMonitor, ProgressMonitor, ReplayMonitor, RequestMonitor


@pytest.mark.parametrize("sizes", [(4, 1, 3), pytest.param((8, 1, 4), marks=pytest.mark.prove)])
def test_buffer_never_overflows(induct, sizes):
    proved, log = induct(PointerMonitor(sizes=sizes))
    assert proved, log


#: Cycles in `make test`, and in `make prove`.
CYCLES = {ReplayMonitor: (8, 14), LineMonitor: (9, 16), ProgressMonitor: (15, 20), RequestMonitor: (12,)}


@pytest.mark.parametrize(
    ("monitor", "cycles"),
    [
        pytest.param(monitor, cycles, marks=() if cycles == each[0] else pytest.mark.prove)
        for monitor, each in CYCLES.items()
        for cycles in each
    ],
)
def test_proved_for_some_cycles(bounded, monitor, cycles):
    proved, log = bounded(monitor(), cycles)
    assert proved, log


def test_broken_pointers_are_noticed(induct, mutant):
    broken = mutant(ReplayBuffer, "elaborate", "self.level >= self._depth - 2", "self.level >= self._depth")
    proved, log = induct(PointerMonitor(broken, (4, 1, 3)))
    assert not proved, log


#: A fault for each monitor, and for both ends of the line.
FAULTS = [
    (ReplayMonitor, ReplayBuffer, "_keep", "Mux(self.sent, self.following, self.number)", "self.number"),
    (LineMonitor, ReplayBuffer, "elaborate", "self.following == self.newest", "self.following + 1 == self.newest"),
    (LineMonitor, Acceptance, "elaborate", "following.eq(counted + 1)", "following.eq(counted + 2)"),
    (ProgressMonitor, ReplayBuffer, "elaborate", "self.answered.eq(newest_request)", "self.answered.eq(0)"),
    (RequestMonitor, Acceptance, "elaborate", "waits.eq(waits - 1)", "waits.eq(waits)"),
]


@pytest.mark.parametrize(("monitor", "owner", "method", "old", "new"), FAULTS)
def test_a_fault_is_noticed(bounded, mutant, monitor, owner, method, old, new):
    role = "other" if owner is Acceptance and monitor is not RequestMonitor else "kind"
    proved, log = bounded(monitor(**{role: mutant(owner, method, old, new)}), CYCLES[monitor][0])
    assert not proved, log
