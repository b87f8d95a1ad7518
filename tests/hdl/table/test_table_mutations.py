"""The benches of tables and forwarding fail on broken ones."""

import pytest

from dsnswitch.hdl.core.forwarding import RouteSelector
from dsnswitch.hdl.table.direct import DirectTable
from dsnswitch.hdl.table.ternary import TernaryTable
from dsnswitch.sim.run import SimulationError

from .test_tables import SMALL, random_changes

TERNARY = SMALL | {"stages": 2}
DIRECT = {"block": "table-direct", "words": 5, "action": 3}
#: No size is a power of two; actions 5, 6 and 7 are not ports.
SWITCH = {"block": "forwarding", "topology": "ring", "n": 5, "m": 3, "keys": "relative", "entries": 5, "stages": 2}


def test_broken_ternary_table_is_noticed(lab, mutate):
    mutate(TernaryTable, "elaborate", "Mux(hit, action, 0)", "action")
    with pytest.raises(SimulationError, match="action without a hit"):
        lab.bench("table_bench", TERNARY, ["changes_under_traffic"], "-mutant", changes=random_changes())


def test_broken_direct_table_is_noticed(lab, mutate):
    mutate(DirectTable, "elaborate", "self.loaded & self._inside(self.key)", "self.loaded")
    with pytest.raises(SimulationError, match="AssertionError: key"):
        lab.bench("table_bench", DIRECT, label="-mutant")


def test_broken_switch_is_noticed(lab, mutate):
    mutate(RouteSelector, "elaborate", "self.action == self._ports", "self.action >= self._ports")
    with pytest.raises(SimulationError, match=r"AssertionError: .*Packet\("):
        lab.bench("forwarding_bench", SWITCH, ["random_packets"], "-mutant")


@pytest.mark.regress
def test_unmutated_passes(lab):
    """The configurations of the mutants succeed without a mutation, so it is the mutation that makes them fail."""
    changes = random_changes()
    assert lab.bench("table_bench", TERNARY, ["changes_under_traffic"], changes=changes) == 1
    assert lab.bench("table_bench", DIRECT) == 3
    assert lab.bench("forwarding_bench", SWITCH, ["random_packets"]) == 1
