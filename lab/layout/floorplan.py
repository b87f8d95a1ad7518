"""Floorplan: positions of cells in rows at a given density, of filler cells between them, and of pins around them.

The lower left corner of the die is (0, 0). A margin around the rows is for the pins' wires. Every second row is upside down,
so that neighbouring rows share a rail.
"""

from dataclasses import dataclass

#: Tracks between the edge of the die and the cells.
MARGIN = 10

#: The filler cell, one site wide.
FILLER = "FILL"

#: Tracks between neighbouring pins.
PIN_STEP = 2


@dataclass(frozen=True)
class Place:
    """Lower left corner of a cell, and its orientation: ``N``, or ``FS`` for upside down."""

    x: int
    y: int
    orientation: str


@dataclass(frozen=True)
class Floorplan:
    """Positions of cells, fillers and pins, and size of the die, in database units."""

    width: int
    height: int
    #: Edges of the area of the rows: left, bottom, right, top.
    core: tuple
    #: :class:`Place` of each cell, and of each filler.
    cells: dict
    fillers: dict
    #: ``(layer, x, y)`` of each port. Ports on one net share a position.
    pins: dict
    #: Area of the cells, as a share of the area of the rows.
    utilisation: float

    @property
    def core_area(self) -> float:
        """Area of the rows, in square micrometres."""
        left, bottom, right, top = self.core
        return (right - left) * (top - bottom) / 1e6


def floorplan(rows, netlist, technology, density) -> Floorplan:
    """The :class:`Floorplan` of ``rows`` (:func:`rows`), in which cells take the share ``density`` of the rows.

    All rows have the same width. If ``density`` asks for less than the longest row needs, that row sets the width.
    """
    site, height = technology.site
    widths = {name: technology.macros[cell.kind].width for name, cell in netlist.cells.items()}
    used = [sum(widths[name] for name in row) for row in rows]
    sites = max(max(used) // site, round(sum(used) / density / len(rows) / site))
    left, bottom = MARGIN * site, MARGIN * technology.layers[0].pitch
    cells, fillers = {}, {}
    for index, row in enumerate(rows):
        orientation = "FS" if index % 2 else "N"
        y = bottom + index * height
        free = sites - used[index] // site
        x, filled = left, 0
        for count, name in enumerate([*row, None], 1):
            # Free sites are spread evenly: k / (n + 1) of them come before cell number k of n.
            share = free * count // (len(row) + 1) if name else free
            for _ in range(share - filled):
                fillers[f"f{len(fillers)}"] = Place(x, y, orientation)
                x += site
            filled = share
            if name:
                cells[name] = Place(x, y, orientation)
                x += widths[name]
    right, top = left + sites * site, bottom + len(rows) * height
    pins = _pins(netlist, technology, cells, (right + left, top + bottom))
    share = sum(used) / (sites * site * len(rows))
    return Floorplan(right + left, top + bottom, (left, bottom, right, top), cells, fillers, pins, share)


def _pins(netlist, technology, cells, die):
    """``{port: slot}`` of every port that has a net: a track at the edge, as near to the port's cells as other pins allow."""
    slots = _slots(technology, *die)
    wanted = []
    for net, ends in netlist.nets().items():
        own = [name for cell, name in ends if cell is None]
        places = [_middle(netlist, technology, cells, cell, pin) for cell, pin in ends if cell]
        places = places or [(die[0] // 2, die[1] // 2)]
        x, y = (sum(values) // len(places) for values in zip(*places))
        if own:
            wanted.append((_nearest(slots, x, y, die), net, own))
    wanted.sort()
    found, free = {}, 0
    if len(wanted) > len(slots):
        slots = _slots(technology, *die, step=1)
        wanted = [(2 * index, net, own) for index, net, own in wanted]
    for rank, (index, _, own) in enumerate(wanted):
        # The order around the die stays: a slot after that of the previous port, with enough slots left for the next ports.
        chosen = min(max(index, free), len(slots) - len(wanted) + rank)
        found |= dict.fromkeys(own, slots[chosen])
        free = chosen + 1
    return found


def _slots(technology, width, height, step=PIN_STEP):
    """Ends of tracks around the die, counterclockwise from the lower left corner: ``(layer, x, y)``."""
    vertical, horizontal = technology.layers[1], technology.layers[2]
    xs = range(vertical.offset + MARGIN * vertical.pitch, width - MARGIN * vertical.pitch, step * vertical.pitch)
    ys = range(horizontal.offset + MARGIN * horizontal.pitch, height - MARGIN * horizontal.pitch, step * horizontal.pitch)
    low, high = vertical.offset, horizontal.offset
    right, top = width - low, height - high
    return [
        *((vertical.name, x, high) for x in xs),
        *((horizontal.name, right, y) for y in ys),
        *((vertical.name, x, top) for x in reversed(xs)),
        *((horizontal.name, low, y) for y in reversed(ys)),
    ]


def _middle(netlist, technology, cells, cell, pin):
    place, macro = cells[cell], technology.macros[netlist.cells[cell].kind]
    x, y = macro.pins[pin].centre
    return place.x + x, place.y + (macro.height - y if place.orientation == "FS" else y)


def _nearest(slots, x, y, die):
    """Index of the slot that is nearest to the end of the shortest way from (x, y) to the edge."""
    edge = min((x, 0, y), (die[0] - x, die[0], y), (y, x, 0), (die[1] - y, x, die[1]))[1:]
    return min(range(len(slots)), key=lambda index: (abs(slots[index][1] - edge[0]) + abs(slots[index][2] - edge[1]), index))
