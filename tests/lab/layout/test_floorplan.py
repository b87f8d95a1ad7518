"""Floorplans: cells do not overlap, cells and pins are on the grid, and pins are around the rows."""

import pytest
from layouts.samples import chain_of, module

from dsnswitch.lab.layout.floorplan import MARGIN, floorplan
from dsnswitch.lab.layout.netlist import netlist_of


@pytest.fixture(params=[0.9, 0.5, 0.1])
def plan(request, process):
    netlist = chain_of(30)
    rows = [[f"c{index}" for index in range(start, start + 10)] for start in (0, 10, 20)]
    return request.param, netlist, rows, floorplan(rows, netlist, process, request.param)


def test_density(plan):
    density, _, _, found = plan
    assert found.utilisation == pytest.approx(density, rel=0.06)
    assert found.core_area * found.utilisation == pytest.approx(30 * 16)


def test_sites_are_filled_once(plan, process):
    """Cells and fillers together cover every site of the rows exactly once."""
    _, netlist, rows, found = plan
    left, bottom, right, top = found.core
    taken = []
    for name, place in (*found.cells.items(), *found.fillers.items()):
        kind = netlist.cells[name].kind if name in netlist.cells else "FILL"
        taken += [(x, place.y) for x in range(place.x, place.x + process.macros[kind].width, 800)]
    assert len(taken) == len(set(taken))
    assert set(taken) == {(x, y) for x in range(left, right, 800) for y in range(bottom, top, 10_000)}
    for index, row in enumerate(rows):
        places = [found.cells[name] for name in row]
        assert [place.x for place in places] == sorted(place.x for place in places)
        assert {place.orientation for place in places} == {"FS" if index % 2 else "N"}


def test_pins_are_on_tracks_at_the_edge(plan):
    _, netlist, _, found = plan
    assert set(found.pins) == set(netlist.ports)
    for layer, x, y in found.pins.values():
        assert (x % 800, y % 1000) == (400, 500)
        edges = (y < 1000, found.height - y < 1000) if layer == "metal2" else (x < 800, found.width - x < 800)
        assert any(edges)


def test_more_pins_than_every_second_track(process):
    """If every second track does not suffice, every track is used. Two pins never share a track."""
    count = 20
    ports = {"a": ("input", [*range(2, 2 + count)]), "y": ("output", [*range(50, 50 + count)])}
    cells = {f"i{index}": ("INVX1", {"A": 2 + index, "Y": 50 + index}) for index in range(count)}
    netlist = netlist_of(module(ports, cells), "top")
    found = floorplan([[f"c{index}" for index in range(count)]], netlist, process, 0.9)
    assert len(found.pins) == len(set(found.pins.values())) == 2 * count


def test_ports_on_one_net_share_a_pin(process):
    netlist = netlist_of(
        module({"a": ("input", [2]), "y": ("output", [3]), "z": ("output", [3])}, {"i": ("INVX1", {"A": 2, "Y": 3})}), "top"
    )
    found = floorplan([["c0"]], netlist, process, 0.5)
    assert found.pins["y"] == found.pins["z"] != found.pins["a"]
    assert found.core[0] == MARGIN * 800
