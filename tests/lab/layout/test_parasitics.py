"""Wires as resistors and capacitors, and connections by metal, on nets that can be computed by hand."""

import re

import pytest
from layouts.samples import chain_of

from dsnswitch.lab.layout.floorplan import Floorplan, Place
from dsnswitch.lab.layout.lef_def import Wire
from dsnswitch.lab.layout.parasitics import VIA_RESISTANCE, OpenNet, connections, parasitics, spef
from dsnswitch.net.messages import UsageError

#: Two inverters side by side, with 10 um between them: A of c0 is at (400, 3500), Y at (1200, ..), A of c1 at (12000, 3500).
PLAN = Floorplan(
    30_000,
    10_000,
    (0, 0, 30_000, 10_000),
    {"c0": Place(0, 0, "N"), "c1": Place(11_600, 0, "N")},
    {},
    {"a": ("metal1", -400, 3500), "y": ("metal1", 14_800, 5500)},
    0.1,
)

WIRES = {
    "a": [Wire("metal1", -400, 3500, 400, 3500)],
    "n1": [
        Wire("metal1", 1200, 3500, 1200, 3500, "M2_M1"),
        Wire("metal2", 1200, 3500, 1200, 5500),
        Wire("metal1", 1200, 5500, 1200, 5500, "M2_M1"),
        Wire("metal1", 1200, 5500, 8000, 5500),
        Wire("metal1", 8000, 5500, 8000, 3500),
        Wire("metal1", 8000, 3500, 12_000, 3500),
    ],
    "y": [Wire("metal1", 12_800, 5500, 14_800, 5500)],
}


@pytest.fixture
def netlist():
    found = chain_of(2)
    assert set(found.nets()) == {"a", "y", "n2"}
    return found


def wires(**changes):
    return {"n2" if net == "n1" else net: pieces for net, pieces in (WIRES | changes).items()}


def test_resistance_and_capacitance(netlist, process):
    found = parasitics(netlist, process, PLAN, wires())
    assert {net: one.length for net, one in found.items()} == {"a": 800, "n2": 14_800, "y": 2000}
    metal1, metal2, _ = process.layers
    expected = metal1.wire_capacitance(12_800) + metal2.wire_capacitance(2000)
    assert found["n2"].capacitance == pytest.approx(expected)
    # Both ends of the wire on metal 2 are at pin Y, so only metal 1 is between the pins.
    ends = [("c0", "Y"), ("c1", "A")]
    assert found["n2"].ends == ends
    through = [ohm for one, two, ohm in found["n2"].resistors if one[0] != "metal2" and two[0] != "metal2"]
    assert sum(through) == pytest.approx(metal1.wire_resistance(12_800))
    assert [ohm for *_, ohm in found["n2"].resistors].count(VIA_RESISTANCE) == 2 == found["n2"].vias


def test_a_repeated_piece_counts_once(netlist, process):
    twice = parasitics(netlist, process, PLAN, wires(a=WIRES["a"] * 2))
    assert twice["a"] == parasitics(netlist, process, PLAN, wires())["a"]


def test_a_via_beside_its_track_is_connected(netlist, process):
    """The router moves a via off its track if a pin needs it. The metal still touches."""
    moved = [Wire("metal1", 1200, 3300, 1200, 3300, "M2_M1"), *WIRES["n1"][1:2]]
    moved += [Wire("metal2", 1200, 5500, 14_000, 5500), Wire("metal2", 14_000, 5500, 14_000, 3500)]
    moved += [Wire("metal1", 12_000, 3500, 12_000, 3500, "M2_M1"), Wire("metal2", 12_000, 3500, 14_000, 3500)]
    found = parasitics(netlist, process, PLAN, wires(n1=moved))
    assert found["n2"].vias == 2


@pytest.mark.parametrize("gone", range(6))
def test_an_open_net_is_an_error(netlist, process, gone):
    pieces = [piece for index, piece in enumerate(WIRES["n1"]) if index != gone]
    if gone < 3:
        # The wire begins at pin Y, with and without the piece on metal 2.
        assert parasitics(netlist, process, PLAN, wires(n1=pieces))["n2"].length <= 14_800
        return
    with pytest.raises(OpenNet, match="Net n2 has a gap between its 2 pins"):
        parasitics(netlist, process, PLAN, wires(n1=pieces))


def test_connections_by_metal(netlist, process):
    found = connections(netlist, process, PLAN, wires())
    groups = {}
    for end, number in found.items():
        groups.setdefault(number, set()).add(end)
    assert {frozenset(group) for group in groups.values()} == {frozenset(ends) for ends in netlist.nets().values()}


def test_connections_show_a_gap_and_a_short(netlist, process):
    found = connections(netlist, process, PLAN, wires(n1=WIRES["n1"][:5]))
    assert found["c0", "Y"] != found["c1", "A"]
    found = connections(netlist, process, PLAN, wires(y=[*WIRES["y"], Wire("metal1", 12_800, 5500, 8000, 5500)]))
    assert found["c0", "Y"] == found["c1", "Y"]


@pytest.mark.parametrize("y", [0, 8500])
def test_a_wire_on_a_rail_or_within_a_cell(netlist, process, y):
    """There is a rail at 0, and an internal wire of the cell at 8500."""
    touching = [Wire("metal1", 400, 3500, 400, y)]
    with pytest.raises(UsageError, match="The layout has a short: a wire touches a rail or a wire within a cell"):
        connections(netlist, process, PLAN, wires(a=[*WIRES["a"], *touching]))


def test_upside_down(netlist, process):
    plan = Floorplan(**{**PLAN.__dict__, "cells": {"c0": Place(0, 0, "FS"), "c1": PLAN.cells["c1"]}})
    with pytest.raises(OpenNet):
        parasitics(netlist, process, plan, wires())


def test_spef(netlist, process):
    """Every end is a connection. The capacitances of a net add up to the sum in its head."""
    found = parasitics(netlist, process, PLAN, wires())
    text = spef(netlist, process, found)
    nets = dict(re.findall(r"^\*D_NET (\w+) (\S+)$", text, re.MULTILINE))
    assert {net: float(total) for net, total in nets.items()} == {
        net: pytest.approx(one.capacitance, abs=1e-7) for net, one in found.items()
    }
    for section in text.split("*D_NET ")[1:]:
        total, body = float(section.split()[1]), section.partition("*CAP\n")[2]
        values = [float(line.split()[2]) for line in body.partition("*RES")[0].splitlines()]
        assert sum(values) == pytest.approx(total, abs=1e-7)
    assert "*I c0:Y O\n*I c1:A I" in text
    assert "*P a I" in text
    assert "*P y O" in text
