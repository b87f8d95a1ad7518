"""Extraction of the connected pins from the shapes of a routed layout: metal that touches, and vias between layers.

Names of nets are not used. The extraction therefore shows an open net, a short between two nets, and a short to a rail or to
a wire within a cell.
"""

from dsnswitch.net.errors import UsageError

__all__ = ["Shapes", "connections", "pin_shapes"]

#: Edge of the squares that shapes are sorted into for the search of neighbours, in database units.
TILE = 8000


class Shapes:
    """Rectangles with one owner each. Rectangles that touch on one layer are connected."""

    def __init__(self):
        self.owners, self._parents, self._tiles = [], [], {}

    def add(self, shape, owner):
        """Add a rectangle ``(layer, x1, y1, x2, y2)`` and return its number."""
        number = len(self.owners)
        self.owners.append(owner)
        self._parents.append(number)
        layer, x1, y1, x2, y2 = shape
        for x in range(x1 // TILE, x2 // TILE + 1):
            for y in range(y1 // TILE, y2 // TILE + 1):
                there = self._tiles.setdefault((layer, x, y), [])
                for other, (a, b, c, d) in there:
                    if x1 <= c and a <= x2 and y1 <= d and b <= y2:
                        self.join(number, other)
                there.append((number, (x1, y1, x2, y2)))
        return number

    def join(self, one, two):
        """Connect two rectangles, as a via does."""
        self._parents[self._root(one)] = self._root(two)

    def groups(self):
        """Owners of connected rectangles: one set per group."""
        found = {}
        for number, owner in enumerate(self.owners):
            found.setdefault(self._root(number), set()).add(owner)
        return list(found.values())

    def _root(self, number):
        while self._parents[number] != number:
            self._parents[number] = number = self._parents[self._parents[number]]
        return number


#: Owners of shapes other than pins: a wire of the router, and rails or wires within a cell.
WIRE, INSIDE = ("wire",), ("inside",)


def connections(netlist, technology, plan, wires):
    """``{(cell, pin) or (None, port): group}``: pins and ports with the same number are connected.

    Raises
    ------
    UsageError
        If a wire touches a rail or a wire within a cell.
    """
    shapes = Shapes()
    for name, cell in netlist.cells.items():
        for pin in technology.macros[cell.kind].pins:
            numbers = [shapes.add(shape, (name, pin)) for shape in pin_shapes(netlist, technology, plan, name, pin)]
            for number in numbers[1:]:
                shapes.join(numbers[0], number)
        for shape in _placed(technology, plan, name, cell, technology.macros[cell.kind].others):
            shapes.add(shape, INSIDE)
    for name in plan.pins:
        for shape in pin_shapes(netlist, technology, plan, None, name):
            shapes.add(shape, (None, name))
    for pieces in wires.values():
        for piece in pieces:
            numbers = [shapes.add(shape, WIRE) for shape in piece.shapes(technology)]
            for number in numbers[1:]:
                shapes.join(numbers[0], number)
    found = {}
    for number, owners in enumerate(shapes.groups()):
        if {WIRE, INSIDE} <= owners:
            near = sorted(map(str, owners - {WIRE, INSIDE}))[:1]
            raise UsageError(f"The layout has a short: a wire touches a rail or a wire within a cell, near {near}")
        found |= dict.fromkeys(owners - {WIRE, INSIDE}, number)
    return found


def pin_shapes(netlist, technology, plan, cell, pin):
    """Rectangles of a pin on the die. ``cell`` is None for the pin of a port."""
    if cell is None:
        layer, x, y = plan.pins[pin]
        half = technology.by_name[layer].width // 2
        return [(layer, x - half, y - half, x + half, y + half)]
    kind = netlist.cells[cell]
    return _placed(technology, plan, cell, kind, technology.macros[kind.kind].pins[pin].shapes)


def _placed(technology, plan, name, cell, shapes):
    place, height = plan.cells[name], technology.macros[cell.kind].height
    for layer, x1, y1, x2, y2 in shapes:
        if place.orientation == "FS":
            y1, y2 = height - y2, height - y1
        yield layer, place.x + x1, place.y + y1, place.x + x2, place.y + y2
