"""A flat mapped netlist with plain names for placers and routers: ``c12`` for cells, ``n34`` or a port's name for nets.

Yosys names most cells and nets with dots, dollar signs and brackets. Placers and routers lose such names or split them. The
netlist keeps the source's names in addition to the plain ones, so that a layout can be compared with the source.
"""

import re
from dataclasses import dataclass

from dsnswitch.lab.synth.library import RAM
from dsnswitch.net.messages import UsageError

#: Constants and undefined bits of Yosys. The library has no tie cells, so a pin with a constant is on a rail and has no net.
CONSTANTS = ("0", "1", "x", "z")


@dataclass(frozen=True)
class Cell:
    """An instance: ``kind`` of cell, ``source`` name, and ``pins`` with their nets. A tied pin has ``1'b0`` or ``1'b1``."""

    kind: str
    source: str
    pins: dict


@dataclass(frozen=True)
class Port:
    """One bit of a port: ``vector`` (the source's port), ``index`` in it, ``direction``, ``net`` (or a constant).

    If the port leads to a RAM outside the layout, ``vector`` is ``(RAM, pin)``.
    """

    vector: str | tuple
    index: int
    direction: str
    net: str


@dataclass(frozen=True)
class Netlist:
    """Cells (:class:`Cell`) and ports (:class:`Port`) by plain name."""

    top: str
    cells: dict
    ports: dict
    #: Width of each port of the source.
    widths: dict
    #: ``{source name: (module, {pin: width})}`` of RAMs. They are outside the layout, and their pins are its ports.
    rams: dict
    #: Modules of RAMs, as Yosys wrote them.
    modules: dict

    def nets(self):
        """``{net: [(cell, pin) or (None, port), ..]}``: the ends of every net that has at least two."""
        ends = {}
        for name, cell in self.cells.items():
            for pin, net in cell.pins.items():
                ends.setdefault(net, []).append((name, pin))
        for name, port in self.ports.items():
            ends.setdefault(port.net, []).append((None, name))
        return {net: found for net, found in ends.items() if len(found) > 1 and "'" not in net}

    def bits(self, vectors):
        """Plain names of all bits of the input ports ``vectors``."""
        return [name for name, port in self.ports.items() if port.vector in vectors and port.direction == "input"]

    def clock(self):
        """The port that clocks every flip-flop, or None if there are no flip-flops."""
        nets = {cell.pins["CLK"] for cell in self.cells.values() if "CLK" in cell.pins}
        found = [name for name, port in self.ports.items() if port.direction == "input" and port.net in nets]
        if len(nets) > 1 or len(found) != len(nets):
            raise UsageError(f"The clock of {self.top} must be one input, not {len(nets)} nets")
        return found[0] if found else None


def netlist_of(flat, top) -> Netlist:
    """The :class:`Netlist` of a flat mapped design, from the output of ``write_json``."""
    module = flat["modules"][top]
    rams = {name: cell for name, cell in module["cells"].items() if cell["type"].startswith(RAM)}
    if len(rams) == len(module["cells"]):
        raise UsageError(f"{top} has no cells to place")
    vectors = {name: (port["direction"], port["bits"]) for name, port in module["ports"].items()}
    widths = {name: len(bits) for name, (_, bits) in vectors.items()}
    for name, ram in sorted(rams.items()):
        for pin, bits in ram["connections"].items():
            # An output of a RAM is an input of the layout.
            vectors[name, pin] = ("input" if ram["port_directions"][pin] == "output" else "output", bits)
    names, ports = {}, {}
    plain = _port_names(vectors)
    for vector, (direction, bits) in vectors.items():
        if direction == "inout":
            raise UsageError(f"Port {vector} of {top} must be an input or an output, not both")
        for index, bit in enumerate(bits):
            name = plain[vector, index]
            net = _constant(bit) if bit in CONSTANTS else names.setdefault(bit, name)
            ports[name] = Port(vector, index, direction, net)
    cells = {}
    for number, source in enumerate(sorted(module["cells"].keys() - rams.keys())):
        cell = module["cells"][source]
        pins = {}
        for pin, (bit,) in cell["connections"].items():
            pins[pin] = _constant(bit) if bit in CONSTANTS else names.setdefault(bit, f"n{len(names)}")
        cells[f"c{number}"] = Cell(cell["type"].removeprefix("\\"), source, pins)
    pins = {name: {pin: len(bits) for pin, bits in ram["connections"].items()} for name, ram in rams.items()}
    rams = {name: (ram["type"], pins[name]) for name, ram in rams.items()}
    modules = {kind: flat["modules"][kind] for kind in {kind for kind, _ in rams.values()}}
    return Netlist(top, cells, ports, widths, rams, modules)


def _constant(bit):
    return "1'b1" if bit == "1" else "1'b0"


def _port_names(vectors):
    """A plain name for every bit. None of them looks like the name of a cell or net."""
    found, taken, number = {}, set(), 0
    for vector, (_, bits) in vectors.items():
        stem = vector
        if isinstance(vector, tuple):
            stem, number = f"ram_{number}", number + 1
        for index in range(len(bits)):
            name = stem if len(bits) == 1 else f"{stem}_{index}"
            while name in taken or re.fullmatch(r"[cnf]\d+", name):
                name += "_"
            taken.add(name)
            found[vector, index] = name
    return found
