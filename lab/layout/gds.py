"""Writes a layout as GDSII: an instance of every cell, and the metal of every wire.

A cell contains the metal that its LEF file states: pins, rails and internal wires. It contains no transistors, because
Debian's package of the cells has none.
"""

import tempfile
from datetime import datetime
from pathlib import Path

from dsnswitch.lab.layout.floorplan import FILLER
from dsnswitch.lab.layout.lef import DATABASE

__all__ = ["LAYERS", "gds"]

#: GDS numbers of the layers, from MOSIS' SCN6M rules.
LAYERS = {"metal1": 49, "via": 50, "metal2": 51, "via2": 61, "metal3": 62, "via3": 30, "metal4": 31, "via4": 32}
LAYERS |= {"metal5": 33, "via5": 36, "metal6": 37}

#: Layer of the names of pins and of the outlines of cells.
TEXT, OUTLINE = 83, 84


def gds(layout):
    """Bytes of the GDSII file of a :class:`Layout`. Equal layouts give equal bytes."""
    import gdstk

    library = gdstk.Library("dsnswitch", unit=1e-6, precision=1e-6 / DATABASE)
    kinds = sorted({cell.kind for cell in layout.netlist.cells.values()} | {FILLER})
    cells = {kind: _cell(gdstk, layout.technology.macros[kind]) for kind in kinds}
    library.add(*cells.values())
    top = library.new_cell(layout.netlist.top)
    placed = [(cells[layout.netlist.cells[name].kind], place) for name, place in layout.plan.cells.items()]
    placed += [(cells[FILLER], place) for place in layout.plan.fillers.values()]
    height = layout.technology.site[1]
    for cell, place in placed:
        down = place.orientation == "FS"
        origin = place.x / DATABASE, (place.y + height * down) / DATABASE
        top.add(gdstk.Reference(cell, origin, x_reflection=down))
    for pieces in layout.wires.values():
        for piece in pieces:
            shapes = layout.technology.vias[piece.via] if piece.via else None
            if shapes:
                shapes = [(name, piece.x1 + a, piece.y1 + b, piece.x1 + c, piece.y1 + d) for name, a, b, c, d in shapes]
            top.add(*(_rectangle(gdstk, shape) for shape in shapes or piece.shapes(layout.technology)))
    for name, (layer, x, y) in layout.plan.pins.items():
        half = layout.technology.by_name[layer].width // 2
        top.add(_rectangle(gdstk, (layer, x - half, y - half, x + half, y + half)))
        top.add(gdstk.Label(name, (x / DATABASE, y / DATABASE), layer=TEXT))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "layout.gds")
        library.write_gds(path, timestamp=datetime(2000, 1, 1))
        return path.read_bytes()


def _cell(gdstk, macro):
    cell = gdstk.Cell(macro.name)
    cell.add(gdstk.rectangle((0, 0), (macro.width / DATABASE, macro.height / DATABASE), layer=OUTLINE))
    cell.add(*(_rectangle(gdstk, shape) for shape in macro.others if shape[0] in LAYERS))
    for name, pin in macro.pins.items():
        cell.add(*(_rectangle(gdstk, shape) for shape in pin.shapes))
        x, y = ((pin.shapes[0][i] + pin.shapes[0][i + 2]) / 2 / DATABASE for i in (1, 2))
        cell.add(gdstk.Label(name, (x, y), layer=TEXT))
    return cell


def _rectangle(gdstk, shape):
    layer, x1, y1, x2, y2 = shape
    return gdstk.rectangle((x1 / DATABASE, y1 / DATABASE), (x2 / DATABASE, y2 / DATABASE), layer=LAYERS[layer])
