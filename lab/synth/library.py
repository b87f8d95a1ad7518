"""The default standard-cell library: a generated Liberty file by the theory of logical effort, calibrated against OSU 0.18 um.

Sutherland, Sproull, Harris, *Logical Effort* (1999): a gate of drive ``s`` has the delay ``tau * (p + load / s)``, and each input
has the capacitance ``g * s``. Loads are in input capacitances of the smallest inverter, ``p`` is the parasitic delay, ``g`` the
logical effort. An inverter that drives four equal inverters takes ``tau * (1 + 4)``. This is the unit of time here: 1 FO4. Delays
do not depend on the slope of the input. There are no wires.

The area counts gate pitches, ``(transistors + 2) / 6`` in NAND2 equivalents (GE), with the number of transistors after widening:
a NAND2 of four transistors is 1. The areas of OSU 0.18 um cells agree with this to within one pitch.

The other library is that of the real OSU 0.18 um cells, which are downloaded if that is possible. No part of them is installed or
committed.
"""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.net.messages import UsageError

#: Delay of a fanout-of-four inverter in units of tau.
FO4 = 5


@dataclass(frozen=True)
class Cell:
    """One combinational cell."""

    name: str
    #: Liberty expression of the output Y.
    function: str
    #: Input capacitance of each pin, in smallest inverters.
    inputs: dict
    #: Delay without load, in tau.
    parasitic: float
    #: Drive of the output stage.
    drive: float
    #: Number of transistors, for the area.
    transistors: int

    @property
    def area(self) -> float:
        """Area in NAND2 equivalents."""
        return (self.transistors + 2) / 6


def _inverter(drive):
    # Transistors of drives 1 and 2 fit one pitch, as in the OSU cells. Wider transistors are folded.
    return Cell(f"INVX{drive}", "(!A)", {"A": drive}, 1, drive, max(2, drive))


def _two_stage(name, function, inputs, parasitic, drive, transistors):
    """A cell of two stages: an inverting first stage of drive 1, and an output inverter of ``drive``."""
    return Cell(f"{name}X{drive}", function, inputs, parasitic + drive + 1, drive, transistors)


_N2, _N3, _O2, _O3 = 4 / 3, 5 / 3, 5 / 3, 7 / 3

#: Every combinational cell. Efforts and parasitics of simple gates are those of the book's tables 1.1 and 1.2; complex gates
#: follow its rule (widths for the drive of an inverter, ratio of p to n of 2).
CELLS = (
    *(_inverter(drive) for drive in (1, 2, 4, 8)),
    Cell("BUFX2", "A", {"A": 1}, 1 + 2 + 1, 2, 4),
    Cell("BUFX4", "A", {"A": 1.5}, 1 + 4 / 1.5 + 1, 4, 6),
    Cell("NAND2X1", "(!(A B))", {"A": _N2, "B": _N2}, 2, 1, 4),
    Cell("NAND3X1", "(!(A B C))", {"A": _N3, "B": _N3, "C": _N3}, 3, 1, 7),
    Cell("NOR2X1", "(!(A+B))", {"A": _O2, "B": _O2}, 2, 1, 4),
    Cell("NOR3X1", "(!(A+B+C))", {"A": _O3, "B": _O3, "C": _O3}, 3, 1, 14),
    Cell("AOI21X1", "(!((A B)+C))", {"A": 2, "B": 2, "C": 5 / 3}, 7 / 3, 1, 6),
    Cell("AOI22X1", "(!((A B)+(C D)))", {"A": 2, "B": 2, "C": 2, "D": 2}, 4, 1, 8),
    Cell("OAI21X1", "(!((A+B) C))", {"A": 2, "B": 2, "C": 4 / 3}, 7 / 3, 1, 6),
    Cell("OAI22X1", "(!((A+B) (C+D)))", {"A": 2, "B": 2, "C": 2, "D": 2}, 4, 1, 8),
    _two_stage("AND2", "(A B)", {"A": _N2, "B": _N2}, 2, 1, 6),
    _two_stage("AND2", "(A B)", {"A": _N2, "B": _N2}, 2, 2, 6),
    _two_stage("OR2", "(A+B)", {"A": _O2, "B": _O2}, 2, 1, 6),
    _two_stage("OR2", "(A+B)", {"A": _O2, "B": _O2}, 2, 2, 6),
    # An input drives its transistors (g = 2 per pair of series gates) and the inverter for its complement.
    Cell("XOR2X1", "(A^B)", {"A": 3.5, "B": 3.5}, 5.5, 1, 12),
    Cell("XNOR2X1", "(!(A^B))", {"A": 3.5, "B": 3.5}, 5.5, 1, 12),
    Cell("MUX2X1", "(!((S A)+(!S B)))", {"A": 2, "B": 2, "S": 3}, 3.5, 1, 10),
)

#: The same cells by name.
BY_NAME = {cell.name: cell for cell in CELLS}

#: Flip-flop: capacitance of D and clock, clock to output without load (tau), setup (tau), transistors.
FLIP_FLOP = {"name": "DFFPOSX1", "d": 1, "clk": 3, "clk_to_q": 10, "setup": 5, "transistors": 22, "drive": 1}

#: Prefix of the names of memories. A memory is a black box, because no library has cells for it.
RAM = "dsnswitch_ram"


def input_loads(cell):
    """Capacitance of the inputs of a cell of a mapped netlist by pin: of the combinational cells, and D of flip-flops."""
    if cell["type"] == FLIP_FLOP["name"]:
        return {"D": FLIP_FLOP["d"]}
    return BY_NAME[cell["type"]].inputs if cell["type"] in BY_NAME else {}


_LOADS = (0.5, 4, 16, 64)


def _table(parasitic, drive):
    """Delay table in FO4: a row for each load, with the same delay at both input slopes."""
    rows = (f"{(parasitic + load / drive) / FO4:.4f}" for load in _LOADS)
    return ", ".join(f'"{row}, {row}"' for row in rows)


def _arc(pin, parasitic, drive, extra=""):
    delay, slope = _table(parasitic, drive), _table(0, drive)
    tables = {"cell_rise": delay, "cell_fall": delay, "rise_transition": slope, "fall_transition": slope}
    body = "".join(f"        {kind} (loads) {{ values ({values}); }}\n" for kind, values in tables.items())
    return f'      timing () {{\n        related_pin : "{pin}";\n{extra}{body}      }}\n'


def _output(function, arcs, drive):
    limit = f"      max_capacitance : {_LOADS[-1] * drive:g};\n"
    return f'    pin (Y) {{\n      direction : output;\n      function : "{function}";\n{limit}{arcs}    }}\n'


def _input(name, capacitance, extra=""):
    return f"    pin ({name}) {{ direction : input; capacitance : {capacitance:.4f}; {extra}}}\n"


def liberty():
    """The library as Liberty text: time in FO4 (as ns), capacitance in smallest inverters (as pF), area in GE."""
    cells = []
    for cell in CELLS:
        arcs = "".join(_arc(pin, cell.parasitic, cell.drive) for pin in cell.inputs)
        pins = "".join(_input(pin, load) for pin, load in cell.inputs.items())
        body = pins + _output(cell.function, arcs, cell.drive)
        cells.append(f"  cell ({cell.name}) {{\n    area : {cell.area:.4f};\n{body}  }}\n")
    flop = FLIP_FLOP
    edge = "        timing_type : rising_edge;\n"
    arc = _arc("CLK", flop["clk_to_q"], flop["drive"], edge)
    cells.append(
        f"  cell ({flop['name']}) {{\n    area : {(flop['transistors'] + 2) / 6:.4f};\n"
        '    ff (DS0000, P0000) { next_state : "D"; clocked_on : "CLK"; }\n'
        + _input("D", flop["d"])
        + _input("CLK", flop["clk"], "clock : true; ")
        + f'    pin (Q) {{\n      direction : output;\n      function : "DS0000";\n{arc}    }}\n  }}\n'
    )
    index = ", ".join(map(str, _LOADS))
    return (
        "library (dsnswitch_model) {\n"
        '  delay_model : table_lookup;\n  time_unit : "1ns";\n  voltage_unit : "1V";\n  current_unit : "1mA";\n'
        '  pulling_resistance_unit : "1kohm";\n  leakage_power_unit : "1nW";\n  capacitive_load_unit (1, pf);\n'
        "  lu_table_template (loads) {\n    variable_1 : total_output_net_capacitance;\n"
        "    variable_2 : input_net_transition;\n"
        f'    index_1 ("{index}");\n    index_2 ("0.0, 100.0");\n  }}\n' + "".join(cells) + "}\n"
    )


@dataclass(frozen=True)
class Library:
    """A cell library that the recipe can map on, with the units of its figures."""

    name: str
    area_unit: str
    time_unit: str
    #: Liberty file; None for the model, whose text is generated.
    path: str | None = None

    @property
    def is_model(self):
        """Whether this is the generated library."""
        return self.path is None

    def text(self):
        """Liberty text."""
        if self.path is None:
            return liberty()
        with open(self.path, encoding="utf-8") as file:
            return file.read()


#: The default library.
MODEL = Library("model", "GE", "FO4")


# Files of Debian packages. A package is downloaded with ``apt-get`` and unpacked under ``build/tools``, but not installed.

#: Folder of fetched files, relative to the working directory.
FOLDER = Path("build", "tools", "debian")

#: Name of the folder with all files of a package, within the package's own folder.
WHOLE = "unpacked"


def fetch(package, name):
    """Path of the file called ``name`` of ``package`` (:func:`unpack`)."""
    found = next((file for file in unpack(package, name).rglob(name) if file.is_file()), None)
    if found is None:
        raise UsageError(f"Debian's {package} has no file {name}")
    return found


def unpack(package, wanted=None):
    """Folder with all files of ``package``. They are fetched at the first call.

    Raises :class:`UsageError` if this machine cannot download or unpack the package; the message begins with ``wanted``, the
    name of what is needed of it, or with the package's name.
    """
    path, wanted = (FOLDER / package / WHOLE).absolute(), wanted or package
    if path.is_dir():
        return path
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise UsageError(f"{wanted} comes from Debian's {package}, and this machine has no {tool}")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["apt-get", "-q", "download", package], cwd=folder, capture_output=True, text=True)
        packages = list(Path(folder).glob("*.deb"))
        if done.returncode or not packages:
            reason = (done.stderr.strip() or "no package").splitlines()[-1]
            raise UsageError(f"{wanted}: apt-get cannot download {package}: {reason}")
        files = Path(folder, "files")
        done = subprocess.run(["dpkg-deb", "-x", packages[0], files], capture_output=True, text=True)
        if done.returncode:
            raise UsageError(f"{wanted}: dpkg-deb cannot unpack {package}: {done.stderr.strip()[-100:]}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as staged:
            shutil.copytree(files, Path(staged, WHOLE), symlinks=True)
            # Another process may have unpacked the package in the meantime.
            if not path.is_dir():
                Path(staged, WHOLE).rename(path)
    return path


#: Picoseconds per model FO4 and OSU area per model GE in OSU 0.18 um: means over the circuits of
#: ``tests/lab/synth/test_calibration.py``.
PS_PER_FO4 = 86.0
UM2_PER_GE = 23.7

LIBRARIES = ("model", "osu018")


def library(name):
    """The :class:`Library` called ``name``, one of :data:`LIBRARIES`."""
    if name == "model":
        return MODEL
    return Library(name, "um2", "ns", str(fetch("qflow-tech-osu018", "osu018_stdcells.lib")))
