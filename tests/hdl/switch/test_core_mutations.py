"""The switch core is broken, one line at a time, and the bench notices."""

import pytest

from dsnswitch.hdl.switch.arbiter import MatrixArbiter
from dsnswitch.hdl.switch.arrival import Arrival
from dsnswitch.hdl.switch.buffer import ChannelBuffer
from dsnswitch.hdl.switch.credits import CreditCounter
from dsnswitch.hdl.switch.input_channel import InputChannel
from dsnswitch.hdl.switch.output_port import Allocator, CrossbarColumn
from dsnswitch.hdl.switch.route_unit import RouteUnit
from dsnswitch.sim.run import SimulationError

SMALL = {"block": "switch-core", "topology": "ring:5:ring-3", "flit": 40, "packet": 4, "depth": 6, "hosts": 2}
TRAFFIC = {"own": (1, 1), "packets": 80, "cycles": 300, "lengths": [1]}

#: A mutant, and the bench that must fail.
MUTANTS = {
    "fixed-priority": (MatrixArbiter, "elaborate", "m.d.sync += order.eq(order_now)", "pass", "random_traffic"),
    "tag-of-another-channel": (
        ChannelBuffer,
        "elaborate",
        "coming.flit.head & (self.second_valid | self.direct)",
        "coming.flit.head",
        "random_traffic",
    ),
    "no-bypass": (ChannelBuffer, "elaborate", "& ~self.second_valid & ~filled", "& 0", "zero_load_latency"),
    "credits-ignored": (CreditCounter, "elaborate", "Mux(self.sent, passed, reached)", "1", "random_traffic"),
    "credit-not-returned-for-drops": (
        InputChannel,
        "elaborate",
        "self.credit.eq(pop)",
        "self.credit.eq(self.granted.any())",
        "random_traffic",
    ),
    "wrong-header-passes": (Allocator, "elaborate", "bit & ~front.drop for", "bit for", "random_traffic"),
    "channel-not-held": (Allocator, "_channel", "held.eq(still_held)", "held.eq(0)", "random_traffic"),
    "port-not-kept": (Allocator, "elaborate", "self.grant & onward", "onward", "random_traffic"),
    "short-packets-first": (
        Allocator,
        "_channel",
        "Mux(waits, counter.packet_left, counter.any_left)",
        "counter.any_left",
        "random_traffic",
    ),
    "tail-late": (
        CrossbarColumn,
        "elaborate",
        "self.valid.eq(self.sent)",
        "self.valid.eq(self.grant.any())",
        "random_traffic",
    ),
    "length-not-checked": (Arrival, "elaborate", "flit.tail | last | cut)", "flit.tail | cut)", "random_traffic"),
    "cut-not-marked": (Arrival, "elaborate", "flit.bad | cut | (", "flit.bad | (", "random_traffic"),
    "check-not-updated": (
        Arrival,
        "_updated",
        "header.check ^ self._header.sums(self._changes(change))",
        "header.check",
        "random_traffic",
    ),
    "header-not-checked": (Arrival, "elaborate", "~self._syndrome(header).any() & ", "", "random_traffic"),
    "never-expires": (Arrival, "elaborate", "old.eq(header.hops.all())", "old.eq(0)", "random_traffic"),
    "strays-not-counted": (Arrival, "_events", "& ~skipping", "", "random_traffic"),
    "wrong-host": (RouteUnit, "_route", "host == port.index", "host != port.index", "random_traffic"),
}
QUICK = ("fixed-priority", "tag-of-another-channel", "credits-ignored", "length-not-checked")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.regress) for name in MUTANTS]
)
def test_broken_core_is_noticed(lab, mutate, name):
    *mutant, test = MUTANTS[name]
    mutate(*mutant)
    with pytest.raises(SimulationError, match="AssertionError"):
        lab.bench("switch_bench", SMALL, [test], f"-{name}", **TRAFFIC)


@pytest.mark.regress
def test_unmutated_passes(lab):
    """The configuration that the mutants fail in passes as it stands, so that it is the mutation that fails it."""
    assert lab.bench("switch_bench", SMALL, ["random_traffic", "zero_load_latency"], **TRAFFIC) == 2
