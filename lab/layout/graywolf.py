"""Places cells with graywolf: rows, and the order of the cells in each.

graywolf gets every cell with its pins, and every port as a pad. The flow uses the rows and the order of cells from its result;
:mod:`floorplan` computes the positions on the grid.
"""

import re
import subprocess
from pathlib import Path

from dsnswitch.lab.layout.lef import DATABASE
from dsnswitch.net.errors import UsageError

__all__ = ["rows"]

#: graywolf's units per micrometre, as in the parameter file of the cells.
UNITS = 100

_SCALE = DATABASE // UNITS

#: Seed of graywolf's annealing.
SEED = 12345


def rows(netlist, technology, tools, folder):
    """Names of the cells per row: rows from the bottom up, cells from left to right. graywolf's files go to ``folder``.

    Raises
    ------
    UsageError
        If graywolf fails, or does not place every cell once.
    """
    Path(folder, "design.cel").write_text(_cel(netlist, technology), encoding="ascii")
    text, found = re.subn(r"^(\*random\.seed\s*:).*$", rf"\1 {SEED}", tools.parameters.read_text(), flags=re.MULTILINE)
    if found != 1:
        raise UsageError("graywolf's parameters for the cells have no seed")
    Path(folder, "design.par").write_text(text)
    done = subprocess.run(
        [tools.graywolf, "-n", "design"],
        cwd=folder,
        env=tools.environment,
        capture_output=True,
        text=True,
        errors="replace",
    )
    answer = Path(folder, "design.pl1")
    if not answer.exists():
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no message"]
        raise UsageError(f"graywolf cannot place {netlist.top}: {lines[-1]}")
    found = {}
    for line in answer.read_text().splitlines():
        name, left, *_, row = line.split()
        if name in netlist.cells:
            found.setdefault(int(row), []).append((int(left), name))
    placed = [[name for _, name in sorted(found[row])] for row in sorted(found)]
    if sorted(name for row in placed for name in row) != sorted(netlist.cells):
        raise UsageError(f"graywolf does not place every cell of {netlist.top} once")
    return placed


def _cel(netlist, technology):
    """Cells, pins and pads in graywolf's format, with coordinates relative to the middle of a cell."""
    nets = netlist.nets()
    lines = []
    for number, (name, cell) in enumerate(netlist.cells.items()):
        macro = technology.macros[cell.kind]
        x, y = macro.width // 2, macro.height // 2
        right, top = x // _SCALE, y // _SCALE
        lines += [f"cell {number} {name}", f"left {-right} right {right} bottom {-top} top {top}"]
        lines += _feeds(right, top, technology)
        for pin, net in cell.pins.items():
            if net in nets:
                at = macro.pins[pin].centre
                place = (at[0] - x) // _SCALE, (at[1] - y) // _SCALE
                lines.append(f"pin name {pin} signal {net} layer 1 {place[0]} {place[1]}")
    half = [technology.layers[index].pitch // 2 // _SCALE for index in (1, 0)]
    corners = f"corners 4 -{half[0]} -{half[1]} -{half[0]} {half[1]} {half[0]} {half[1]} {half[0]} -{half[1]}"
    for number, (name, port) in enumerate(netlist.ports.items()):
        if port.net in nets:
            lines += [
                f"pad {number + 1} name twpin_{name}",
                corners,
                f"pin name {name} signal {port.net} layer 1 0 0",
                "",
            ]
    return "\n".join(lines) + "\n"


def _feeds(right, top, technology):
    """Lines that allow a wire to cross a cell on each of its vertical tracks."""
    pitch = technology.layers[1].pitch // _SCALE
    for index, x in enumerate(range(-right + pitch // 2, right, pitch)):
        yield f"pin name twfeed{index} signal TW_PASS_THRU layer 1 {x} {-top}"
        yield f"   equiv name twfeed{index} layer 1 {x} {top}"
