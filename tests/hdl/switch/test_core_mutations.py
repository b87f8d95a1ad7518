"""The bench of the switch core fails on a broken core. ``tests/mutants`` has more mutants."""

import pytest

from dsnswitch.hdl.switch.credits import CreditCounter
from dsnswitch.sim.run import SimulationError

SMALL = {"block": "switch-core", "topology": "ring:5:ring-3", "flit": 40, "packet": 4, "depth": 6, "hosts": 2}
TRAFFIC = {"own": (1, 1), "packets": 80, "cycles": 300, "lengths": [1]}


def test_broken_core_is_noticed(lab, mutate):
    """Five seconds: the core is the largest block, and its bench has checkers of its own, for credits among them."""
    mutate(CreditCounter, "elaborate", "Mux(self.sent, passed, reached)", "1")
    with pytest.raises(SimulationError, match="AssertionError"):
        lab.bench("switch_bench", SMALL, ["random_traffic"], "-mutant", **TRAFFIC)


@pytest.mark.regress
def test_unmutated_passes(lab):
    """The configuration that the mutant fails in passes as it stands, so that it is the mutation that fails it."""
    assert lab.bench("switch_bench", SMALL, ["random_traffic"], **TRAFFIC) == 1
