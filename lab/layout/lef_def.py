"""Reads LEF and routed DEF files, and writes placed designs as DEF.

A layout needs these parts of a LEF file: layers with resistance and capacitance, and cells with their pins.

Lengths are integers in nanometres, the database unit, so that a position on a track is exact.
"""

import re
from dataclasses import dataclass, field

from dsnswitch.lab.layout.floorplan import FILLER
from dsnswitch.net.messages import UsageError

#: Database units per micrometre.
DATABASE = 1000


@dataclass(frozen=True)
class Layer:
    """A routing layer."""

    name: str
    #: Whether the preferred direction is horizontal.
    horizontal: bool
    #: Distance of the tracks, position of the first track, and width of a wire.
    pitch: int
    offset: int
    width: int
    #: Ohm per square.
    resistance: float
    #: pF per square micrometre of wire, and per micrometre of each of its two edges.
    area_capacitance: float
    edge_capacitance: float

    def wire_resistance(self, length: float) -> float:
        """Resistance in ohm of a wire of ``length`` database units."""
        return self.resistance * length / self.width

    def wire_capacitance(self, length: float) -> float:
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
    """The contents of a LEF file."""

    #: Routing layers (:class:`Layer`) from the bottom up.
    layers: tuple
    #: Each :class:`Macro` by name.
    macros: dict
    #: Width and height of the site of standard cells.
    site: tuple
    #: Shapes of each via, as ``(layer, x1, y1, x2, y2)``, including its cuts.
    vias: dict
    by_name: dict = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "by_name", {layer.name: layer for layer in self.layers})


def read_lef(text) -> Technology:
    """The :class:`Technology` of LEF ``text``."""
    layers = [
        _layer(name, body)
        for name, body in re.findall(r"^LAYER (\w+)$(.*?)^END \1$", text, re.MULTILINE | re.DOTALL)
        if re.search(r"TYPE\s+ROUTING", body)
    ]
    macros = {
        name: _macro(name, body) for name, body in re.findall(r"^MACRO (\w+)$(.*?)^END \1$", text, re.MULTILINE | re.DOTALL)
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


@dataclass(frozen=True)
class Wire:
    """A straight piece of a net: a wire on ``layer`` from (x1, y1) to (x2, y2), or the via called ``via`` at (x1, y1).

    ``width`` is 0 for a wire of the layer's width. Its metal extends half a width beyond both points. The metal of a wire with
    another width ends at the points.
    """

    layer: str
    x1: int
    y1: int
    x2: int
    y2: int
    via: str | None = None
    width: int = 0

    def shapes(self, technology):
        """Rectangles of metal ``(layer, x1, y1, x2, y2)``. A via has rectangles on two layers."""
        if self.via:
            metal = (shape for shape in technology.vias[self.via] if shape[0] in technology.by_name)
            return [(name, self.x1 + a, self.y1 + b, self.x1 + c, self.y1 + d) for name, a, b, c, d in metal]
        half = (self.width or technology.by_name[self.layer].width) // 2
        along = 0 if self.width else half
        (left, right), (low, high) = sorted((self.x1, self.x2)), sorted((self.y1, self.y2))
        wide, tall = (along, half) if self.y1 == self.y2 else (half, along)
        return [(self.layer, left - wide, low - tall, right + wide, high + tall)]


def write_def(netlist, technology, plan) -> str:
    """DEF text of a placed, unrouted design."""
    lines = ["VERSION 5.6 ;", "NAMESCASESENSITIVE ON ;", 'DIVIDERCHAR "/" ;', 'BUSBITCHARS "[]" ;', "DESIGN design ;"]
    lines += [f"UNITS DISTANCE MICRONS {DATABASE} ;", f"DIEAREA ( 0 0 ) ( {plan.width} {plan.height} ) ;"]
    for layer in technology.layers:
        axis, extent = ("Y", plan.height) if layer.horizontal else ("X", plan.width)
        count = (extent - layer.offset - 1) // layer.pitch + 1
        lines.append(f"TRACKS {axis} {layer.offset} DO {count} STEP {layer.pitch} LAYER {layer.name} ;")
    placed = [(name, netlist.cells[name].kind, place) for name, place in plan.cells.items()]
    placed += [(name, FILLER, place) for name, place in plan.fillers.items()]
    lines.append(f"COMPONENTS {len(placed)} ;")
    lines += [f"- {name} {kind} + PLACED ( {at.x} {at.y} ) {at.orientation} ;" for name, kind, at in placed]
    # Ports on one net share a pin, because the router accepts one pin per net.
    nets = {}
    for net, ends in netlist.nets().items():
        ports = [end for end in ends if end[0] is None]
        kept = [end for end in ends if end not in ports[1:]]
        nets |= {net: kept} if len(kept) > 1 else {}
    pins = [pin for ends in nets.values() for cell, pin in ends if cell is None]
    lines += ["END COMPONENTS", f"PINS {len(pins)} ;"]
    for name in pins:
        layer, x, y = plan.pins[name]
        half = technology.by_name[layer].width // 2
        lines += [
            f"- {name} + NET {netlist.ports[name].net} + DIRECTION {netlist.ports[name].direction.upper()}",
            f"  + LAYER {layer} ( {-half} {-half} ) ( {half} {half} ) + PLACED ( {x} {y} ) N ;",
        ]
    lines += ["END PINS", f"NETS {len(nets)} ;"]
    for net, ends in nets.items():
        lines.append(f"- {net}")
        lines += [f"  ( {'PIN' if cell is None else cell} {pin} )" for cell, pin in ends]
        lines[-1] += " ;"
    return "\n".join([*lines, "END NETS", "END DESIGN"]) + "\n"


def read_wires(text):
    """``{net: [Wire, ..]}`` of routed DEF ``text``.

    The wires are in the section of nets and in the section of special nets. In the latter, the router writes short wires of
    another width to pins off the tracks.
    """
    found = {}
    for kind in ("NETS", "SPECIALNETS"):
        section = re.search(rf"^{kind} \d+ ;$(.*?)^END {kind}", text, re.MULTILINE | re.DOTALL)
        if section is None and kind == "NETS":
            raise UsageError("The routed DEF has no nets")
        for entry in re.split(r";\s*\n", section[1]) if section else ():
            words = entry.split()
            if words:
                start = words.index("ROUTED") if "ROUTED" in words else len(words)
                found.setdefault(words[1], []).extend(_wires(words[start:]))
    return found


def _wires(words):
    """Pieces of one net. ROUTED or NEW is followed by a layer, then by points and names of vias. ``*`` repeats a coordinate."""
    layer, at, index, width = None, None, 0, 0
    while index < len(words):
        word = words[index]
        if word in ("ROUTED", "NEW", "+"):
            if word != "+":
                layer, at = words[index + 1], None
                index += 1
                # A wire of a special net states its width.
                width = int(words[index + 1]) if words[index + 1].isdecimal() else 0
                index += bool(width)
        elif word == "(":
            x, y = words[index + 1], words[index + 2]
            point = (at[0] if x == "*" else int(x), at[1] if y == "*" else int(y))
            if at is not None:
                yield Wire(layer, *at, *point, width=width)
            at = point
            index = words.index(")", index)
        elif at is not None and re.fullmatch(r"\w+", word):
            yield Wire(layer, *at, *at, via=word)
        else:
            raise UsageError(f"The routed DEF has {word!r} in a wire")
        index += 1
