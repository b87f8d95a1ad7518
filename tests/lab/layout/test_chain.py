"""Wires add their RC delay to a chain of inverters across the die. The tests compute this delay from the cells' tables."""

import math
import re
from bisect import bisect_right

import pytest
from layouts.samples import chain_of

from dsnswitch.lab.layout.floorplan import floorplan
from dsnswitch.lab.layout.lef_def import read_wires, write_def
from dsnswitch.lab.layout.parasitics import connections, parasitics, spef
from dsnswitch.lab.layout.timing import LOAD, delays, verilog
from dsnswitch.lab.layout.tools import route
from dsnswitch.lab.synth import timing as opensta
from dsnswitch.lab.synth.library import library

COUNT = 8

#: Input capacitance of INVX1 in pF.
PIN = 0.0093


class Tables:
    """Tables of INVX1: delay and slope by load and input slope, for both edges of the output."""

    def __init__(self, text):
        cell = re.search(r"cell \(INVX1\).*?(?=\ncell \()", text, re.DOTALL)[0]
        self._tables = {
            name: (numbers(one), numbers(two), [numbers(row) for row in re.findall(r'"(.*?)"', rows)])
            for name, one, two, rows in re.findall(
                r'(\w+)\(delay_template_5x5\) \{\s*index_1 \("(.*?)"\);\s*index_2 \("(.*?)"\);\s*values \((.*?)\);',
                cell,
                re.DOTALL,
            )
        }

    def at(self, name, load, slope):
        """Bilinear interpolation."""
        loads, slopes, rows = self._tables[name]
        i, a = between(loads, load)
        j, b = between(slopes, slope)
        low, high = (rows[k][j] * (1 - b) + rows[k][j + 1] * b for k in (i, i + 1))
        return low * (1 - a) + high * a


def numbers(text):
    return [float(word) for word in text.split(",")]


def between(axis, value):
    """Index of the interval and the position within it. Values outside the axis extrapolate the first or last interval."""
    index = min(max(bisect_right(axis, value) - 1, 0), len(axis) - 2)
    return index, (value - axis[index]) / (axis[index + 1] - axis[index])


def expected(tables, wires):
    """Delay of the chain: delays from the cell's tables with all capacitance as load, and the Elmore delay of each wire.

    ``wires`` has resistance and capacitance after each inverter. The middle of an exponential edge is at ln 2 times its time
    constant, and the points at 20 % and 80 % are ln 4 time constants apart.
    """
    worst = 0
    for first in ("rise", "fall"):
        edge, total, slope = first, 0, 0.06
        for ohm, farad in wires[:-1]:
            elmore = ohm * (farad / 2 + PIN) / 1000
            total += tables.at(f"cell_{edge}", farad + PIN, slope) + math.log(2) * elmore
            slope = tables.at(f"{edge}_transition", farad + PIN, slope) + math.log(4) * elmore
            edge = "fall" if edge == "rise" else "rise"
        total += tables.at(f"cell_{edge}", wires[-1][1] + LOAD, slope)
        worst = max(worst, total)
    return worst


@pytest.mark.regress
@pytest.mark.parametrize("density", [0.8, 0.02, 0.01, 0.005, 0.002])
def test_delay_of_a_chain(programs, osu, tmp_path, density):
    netlist = chain_of(COUNT)
    names = sorted(netlist.cells, key=lambda name: netlist.cells[name].source)
    plan = floorplan([names], netlist, osu, density)
    wires = read_wires(route(write_def(netlist, osu, plan), programs, tmp_path))
    found = parasitics(netlist, osu, plan, wires)
    assert connections(netlist, osu, plan, wires)
    text = library("osu018").text()
    (tmp_path / "cells.lib").write_text(text)
    (tmp_path / "layout.v").write_text(verilog(netlist))
    (tmp_path / "wires.spef").write_text(spef(netlist, osu, found))
    times = delays(netlist, {"packet": ["a"]}, None, opensta.binary(), tmp_path)
    links = [found[net] for net in ordered(netlist, names)]
    spread = (plan.core[2] - plan.core[0]) / (COUNT + 1)
    for link in links[:-1]:
        # The length of a wire is the distance to the next inverter, apart from the width of a cell and the way to the pins.
        assert link.length == pytest.approx(spread, abs=8000)
    lumps = [(sum(ohm for *_, ohm in link.resistors), link.capacitance) for link in links]
    tables = Tables(text)
    assert times["wired"]["packet"] == pytest.approx(expected(tables, lumps), rel=0.04)
    assert times["bare"]["packet"] == pytest.approx(expected(tables, [(0, 0)] * COUNT), rel=0.04)


def ordered(netlist, names):
    """Output nets of the inverters, in the order of the chain."""
    return [netlist.cells[name].pins["Y"] for name in names]
