"""Pictures of layouts as PNG, and layouts as GDSII. A picture shows every cell, and the wires of every layer."""

import io
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dsnswitch.lab.layout.floorplan import FILLER
from dsnswitch.lab.layout.lef_def import DATABASE
from dsnswitch.net.svg import GREY, INK

#: Fill and opacity of cells and wires, in the order in which they are drawn.
COLOURS = {
    "logic": ("#cbd5e1", 1.0),
    "register": ("#fbbf24", 1.0),
    "pin": ("#0f172a", 1.0),
    "metal1": ("#2563eb", 0.9),
    "metal2": ("#dc2626", 0.55),
    "metal3": ("#16a34a", 0.55),
    "metal4": ("#9333ea", 0.55),
    "metal5": ("#0891b2", 0.55),
    "metal6": ("#ca8a04", 0.55),
}

#: Micrometres between two layouts, around all of them, and for a line of text.
GAP, EDGE, LINE = 20, 8, 11


@dataclass(frozen=True)
class Drawing:
    """Rectangles of one layout; lengths in micrometres."""

    title: str
    width: float
    height: float
    #: ``{name of COLOURS: [(x, y, width, height), ..]}`` from the upper left corner.
    shapes: dict


def drawing(layout, title) -> Drawing:
    """The :class:`Drawing` of a :class:`Layout`."""
    shapes = {name: [] for name in COLOURS}
    tall = layout.plan.height

    def put(kind, x1, y1, x2, y2):
        shapes[kind].append((x1 / 1000, (tall - y2) / 1000, (x2 - x1) / 1000, (y2 - y1) / 1000))

    for name, place in layout.plan.cells.items():
        kind = layout.netlist.cells[name].kind
        macro = layout.technology.macros[kind]
        # A narrow gap shows where a cell ends.
        box = (place.x + 100, place.y + 300, place.x + macro.width - 100, place.y + macro.height - 300)
        put("register" if "CLK" in macro.pins else "logic", *box)
    for pieces in layout.wires.values():
        for piece in pieces:
            for layer, *box in piece.shapes(layout.technology):
                put(layer, *box)
    for _, x, y in layout.plan.pins.values():
        put("pin", x - 400, y - 400, x + 400, y + 400)
    return Drawing(title, layout.plan.width / 1000, tall / 1000, shapes)


def png(drawings, pixels=1600) -> bytes:
    """Bytes of a PNG file of layouts side by side at one scale, ``pixels`` wide. A pixel is the mean of four colour values."""
    from PIL import Image, ImageDraw, ImageFont

    width, height, places = _arranged(drawings)
    scale = 2 * pixels / width
    image = Image.new("RGB", (round(width * scale), round(height * scale)), "#ffffff")
    for name, (fill, opacity) in COLOURS.items():
        mask = Image.new("L", image.size, 0)
        draw = ImageDraw.Draw(mask)
        for one, (x, y) in zip(drawings, places):
            for a, b, c, d in one.shapes[name]:
                box = [round(value * scale) for value in (x + a, y + b, x + a + c, y + b + d)]
                draw.rectangle(box, fill=round(255 * opacity))
        image.paste(Image.new("RGB", image.size, fill), mask=mask)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=8 * scale)
    for one, (x, y) in zip(drawings, places):
        box = [round(value * scale) for value in (x, y, x + one.width, y + one.height)]
        draw.rectangle(box, outline=GREY, width=2)
        draw.text((x * scale, (y + one.height + 2) * scale), one.title, fill=INK, font=font)
    image = image.resize((pixels, round(image.height * pixels / image.width)), Image.Resampling.BOX)
    found = io.BytesIO()
    image.quantize(192).save(found, "PNG", optimize=True)
    return found.getvalue()


def _arranged(drawings):
    """Width and height of the picture in micrometres, and the upper left corner of each layout. Lower edges are on one line."""
    tall = max(one.height for one in drawings)
    places, x = [], EDGE
    for one in drawings:
        places.append((x, EDGE + tall - one.height))
        x += one.width + GAP
    return x - GAP + EDGE, tall + 2 * EDGE + LINE, places


# Writes a layout as GDSII: an instance of every cell, and the metal of every wire.

#: GDS numbers of the layers, from MOSIS' SCN6M rules.
LAYERS = {"metal1": 49, "via": 50, "metal2": 51, "via2": 61, "metal3": 62, "via3": 30, "metal4": 31, "via4": 32}
LAYERS |= {"metal5": 33, "via5": 36, "metal6": 37}

#: Layer of the names of pins and of the outlines of cells.
TEXT, OUTLINE = 83, 84


def gds(layout) -> bytes:
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
