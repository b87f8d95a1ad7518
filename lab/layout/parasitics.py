"""Connections of a routed layout, and resistance and capacitance of every net, from its wires and vias.

Each wire between two bends, vias or pins is a resistor with half of the wire's capacitance at each end. The LEF file gives the
sheet resistance, and the capacitance of area and edges to the substrate. The capacitance between neighbouring wires is left out.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

from networkx import Graph, connected_components
from networkx.utils import UnionFind

from dsnswitch.net.messages import UsageError

#: Edge of the squares that shapes are sorted into for the search of neighbours, in database units.
TILE = 8000


class Shapes:
    """Rectangles with one owner each. Rectangles that touch on one layer are connected."""

    def __init__(self):
        self.owners, self._groups, self._tiles = [], UnionFind(), {}

    def add(self, shape, owner) -> int:
        """Add a rectangle ``(layer, x1, y1, x2, y2)`` and return its number."""
        number = len(self.owners)
        self.owners.append(owner)
        layer, x1, y1, x2, y2 = shape
        for x in range(x1 // TILE, x2 // TILE + 1):
            for y in range(y1 // TILE, y2 // TILE + 1):
                there = self._tiles.setdefault((layer, x, y), [])
                for other, (a, b, c, d) in there:
                    if x1 <= c and a <= x2 and y1 <= d and b <= y2:
                        self.join(number, other)
                there.append((number, (x1, y1, x2, y2)))
        return number

    def join(self, one, two) -> None:
        """Connect two rectangles, as a via does."""
        self._groups.union(one, two)

    def groups(self):
        """Owners of connected rectangles: one set per group."""
        found = {}
        for number, owner in enumerate(self.owners):
            found.setdefault(self._groups[number], set()).add(owner)
        return list(found.values())


#: Owners of shapes other than pins: a wire of the router, and rails or wires within a cell.
WIRE, INSIDE = ("wire",), ("inside",)


def connections(netlist, technology, plan, wires):
    """``{(cell, pin) or (None, port): group}``: pins and ports with the same number are connected."""
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


#: Resistance of one via in ohm. The LEF file states none. The value is from MOSIS' wafer tests of the cells' process (TSMC
#: 0.18 um, run T3AZ): 4.96, 9.57 and 14.31 ohm from metal 1 to metal 2, 3 and 4.
VIA_RESISTANCE = 5.0


class OpenNet(Exception):
    """A net's wires do not connect all of its pins."""


@dataclass(frozen=True)
class NetParasitics:
    """Parasitics of one net."""

    #: ``(cell, pin)`` or ``(None, port)``.
    ends: list
    #: ``{node: pF}``. A node is an end, or ``(layer, x, y)``.
    capacitances: dict
    #: ``(node, node, ohm)``.
    resistors: list
    #: Length of all wires in database units.
    length: int
    vias: int

    @property
    def capacitance(self) -> float:
        """Capacitance of all wires, in pF."""
        return sum(self.capacitances.values())


def parasitics(netlist, technology, plan, wires):
    """``{net: NetParasitics}`` of every net of ``netlist``.

    Raises :class:`OpenNet` if a net is not one connected piece.
    """
    found = {}
    for net, ends in netlist.nets().items():
        shapes = [(end, shape) for end in ends for shape in pin_shapes(netlist, technology, plan, *end)]
        found[net] = _Net(technology, wires.get(net, ()), shapes).parasitics(net, ends)
    return found


class _Net:
    """Nodes and resistors of one net.

    A node is a point of a piece, or an end. Points within an end's metal are part of the end. The metal of two pieces can touch
    away from their points, as that of a via off its track; the pieces are then joined.
    """

    def __init__(self, technology, pieces, shapes):
        self._technology = technology
        # The router sometimes writes a piece twice.
        self._pieces = list(dict.fromkeys(pieces))
        self._metal = {piece: piece.shapes(technology) for piece in self._pieces}
        self._parents, self._edges = {}, {}
        self._points = {piece: {(piece.x1, piece.y1), (piece.x2, piece.y2)} for piece in self._pieces}
        for piece, end, rectangle in self._contacts(shapes):
            at = _closest(piece, rectangle)
            self._points[piece].add(at)
            self._join((rectangle[0], *at), end)
        ports = [pair for pair in shapes if pair[0][0] is None]
        for (one, _), (two, _) in pairwise(ports):
            # Ports on one net share a position.
            self._join(one, two)
        self._connect()
        self._join_touching()

    def parasitics(self, net, ends):
        """The :class:`NetParasitics` of the net."""
        roots = {self._root(end) for end in ends}
        if len(self._components(roots)) > 1:
            raise OpenNet(f"Net {net} has a gap between its {len(ends)} pins")
        names = {self._root(end): end for end in reversed(ends)}
        capacitances, resistors, length = {}, [], 0
        for (one, two), extent in sorted(self._edges.items()):
            nodes = [names.get(self._root(node), self._root(node)) for node in (one, two)]
            ohm = VIA_RESISTANCE
            if extent is not None:
                layer = self._technology.by_name[one[0]]
                ohm, length = layer.wire_resistance(extent), length + extent
                for node in nodes:
                    capacitances[node] = capacitances.get(node, 0) + layer.wire_capacitance(extent) / 2
            if nodes[0] != nodes[1]:
                resistors.append((*nodes, ohm))
        for end in ends:
            # This end shares metal with another end.
            if names[self._root(end)] != end:
                resistors.append((names[self._root(end)], end, 0.001))
        return NetParasitics(ends, capacitances, resistors, length, sum(bool(piece.via) for piece in self._pieces))

    def _contacts(self, shapes):
        """Yield ``(piece, end, rectangle)`` for every piece that touches a pin."""
        for piece, metal in self._metal.items():
            for end, rectangle in shapes:
                if any(_touch(shape, rectangle) for shape in metal):
                    yield piece, end, rectangle

    def _connect(self):
        """Add the edges: each via, with extent None, and the part of each wire between neighbouring points on it."""
        on_layer = {}
        for piece, points in self._points.items():
            for layer, *_ in self._metal[piece]:
                on_layer.setdefault(layer, set()).update(points)
        for piece in self._pieces:
            if piece.via:
                (low, *_), (high, *_) = self._metal[piece]
                self._edges[(low, piece.x1, piece.y1), (high, piece.x1, piece.y1)] = None
            else:
                on = sorted(point for point in on_layer[piece.layer] if _on(piece, point))
                for one, two in pairwise(on):
                    extent = abs(one[0] - two[0]) + abs(one[1] - two[1])
                    self._edges[(piece.layer, *one), (piece.layer, *two)] = extent

    def _join_touching(self):
        """Join parts of the net whose metal touches but that have no common point."""
        parts = self._components({self._root((shape[0], p.x1, p.y1)) for p in self._pieces for shape in self._metal[p]})
        if len(parts) < 2:
            return
        part = {node: number for number, nodes in enumerate(parts) for node in nodes}
        placed = [
            (part[self._root((shape[0], piece.x1, piece.y1))], piece, shape)
            for piece in self._pieces
            for shape in self._metal[piece]
        ]
        for (one, piece, shape), (two, other, touched) in combinations(placed, 2):
            if one != two and _touch(shape, touched):
                self._join((shape[0], piece.x1, piece.y1), (touched[0], other.x1, other.y1))

    def _components(self, roots):
        """Sets of connected nodes that contain ``roots``."""
        graph = Graph((self._root(one), self._root(two)) for one, two in self._edges)
        graph.add_nodes_from(roots)
        return [part for part in connected_components(graph) if part & roots]

    def _root(self, node):
        while node in self._parents:
            node = self._parents[node]
        return node

    def _join(self, one, two):
        one, two = self._root(one), self._root(two)
        if one != two:
            self._parents[one] = two


def _touch(one, two):
    return one[0] == two[0] and one[1] <= two[3] and two[1] <= one[3] and one[2] <= two[4] and two[2] <= one[4]


def _closest(piece, rectangle):
    """The point of a piece's middle line that is nearest to the middle of a rectangle."""
    _, x1, y1, x2, y2 = rectangle
    (left, right), (low, high) = sorted((piece.x1, piece.x2)), sorted((piece.y1, piece.y2))
    return min(max((x1 + x2) // 2, left), right), min(max((y1 + y2) // 2, low), high)


def _on(piece, point):
    """Whether a point is on a piece's middle line."""
    (left, right), (low, high) = sorted((piece.x1, piece.x2)), sorted((piece.y1, piece.y2))
    return left <= point[0] <= right and low <= point[1] <= high


# Writes the resistors and capacitors of every net of a layout as SPEF, for timing tools.

_HEAD = """*SPEF "IEEE 1481-1998"
*DESIGN "layout"
*DATE ""
*VENDOR ""
*PROGRAM "dsnswitch"
*VERSION ""
*DESIGN_FLOW ""
*DIVIDER /
*DELIMITER :
*BUS_DELIMITER [ ]
*T_UNIT 1 NS
*C_UNIT 1 PF
*R_UNIT 1 OHM
*L_UNIT 1 HENRY
"""


def spef(netlist, technology, found) -> str:
    """SPEF text of :func:`parasitics`: capacitance in pF, resistance in ohm."""
    lines = [_HEAD]
    for net, one in found.items():
        names = {}
        lines += [f"*D_NET {net} {one.capacitance:.8f}", "*CONN"]
        for cell, pin in one.ends:
            names[cell, pin] = f"{cell}:{pin}" if cell else pin
            if cell:
                way = technology.macros[netlist.cells[cell].kind].pins[pin].direction
                lines.append(f"*I {cell}:{pin} {way[0].upper()}")
            else:
                lines.append(f"*P {pin} {netlist.ports[pin].direction[0].upper()}")
        nodes = [*one.capacitances, *(node for pair in one.resistors for node in pair[:2])]
        for node in nodes:
            names.setdefault(node, f"{net}:{len(names)}")
        lines.append("*CAP")
        lines += [f"{i} {names[node]} {value:.8f}" for i, (node, value) in enumerate(one.capacitances.items(), 1)]
        lines.append("*RES")
        lines += [f"{i} {names[a]} {names[b]} {ohm:.4f}" for i, (a, b, ohm) in enumerate(one.resistors, 1)]
        lines += ["*END", ""]
    return "\n".join(lines) + "\n"
