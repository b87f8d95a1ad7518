"""Tools for layouts, from Debian packages: graywolf, qrouter, and the OSU cells.

The packages are unpacked (:func:`unpack`). They are neither installed nor committed.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.lab.layout.lef_def import DATABASE
from dsnswitch.lab.synth import timing as opensta
from dsnswitch.lab.synth.library import fetch, unpack
from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import last_line

#: Packages with the programs, and with the libraries that they need and that a machine may lack.
PACKAGES = (
    *("graywolf", "libycadgraywolf1", "libgsl27", "libgslcblas0"),
    *("qrouter", "libtcl8.6", "libx11-6", "libxcb1", "libxau6", "libxdmcp6", "libbsd0", "libmd0"),
)

CELLS = "qflow-tech-osu018"


@dataclass(frozen=True)
class Tools:
    """Paths of programs and files."""

    graywolf: Path
    qrouter: Path
    #: Geometry of the cells, and graywolf's parameters for them.
    lef: Path
    parameters: Path
    #: Environment variables of both programs.
    environment: dict


def tools():
    """The :class:`Tools`. They are fetched at the first call."""
    folders = {name: unpack(name) for name in PACKAGES}
    libraries = [path for folder in folders.values() for path in sorted(folder.glob("usr/lib/*-linux-*"))]
    roots = {
        "TWDIR": folders["graywolf"] / "usr/lib/graywolf",
        "QROUTER_LIB_DIR": folders["qrouter"] / "usr/lib/qrouter",
        "TCL_LIBRARY": folders["libtcl8.6"] / "usr/share/tcltk/tcl8.6",
    }
    # The programs run without a display, and without the caller's libraries.
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "LD_LIBRARY_PATH")}
    environment = kept | {name: str(path) for name, path in roots.items()}
    environment |= {"LD_LIBRARY_PATH": ":".join(map(str, libraries)), "LC_ALL": "C"}
    if opensta.binary() is None:
        raise UsageError("A layout needs OpenSTA: no sta on PATH, and Debian's opensta cannot be fetched or run")
    return Tools(
        folders["graywolf"] / "usr/bin/graywolf",
        folders["qrouter"] / "usr/lib/qrouter/qrouternullg",
        fetch(CELLS, "osu018_stdcells.lef"),
        fetch(CELLS, "osu018.par"),
        environment,
    )


# Places cells with graywolf: rows, and the order of the cells in each.

#: graywolf's units per micrometre, as in the parameter file of the cells.
UNITS = 100

_SCALE = DATABASE // UNITS

#: Seed of graywolf's annealing.
SEED = 12345


def rows(netlist, technology, tools, folder):
    """Names of the cells per row: rows from the bottom up, cells from left to right. graywolf's files go to ``folder``."""
    Path(folder, "design.cel").write_text(_cel(netlist, technology), encoding="ascii")
    text, found = re.subn(r"^(\*random\.seed\s*:).*$", rf"\1 {SEED}", tools.parameters.read_text(), flags=re.MULTILINE)
    if found != 1:
        raise UsageError("graywolf's parameters for the cells have no seed")
    Path(folder, "design.par").write_text(text)
    done = subprocess.run(
        [tools.graywolf, "-n", "design"], cwd=folder, env=tools.environment, capture_output=True, text=True, errors="replace"
    )
    answer = Path(folder, "design.pl1")
    if not answer.exists():
        raise UsageError(f"graywolf cannot place {netlist.top}: {last_line(done.stdout + done.stderr)}")
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
            lines += [f"pad {number + 1} name twpin_{name}", corners, f"pin name {name} signal {port.net} layer 1 0 0", ""]
    return "\n".join(lines) + "\n"


def _feeds(right, top, technology):
    """Lines that allow a wire to cross a cell on each of its vertical tracks."""
    pitch = technology.layers[1].pitch // _SCALE
    for index, x in enumerate(range(-right + pitch // 2, right, pitch)):
        yield f"pin name twfeed{index} signal TW_PASS_THRU layer 1 {x} {-top}"
        yield f"   equiv name twfeed{index} layer 1 {x} {top}"


# Routing of a placed DEF file with qrouter.

#: Number of layers for signals, from the bottom up: all layers of the process.
LAYERS = 6

#: Stage 1 routes every net once. Stage 2 routes the failed nets, and removes nets in their way; it is repeated as long as that
#: helps. Stage 3 routes a complete result again net by net, which shortens wires.
_SCRIPT = """source $env(QROUTER_LIB_DIR)/qrouter.tcl
verbose 1
read_lef cells.lef
catch {{layers {layers}}}
vdd vdd
gnd gnd
read_def placed.def
set failing [stage1]
foreach {{mask effort}} {{10 10 20 10 none 20 none 50 none 100}} {{
    if {{$failing == 0}} {{break}}
    set failing [stage2 mask $mask effort $effort]
    if {{$failing > {most}}} {{break}}
}}
if {{$failing == 0}} {{set failing [stage3]}}
foreach effort {{20 50 100}} {{
    if {{$failing == 0 || $failing > {most}}} {{break}}
    set failing [stage2 mask none effort $effort]
}}
cleanup all
write_def routed.def
puts "@@ failing $failing"
quit
"""

#: Most failing nets after a round of stage 2 at which another round is still worth its time.
HOPELESS = 30


class Unrouted(Exception):
    """``count`` nets have no complete wire."""

    def __init__(self, count):
        super().__init__(f"{count} nets could not be routed")
        self.count = count


def route(text, tools, folder, layers=LAYERS):
    """Routed DEF of the placed DEF ``text``, or :class:`Unrouted`. qrouter's files go to ``folder``."""
    folder = Path(folder)
    (folder / "placed.def").write_text(text, encoding="ascii")
    (folder / "cells.lef").write_bytes(tools.lef.read_bytes())
    (folder / "route.tcl").write_text(_SCRIPT.format(layers=layers, most=HOPELESS), encoding="ascii")
    routed = folder / "routed.def"
    routed.unlink(missing_ok=True)
    done = subprocess.run(
        [tools.qrouter, "route.tcl"],
        cwd=folder,
        env=tools.environment,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    (folder / "route.log").write_text(done.stdout + done.stderr)
    summary = re.search(r"^@@ failing (\d+)", done.stdout, re.MULTILINE)
    if summary is None or not routed.exists():
        raise UsageError(f"qrouter failed: {last_line(done.stdout + done.stderr)}")
    if int(summary[1]):
        raise Unrouted(int(summary[1]))
    return routed.read_text()
