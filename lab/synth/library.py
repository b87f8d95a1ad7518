"""The default standard-cell library: a generated Liberty file by the theory of logical effort, calibrated against OSU 0.18 um.

Sutherland, Sproull, Harris, *Logical Effort* (1999): a gate of drive ``s`` has the delay ``tau * (p + load / s)``, and each input
has the capacitance ``g * s``. Loads are in input capacitances of the smallest inverter, ``p`` is the parasitic delay, ``g`` the
logical effort. An inverter that drives four equal inverters takes ``tau * (1 + 4)``. This is the unit of time here: 1 FO4. Delays
do not depend on the slope of the input. There are no wires.

The area counts gate pitches, ``(transistors + 2) / 6`` in NAND2 equivalents (GE), with the number of transistors after widening:
a NAND2 of four transistors is 1. The areas of OSU 0.18 um cells agree with this to within one pitch.
"""

from dataclasses import dataclass

#: Delay of a fanout-of-four inverter in units of tau.
FO4 = 5


@dataclass(frozen=True)
class Cell:
    """One combinational cell.

    Attributes
    ----------
    name : str
    function : str
        Liberty expression of the output Y.
    inputs : dict
        Input capacitance of each pin, in smallest inverters.
    parasitic : float
        Delay without load, in tau.
    drive : float
        Drive of the output stage.
    transistors : int
        Number of transistors, for the area.
    """

    name: str
    function: str
    inputs: dict
    parasitic: float
    drive: float
    transistors: int

    @property
    def area(self):
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

#: Flip-flop: capacitance of D and clock, clock to output without load (tau), setup (tau), transistors.
FLIP_FLOP = {"name": "DFFPOSX1", "d": 1, "clk": 3, "clk_to_q": 10, "setup": 5, "transistors": 22, "drive": 1}

#: Prefix of the names of memories. A memory is a black box, because no library has cells for it.
RAM = "dsnswitch_ram"

_LOADS = (0.5, 4, 16, 64)


def _table(parasitic, drive):
    """Delay table in FO4: a row for each load, with the same delay at both input slopes."""
    rows = (f"{(parasitic + load / drive) / FO4:.4f}" for load in _LOADS)
    return ", ".join(f'"{row}, {row}"' for row in rows)


def _arc(pin, parasitic, drive, extra=""):
    delay, slope = _table(parasitic, drive), _table(0, drive)
    body = "".join(
        f"        {kind} (loads) {{ values ({values}); }}\n"
        for kind, values in (
            ("cell_rise", delay),
            ("cell_fall", delay),
            ("rise_transition", slope),
            ("fall_transition", slope),
        )
    )
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
    """A cell library that the recipe can map on.

    Attributes
    ----------
    name : str
    area_unit, time_unit : str
        Units of its area and delay figures.
    path : path or None
        Liberty file; None for the model, whose text is generated.
    """

    name: str
    area_unit: str
    time_unit: str
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
