"""Tables, selector and forwarding are broken, one line at a time, and the benches notice."""

import pytest

from dsnswitch.hdl.switch import Forwarding, RouteSelector
from dsnswitch.hdl.table import DirectTable, TernaryTable
from dsnswitch.sim.run import SimulationError

from .test_tables import SMALL, random_changes

TERNARY = SMALL | {"stages": 2}
DIRECT = {"block": "table-direct", "words": 5, "action": 3}
#: No size is a power of two; actions 5, 6 and 7 name no port.
SWITCH = {"block": "forwarding", "topology": "ring", "n": 5, "m": 3, "keys": "relative", "entries": 5, "stages": 2}

TERNARY_MUTANTS = {
    "place-beyond": (
        (
            TernaryTable,
            "_writes",
            "return ",
            "return self.write_place >= index if index == self._shape.entries - 1 else ",
        ),
        "key .* model",
    ),
    "action-without-hit": ((TernaryTable, "elaborate", "Mux(hit, action, 0)", "action"), "action without a hit"),
    "no-strobe": (
        (TernaryTable, "elaborate", "self.write & self._writes(index)", "self._writes(index)"),
        "key .* model",
    ),
}
DIRECT_MUTANTS = {
    "read-beyond": (DirectTable, "elaborate", "self.loaded & self._inside(self.key)", "self.loaded"),
    "action-without-hit": (DirectTable, "elaborate", " & self.hit.replicate(width)", ""),
    "no-strobe": (DirectTable, "elaborate", "self.write & self._inside", "self._inside"),
}
SWITCH_MUTANTS = {
    "packet-table-not-delayed": (
        Forwarding,
        "_later",
        "range(self.latency)",
        "range(self.latency * (name != 'packet_table'))",
    ),
    "delayed-by-one-stage": (Forwarding, "_later", "range(self.latency)", "range(1)"),
    "no-such-port": (
        RouteSelector,
        "elaborate",
        "decode(self.action, self._ports) &",
        "decode(Mux(self.action > self._ports, 0, self.action), self._ports) &",
    ),
    "no-such-port-arrives": (RouteSelector, "elaborate", "self.action == self._ports", "self.action >= self._ports"),
    "mode-not-delayed": (Forwarding, "_later", "range(self.latency)", "range(self.latency * (name != 'mode'))"),
    "table-to-nowhere": (RouteSelector, "elaborate", "Mux(exists, ~self.dead, 0)", "~self.dead"),
    "arrived-nowhere": (RouteSelector, "elaborate", "self._ports) & exists", "self._ports)"),
    "table-to-a-dead-port": (RouteSelector, "elaborate", "Mux(exists, ~self.dead, 0)", "exists.replicate(self._ports)"),
    "never-falls-back": (RouteSelector, "elaborate", " | (self.route_port & self.dead).any()", ""),
    "dead-is-delayed": (
        Forwarding,
        "elaborate",
        "choice.dead.eq(self.dead)",
        "choice.dead.eq(self._later(m, 'dead', self.dead))",
    ),
}


def some_quick(mutants, quick):
    """One test for each mutant; in ``make test`` those whose names are in ``quick``."""
    return [pytest.param(name, id=name, marks=() if name in quick else pytest.mark.regress) for name in mutants]


@pytest.mark.parametrize("name", some_quick(TERNARY_MUTANTS, ("place-beyond", "action-without-hit")))
def test_broken_ternary_table_is_noticed(lab, mutate, name):
    mutant, message = TERNARY_MUTANTS[name]
    mutate(*mutant)
    with pytest.raises(SimulationError, match=message):
        lab.bench("ternary_bench", TERNARY, ["changes_under_traffic"], f"-{name}", changes=random_changes())


@pytest.mark.parametrize("name", some_quick(DIRECT_MUTANTS, ("read-beyond",)))
def test_broken_direct_table_is_noticed(lab, mutate, name):
    mutate(*DIRECT_MUTANTS[name])
    with pytest.raises(SimulationError, match="AssertionError: key"):
        lab.bench("direct_bench", DIRECT, label=f"-{name}")


@pytest.mark.parametrize(
    "name", some_quick(SWITCH_MUTANTS, ("packet-table-not-delayed", "delayed-by-one-stage", "no-such-port"))
)
def test_broken_switch_is_noticed(lab, mutate, name):
    mutate(*SWITCH_MUTANTS[name])
    with pytest.raises(SimulationError, match=r"AssertionError: .*Packet\("):
        lab.bench("forwarding_bench", SWITCH, ["random_packets"], f"-{name}")


@pytest.mark.regress
def test_unmutated_passes(lab):
    """The configurations that the mutants fail in pass as they stand, so that it is the mutation that fails them."""
    changes = random_changes()
    assert lab.bench("ternary_bench", TERNARY, ["changes_under_traffic"], changes=changes) == 1
    assert lab.bench("direct_bench", DIRECT) == 1
    assert lab.bench("forwarding_bench", SWITCH, ["random_packets"]) == 1
