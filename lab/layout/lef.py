"""Reads the parts of a LEF file that a layout needs: layers with resistance and capacitance, and cells with their pins.

Lengths are integers in nanometres, the database unit, so that a position on a track is exact.
"""

import re
from dataclasses import dataclass, field

from dsnswitch.net.errors import UsageError

__all__ = ["DATABASE", "Layer", "Macro", "Pin", "Technology", "read_lef"]

#: Database units per micrometre.
DATABASE = 1000


@dataclass(frozen=True)
class Layer:
    """A routing layer.

    Attributes
    ----------
    name : str
    horizontal : bool
        Whether the preferred direction is horizontal.
    pitch, offset, width : int
        Distance of the tracks, position of the first track, and width of a wire.
    resistance : float
        Ohm per square.
    area_capacitance, edge_capacitance : float
        pF per square micrometre of wire, and per micrometre of each of its two edges.
    """

    name: str
    horizontal: bool
    pitch: int
    offset: int
    width: int
    resistance: float
    area_capacitance: float
    edge_capacitance: float

    def wire_resistance(self, length):
        """Resistance in ohm of a wire of ``length`` database units."""
        return self.resistance * length / self.width

    def wire_capacitance(self, length):
        """Capacitance in pF of a wire of ``length`` database units."""
        microns, width = length / DATABASE, self.width / DATABASE
        return microns * (width * self.area_capacitance + 2 * self.edge_capacitance)


@dataclass(frozen=True)
class Pin:
    """A pin of a cell: ``direction`` (``input``, ``output``, ``inout``), and ``shapes`` as ``(layer, x1, y1, x2, y2)``."""

    direction: str
    shapes: tuple

    @property
    def centre(self):
        """Middle of the bounding box."""
        x = [value for shape in self.shapes for value in (shape[1], shape[3])]
        y = [value for shape in self.shapes for value in (shape[2], shape[4])]
        return (min(x) + max(x)) // 2, (min(y) + max(y)) // 2


@dataclass(frozen=True)
class Macro:
    """A cell: size, signal pins by name, and other shapes (rails and internal wires) as ``(layer, x1, y1, x2, y2)``."""

    name: str
    width: int
    height: int
    pins: dict
    others: tuple


@dataclass(frozen=True)
class Technology:
    """The contents of a LEF file.

    Attributes
    ----------
    layers : tuple of Layer
        Routing layers from the bottom up.
    macros : dict of Macro
    site : tuple of int
        Width and height of the site of standard cells.
    vias : dict
        Shapes of each via, as ``(layer, x1, y1, x2, y2)``, including its cuts.
    """

    layers: tuple
    macros: dict
    site: tuple
    vias: dict
    by_name: dict = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "by_name", {layer.name: layer for layer in self.layers})


def read_lef(text):
    """The :class:`Technology` of LEF ``text``.

    Raises
    ------
    UsageError
        If the text has no routing layer, no site or no cell.
    """
    layers = [
        _layer(name, body)
        for name, body in re.findall(r"^LAYER (\w+)$(.*?)^END \1$", text, re.MULTILINE | re.DOTALL)
        if re.search(r"TYPE\s+ROUTING", body)
    ]
    macros = {
        name: _macro(name, body)
        for name, body in re.findall(r"^MACRO (\w+)$(.*?)^END \1$", text, re.MULTILINE | re.DOTALL)
    }
    site = re.search(r"^SITE .*?SIZE\s+([\d.]+) BY ([\d.]+)", text, re.MULTILINE | re.DOTALL)
    if not layers or not macros or site is None:
        raise UsageError("The LEF file has no routing layer, no cell or no site")
    vias = re.findall(r"^VIA (\w+) DEFAULT$(.*?)^END \1$", text, re.MULTILINE | re.DOTALL)
    shapes = {name: tuple(_shapes(body)) for name, body in vias}
    return Technology(tuple(layers), macros, (_units(site[1]), _units(site[2])), shapes)


def _units(text):
    return round(float(text) * DATABASE)


def _layer(name, body):
    def number(key):
        return float(re.search(rf"^\s*{key}\s+(\S+)\s*;", body, re.MULTILINE)[1])

    return Layer(
        name,
        "HORIZONTAL" in body,
        *(round(number(key) * DATABASE) for key in ("PITCH", "OFFSET", "WIDTH")),
        number("RESISTANCE\\s+RPERSQ"),
        number("CAPACITANCE\\s+CPERSQDIST"),
        number("EDGECAPACITANCE"),
    )


def _macro(name, body):
    size = re.search(r"SIZE ([\d.]+) BY ([\d.]+)", body)
    pins, others = {}, []
    for pin, text in re.findall(r"^  PIN (\w+)$(.*?)^  END \1$", body, re.MULTILINE | re.DOTALL):
        shapes = tuple(_shapes(text))
        if re.search(r"USE (POWER|GROUND)", text):
            others += shapes
        else:
            pins[pin] = Pin(re.search(r"DIRECTION (\w+)", text)[1].lower(), shapes)
    blocked = re.search(r"^  OBS(.*?)^  END", body, re.MULTILINE | re.DOTALL)
    others += _shapes(blocked[1]) if blocked else ()
    return Macro(name, _units(size[1]), _units(size[2]), pins, tuple(others))


def _shapes(text):
    layer = None
    for kind, rest in re.findall(r"(LAYER|RECT)\s+([^;]+);", text):
        if kind == "LAYER":
            layer = rest.strip()
        else:
            yield (layer, *map(_units, rest.split()))
