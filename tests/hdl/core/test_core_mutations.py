"""The bench of the switch core fails on a broken core."""

import pytest

from dsnswitch.hdl.core.output_port import CreditCounter
from dsnswitch.sim.run import SimulationError

SMALL = {"block": "switch-core", "topology": "ring:5:ring-3", "flit": 40, "packet": 4, "depth": 6, "hosts": 2}
TRAFFIC = {"own": (1, 1), "packets": 80, "cycles": 300, "lengths": [1]}


@pytest.mark.regress
def test_broken_core_is_noticed(lab, mutate):
    """The core is the largest block, and its bench has its own checkers, one of them for credits."""
    mutate(CreditCounter, "elaborate", "Mux(up, left, left - 1)", "left")
    with pytest.raises(SimulationError, match="AssertionError"):
        lab.bench("core_bench", SMALL, ["random_traffic"], "-mutant", **TRAFFIC)


@pytest.mark.regress
def test_unmutated_passes(lab):
    """The configuration of the mutant succeeds without a mutation, so it is the mutation that makes it fail."""
    assert lab.bench("core_bench", SMALL, ["random_traffic"], **TRAFFIC) == 1
