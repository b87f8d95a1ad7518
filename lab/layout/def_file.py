"""Writes a placed design as DEF, and reads the wires of a routed one."""

import re
from dataclasses import dataclass

from dsnswitch.lab.layout.floorplan import FILLER
from dsnswitch.lab.layout.lef import DATABASE
from dsnswitch.net.errors import UsageError

__all__ = ["Wire", "read_wires", "write_def"]


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


def write_def(netlist, technology, plan):
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
    nets = {net: _one_pin(ends) for net, ends in netlist.nets().items()}
    nets = {net: ends for net, ends in nets.items() if len(ends) > 1}
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


def _one_pin(ends):
    """``ends`` with the first port only."""
    ports = [end for end in ends if end[0] is None]
    return [end for end in ends if end not in ports[1:]]


def read_wires(text):
    """``{net: [Wire, ..]}`` of routed DEF ``text``.

    The wires are in the section of nets and in the section of special nets. In the latter, the router writes short wires of
    another width to pins off the tracks.

    Raises
    ------
    UsageError
        If the text has no section of nets, or a wire has an unknown form.
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
