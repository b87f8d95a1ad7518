"""Netlists with plain names: names of the source, constants, RAM, clocks."""

import re

import pytest
from layouts.samples import module

from dsnswitch.lab.layout.netlist import netlist_of
from dsnswitch.net.messages import UsageError


def test_every_name_is_plain():
    cells = {r"\u.v$w[3]": ("INVX1", {"A": 2, "Y": 9}), r"$abc$1.2": ("\\INVX1", {"A": 9, "Y": 3})}
    found = netlist_of(module({"a": ("input", [2]), "y": ("output", [3, 9])}, cells), "top")
    names = {*found.cells, *found.nets(), *found.ports}
    assert all(re.fullmatch(r"\w+", name) for name in names)
    assert {cell.source for cell in found.cells.values()} == set(cells)
    assert {cell.kind for cell in found.cells.values()} == {"INVX1"}
    # A net has the name of its first port.
    assert set(found.nets()) == {"a", "y_0", "y_1"}
    assert found.widths == {"a": 1, "y": 2}


def test_names_of_ports_do_not_collide():
    ports = {"y": ("output", [3, 4]), "y_1": ("input", [2]), "c0": ("input", [5])}
    cells = {"one": ("INVX1", {"A": 2, "Y": 3}), "two": ("INVX1", {"A": 5, "Y": 4})}
    found = netlist_of(module(ports, cells), "top")
    assert len(found.ports) == 4
    assert not set(found.cells) & set(found.ports)


def test_a_pin_on_a_rail_is_no_net():
    ports = {"a": ("input", [2]), "y": ("output", [3, "1"])}
    found = netlist_of(module(ports, {"one": ("NAND2X1", {"A": 2, "B": "x", "Y": 3})}), "top")
    assert found.cells["c0"].pins == {"A": "a", "B": "1'b0", "Y": "y_0"}
    assert found.ports["y_1"].net == "1'b1"
    assert set(found.nets()) == {"a", "y_0"}


def test_pins_of_a_ram_are_ports():
    flat = module(
        {"a": ("input", [2]), "y": ("output", [3])},
        {"one": ("INVX1", {"A": 2, "Y": 4}), "two": ("INVX1", {"A": 5, "Y": 3}), "ram": ("dsnswitch_ram_0", {})},
    )
    flat["modules"]["top"]["cells"]["ram"] |= {
        "connections": {"ADDR": [4], "DATA": [5]},
        "port_directions": {"ADDR": "input", "DATA": "output"},
    }
    flat["modules"]["dsnswitch_ram_0"] = {"ports": {"DATA": {"direction": "output"}}}
    found = netlist_of(flat, "top")
    assert {port.vector: port.direction for port in found.ports.values()} == {
        "a": "input",
        "y": "output",
        ("ram", "ADDR"): "output",
        ("ram", "DATA"): "input",
    }
    assert set(found.cells) == {"c0", "c1"}
    assert found.rams == {"ram": ("dsnswitch_ram_0", {"ADDR": 1, "DATA": 1})}
    assert len(found.nets()) == 4


def clocked(*clocks):
    cells = {f"r{index}": ("DFFPOSX1", {"D": 2, "CLK": bit, "Q": 10 + index}) for index, bit in enumerate(clocks)}
    ports = {"d": ("input", [2]), "clk": ("input", [3]), "other": ("input", [4]), "q": ("output", [10])}
    return netlist_of(module(ports, cells), "top")


def test_clock():
    assert clocked(3, 3).clock() == "clk"
    assert netlist_of(module({"a": ("input", [2])}, {"one": ("INVX1", {"A": 2, "Y": 3})}), "top").clock() is None
    for clocks in ((3, 4), (7,)):
        with pytest.raises(UsageError, match="The clock of top must be one input, not"):
            clocked(*clocks).clock()


@pytest.mark.parametrize(
    ("ports", "cells", "message"),
    [
        ({"a": ("input", [2]), "y": ("output", [2])}, {}, "top has no cells to place"),
        ({"a": ("inout", [2])}, {"one": ("INVX1", {"A": 2, "Y": 3})}, "Port a of top must be an input or an output"),
    ],
)
def test_refused(ports, cells, message):
    with pytest.raises(UsageError, match=message):
        netlist_of(module(ports, cells), "top")
