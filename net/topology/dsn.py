"""Ring and grid DSN (D 3.2.2, 3.2.3): parameters, ports, links, keys and growth."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from dsnswitch.net import options
from dsnswitch.net.checks import integer
from dsnswitch.net.topology.addresses import KEYS, Field
from dsnswitch.net.topology.fitting import near_cube, switches_for
from dsnswitch.net.topology.network import Link, Network, Port
from dsnswitch.net.topology.registry import Topology, sizes_of
from dsnswitch.net.topology.supernode import MAX_NODES, K4x2, RingSupernode, Supernode, parse_supernode

# Output ports of a DSN switch and their links. Port numbers are the same at every node of a DSN.


@dataclass(frozen=True)
class PortLink:
    """The link on a port at all nodes with one id.

    ``level`` is 1..p, ``offset`` the signed distance in supernodes along the ring (modulo its size), ``to_id`` the id of
    the node at the other end. A local link has level None and offset 0.
    """

    port: Port
    level: int | None
    offset: int
    to_id: int


def port_links(dsn, node):
    """The links of a node with id ``node``, as a tuple of :class:`PortLink` in port order; absent links are left out."""
    links = []
    for port in dsn.ports:
        if port.kind == "local":
            links.append(PortLink(port, None, 0, dsn.supernode.neighbour(node, port.index)))
            continue
        axis = dsn.dimensions.index(port.kind)
        # The shortcut of level k leaves id start + k - 1 and enters the next id. Sets do not meet, so the nearest one counts.
        forward = port.direction == "forward"
        level = 1 + min((node - start - (not forward)) % dsn.m for start in dsn.supernode.starts)
        if level <= dsn.levels[axis]:
            step = 1 if forward else -1
            links.append(PortLink(port, level, step * dsn.length(axis, level), (node + step) % dsn.m))
    return tuple(links)


#: Largest ring of supernodes in one dimension that is generated and tested (12 levels).
MAX_RING = 4096

#: Values of :attr:`Dsn.directions`.
DIRECTIONS = ("both", "forward")


@dataclass(frozen=True)
class Dsn(Network):
    """Distributed Shortcut Network: a ring of supernodes with shortcuts in each dimension, all supernodes of the same shape.

    Parameters
    ----------
    sizes : tuple of int
        Supernodes along x, or along x and y; 1 or 2 entries.
    supernode : Supernode
        Shape of every supernode. Its :attr:`Supernode.most_levels`, which are ``m`` with one set of shortcuts, must be at least
        the number of levels of the longer ring.
    directions : str
        ``both``: forward up to half the ring, else backward (D Fig. 4.2). ``forward``: forward only (D 4.2.1, Fig. 4.1).
    """

    sizes: tuple
    supernode: Supernode
    directions: str = "both"

    def __post_init__(self):
        if not isinstance(self.sizes, tuple) or len(self.sizes) not in (1, 2):
            raise TypeError(f"DSN sizes must be a tuple of 1 or 2 integers, not {self.sizes!r}")
        if not isinstance(self.supernode, Supernode):
            raise TypeError(f"DSN supernode must be a Supernode, not {self.supernode!r}")
        if self.directions not in DIRECTIONS:
            raise ValueError(f"DSN directions must be one of {', '.join(DIRECTIONS)}, not {self.directions!r}")
        labels = ("Ring size n",) if len(self.sizes) == 1 else ("Grid width X", "Grid height Y")
        sizes = tuple(integer(label, size, 1, MAX_RING) for label, size in zip(labels, self.sizes))
        object.__setattr__(self, "sizes", sizes)
        for size, levels in zip(self.sizes, self.levels):
            if self.supernode.most_levels < levels:
                needed = f"p = {levels} (= ceil(log2 {size}))"
                if len(self.supernode.starts) > 1:
                    most = self.supernode.most_levels
                    raise ValueError(f"Supernode {self.supernode.name} has at most {most} levels of shortcuts, not {needed}")
                raise ValueError(f"Supernode size m must be at least {needed}, not {self.m}")
        if self.nodes < 2:
            raise ValueError(f"A DSN must have at least 2 nodes, not {self.nodes}")

    routings: ClassVar = {
        "base": "routing.dsn.relation:DsnRelation",
        "minimal": "routing.minimal.relation:MinimalRelation",
        "minimal-adaptive": "routing.minimal.relation:AdaptiveRelation",
        "minimal-digits": "routing.minimal.relation:DigitRelation",
        "detour": "routing.detour.relation:DetourRelation",
    }
    table = "tables.formulas:compile_node"
    picture = "topology.dsn_picture:draw"
    keys = KEYS
    prefix = "dsn_"

    @property
    def topology(self) -> str:
        """``ring`` (1-D) or ``grid`` (2-D)."""
        return ("ring", "grid")[len(self.sizes) - 1]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions, in routing order: x first."""
        return ("x", "y")[: len(self.sizes)]

    @property
    def m(self) -> int:
        """Nodes of one supernode."""
        return self.supernode.m

    @cached_property
    def levels(self) -> Any:
        """Levels ``p = ceil(log2 n)`` of each dimension's ring."""
        return tuple((size - 1).bit_length() for size in self.sizes)

    @property
    def supernodes(self) -> int:
        """Number of supernodes."""
        return math.prod(self.sizes)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Fields of an address: the coordinates of the supernode, then the id inside it."""
        return tuple(Field(*pair) for pair in (*zip(self.dimensions, self.sizes), ("id", self.m)))

    @property
    def number_order(self) -> Sequence[int]:
        """The id runs fastest, then x, then y: ``(y * X + x) * m + id``."""
        axes = len(self.sizes)
        return (axes, *range(axes))

    @cached_property
    def ports(self):
        rows = [(f"local_{name}", "local", None) for name in self.supernode.port_names]
        for dimension, levels in zip(self.dimensions, self.levels):
            if levels:
                rows += [(f"{dimension}_{way}", dimension, way) for way in ("forward", "backward")]
        return tuple(Port(index, *row) for index, row in enumerate(rows))

    @cached_property
    def _links(self):
        """The :class:`PortLink` on each port, by id and port index."""
        return [{link.port.index: link for link in port_links(self, node)} for node in range(self.m)]

    def _entry(self, node, link):
        """Index of the port on which ``link`` of id ``node`` ends."""
        index, way = link.port.index, link.port.direction
        if way is not None:
            # The two directions of a dimension are adjacent in the list of ports.
            return index + 1 if way == "forward" else index - 1
        return next(back for back, end in self._links[link.to_id].items() if end.level is None and end.to_id == node)

    def neighbour(self, switch: tuple[int, ...], port: int) -> tuple[Any, int] | None:
        link = self._links[switch[-1]].get(port)
        if link is None:
            return None
        there = [*switch[:-1], link.to_id]
        if link.level is not None:
            axis = self.dimensions.index(link.port.kind)
            there[axis] = (there[axis] + link.offset) % self.sizes[axis]
        return tuple(there), self._entry(switch[-1], link)

    @property
    def middle(self) -> Any:
        """Supernodes of a ring are on a circle."""
        return (0, 0) if len(self.sizes) == 1 else None

    def place(self, switch: tuple[int, ...]) -> tuple[float, ...] | None:
        """On a circle of all ids of a ring, clockwise from the top; in a grid, on the circle of its supernode."""
        *position, own = switch
        if len(position) == 1:
            n, m = self.sizes[0], self.m
            turn, radius = (position[0] + (own + 0.5 - m / 2) / (m + 1)) / n, max(6, n * (m + 1) / (2 * math.pi))
            return radius * math.sin(2 * math.pi * turn), -radius * math.cos(2 * math.pi * turn)
        angle, radius = 2 * math.pi * (own + 0.5) / self.m, 0 if self.m == 1 else max(0.7, self.m / (2 * math.pi))
        x, y = (at * (2 * radius + 3) for at in position)
        return x + radius * math.sin(angle), y - radius * math.cos(angle)

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """A supernode is a cabinet (D 3.3)."""
        return switch[:-1]

    def canonical(self, switch: tuple[int, ...], destination: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """All supernodes are equal, so a canonical pair begins in supernode 0."""
        moved = (there % n for there, n in zip((d - s for s, d in zip(switch, destination)), self.sizes))
        return ((0,) * len(self.sizes) + switch[-1:]), (*moved, destination[-1])

    def representatives(self) -> list[tuple[int, ...]]:
        return [(0,) * len(self.sizes) + (node,) for node in range(self.m)]

    def links(self) -> Iterable[Link]:
        """Local links by supernode, then shortcuts by dimension and supernode, each from the switch it leaves forwards."""
        ends = [(link, node) for node in range(self.m) for link in self._links[node].values()]
        local = sorted((node, link.to_id, link.port.index) for link, node in ends if link.level is None and node < link.to_id)
        for supernode in product(*map(range, self.sizes)):
            for node, _, port in local:
                yield self._link((*supernode, node), port)
        for axis, size in enumerate(self.sizes):
            forward = [at for at in ends if at[0].port.kind == self.dimensions[axis] and at[0].offset > 0]
            leaving = sorted((link.level, node, link.port.index) for link, node in forward)
            others = [range(other) if index != axis else (0,) for index, other in enumerate(self.sizes)]
            for s, (_, node, port), supernode in product(range(size), leaving, product(*others)):
                yield self._link((*supernode[:axis], s, *supernode[axis + 1 :], node), port)

    @property
    def number_formula(self) -> str:
        return f"({'y * X + x' if self.topology == 'grid' else 'x'}) * m + id"

    def link_rows(self, switch=None) -> list[dict[str, Any]]:
        return [
            {
                "id": node,
                "output": link.port.index,
                "kind": link.port.kind,
                "level": link.level,
                "offset": link.offset,
                "to_id": link.to_id,
            }
            for node in (range(self.m) if switch is None else switch[-1:])
            for link in port_links(self, node)
        ]

    def _link(self, switch, port):
        return Link(switch, port, *self.neighbour(switch, port))

    def level(self, switch: tuple[int, ...], port: int) -> int | None:
        return self._links[switch[-1]][port].level

    def span(self, switch: tuple[int, ...], port: int) -> int | None:
        return abs(self._links[switch[-1]][port].offset) or None

    @property
    def title(self) -> str:
        shape = f"{self.topology} DSN of {' x '.join(map(str, self.sizes))} supernodes {self.supernode.name}"
        return shape + ("" if self.directions == "both" else ", forward only")

    @property
    def spelling(self) -> str:
        tail = "" if self.directions == "both" else ":forward"
        return f"{self.topology}:{'x'.join(map(str, self.sizes))}:{self.supernode.name}{tail}"

    @property
    def parameters(self) -> dict[str, Any]:
        sizes = dict(zip(("x", "y"), self.sizes)) if self.topology == "grid" else {"n": self.sizes[0]}
        return {"topology": self.topology, **sizes, "supernode": self.supernode.name, "m": self.m, "directions": self.directions}

    @property
    def shape(self) -> dict[str, Any]:
        return {
            "topology": self.topology,
            "sizes": list(self.sizes),
            "supernode": self.supernode.name,
            "m": self.m,
            "levels": list(self.levels),
        }

    @property
    def name(self) -> str:
        """Short name, such as ``grid_8x8_k4x2``: the tail of every module name."""
        shape = self.supernode.name.replace("-", "").replace(":", "_")
        tail = "" if self.directions == "both" else "_forward"
        return f"{self.topology}_{'x'.join(map(str, self.sizes))}_{shape}{tail}"

    def length(self, dimension, level) -> int:
        """Length ``l_k = 2^(p-k)`` of the level-``level`` shortcut, in supernodes (D 3.2.2)."""
        return 1 << (self.levels[dimension] - level)

    def backward(self, axis: int, distance) -> bool:
        """Whether a packet with forward distance ``distance`` travels backward around its ring (D Fig. 4.2)."""
        return self.directions == "both" and 2 * distance > self.sizes[axis]

    def key_rule(self, field, kind: str) -> Any:
        if kind == KEYS[0] or field.name == "id":
            return KEYS[0]
        return "padded" if kind == "folded" and self.directions == "forward" else kind

    def relabellings(self, after) -> Iterable[dict]:
        """One relabelling for each number ``r`` of levels by which ids can increase.

        A shortcut of level k has length ``2^(p - k)`` and joins the same two ids in all networks. If a ring gains ``j`` levels,
        shortcuts of the same level become ``2^j`` times as long. So the distance of old supernodes that were neighbours becomes
        ``2^j``:

        - *Same number of levels:* new supernodes are inserted together, at the end of the ring. Each gap in which supernodes
          are inserted cuts all shortcuts that pass over it, so one gap is better than several. Shortcuts that do not wrap
          around keep their cables.
        - *More levels:* old supernodes are the stops of a walk around the new ring in steps of ``2^j``. If the ring grows to
          exactly ``2^j`` times its size, new supernodes are interleaved with old ones, and every cable stays.

        In a supernode that is a ring, all ids can also increase by ``r``. A shortcut of level k then becomes one of level
        ``k + r``, and the steps are ``2^(j - r)``.
        """
        _require_growth(self, after)
        gained = [new - old for old, new in zip(self.levels, after.levels)]
        for turn in range(max(gained) + 1) if isinstance(self.supernode, RingSupernode) else (0,):
            axes = [_walk(old, new, 1 << max(levels - turn, 0)) for old, new, levels in zip(self.sizes, after.sizes, gained)]
            places = product(*(list(enumerate(stops)) for stops in axes))
            yield {
                (*(old for old, _ in place), own): (*(new for _, new in place), (own + turn) % self.m)
                for place in places
                for own in range(self.m)
            }


def _require_growth(before, after):
    """Raise :class:`ValueError` unless the DSN ``before`` can grow to ``after``."""
    if before.topology != after.topology:
        raise ValueError(f"A {before.topology} DSN grows to a {before.topology} DSN, not to {after.spelling}")
    if before.supernode not in (after.supernode, after.supernode.single):
        raise ValueError(f"The supernode {before.supernode.name} must stay as it is, not become {after.supernode.name}")
    for name, old, new in zip(before.dimensions, before.sizes, after.sizes):
        if new < old:
            raise ValueError(f"Supernodes along {name} must be at least {old}, not {new}")
    if (before.sizes, before.supernode) == (after.sizes, after.supernode):
        raise ValueError(f"The network must grow: {after.spelling} has as many supernodes as {before.spelling}")


def _walk(old, new, step):
    """The first ``old`` stops of a walk around ``new`` positions. When it closes, it continues at the next free position."""
    stops, seen, here = [], set(), 0
    while len(stops) < old:
        while here in seen:
            here = (here + 1) % new
        stops.append(here)
        seen.add(here)
        here = (here + step) % new
    return stops


def ring(n, supernode, directions="both"):
    """1-D DSN of ``n`` supernodes. An ``int`` as ``supernode`` is the size of a ring supernode."""
    if not isinstance(supernode, Supernode):
        supernode = RingSupernode(supernode)
    return Dsn((n,), supernode, directions)


def grid(x, y, supernode=None, directions="both"):
    """2-D DSN of ``x`` by ``y`` supernodes, ``k4x2`` unless another shape is given."""
    return Dsn((x, y), supernode or K4x2(), directions)


# A DSN as users write it: one text, or a parameter for each size.

#: Each parameter.
OPTIONS = {
    "p": options.integer("2^P supernodes in each dimension. Replaces x and y, or n.", 0, MAX_RING.bit_length() - 1),
    "x": options.integer("Width of a grid in supernodes.", 1, MAX_RING),
    "y": options.integer("Height of a grid in supernodes.", 1, MAX_RING),
    "n": options.integer("Supernodes of a ring.", 1, MAX_RING),
    "m": options.integer("Nodes of a ring supernode. For other shapes it must agree with the shape.", 1, MAX_NODES),
    "supernode": options.text(
        "Such as k4x2, ring-M or cube-N. k4x2, k4x2:double, ring, ring-M, cube-N or coc-MSxMN.",
        note="k4x2 in a grid and ring in a ring",
    ),
    "directions": options.choice("Directions of travel in a ring.", DIRECTIONS),
}


def _parse(form, parts, text):
    sizes = sizes_of(form, parts[0], text)
    dimensions = 2 if form.startswith("grid") else 1
    directions = parts.pop() if len(parts) > 1 and parts[-1] in DIRECTIONS else "both"
    if len(sizes) != dimensions:
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    if len(parts) > 1:
        return Dsn(sizes, parse_supernode(":".join(parts[1:])), directions)
    return Dsn(sizes, K4x2() if dimensions == 2 else _levels_ring(sizes), directions)


def _levels_ring(sizes):
    """The ring supernode with a node for each level, and at least two."""
    return RingSupernode(max(2, *((size - 1).bit_length() for size in sizes)))


def _make(topology, given):
    """The DSN of a dictionary with keys of :data:`OPTIONS`."""
    sizes = _given_sizes(topology, given)
    return Dsn(sizes, _given_supernode(topology, sizes, given), given.get("directions", DIRECTIONS[0]))


def _given_sizes(topology, given):
    own, foreign = (("x", "y"), ("n",)) if topology == "grid" else (("n",), ("x", "y"))
    for key in foreign:
        if key in given:
            raise ValueError(f"A {topology} takes {' and '.join(own)}, not {key} (= {given[key]})")
    if "p" in given:
        for key in own:
            if key in given:
                raise ValueError(f"Give p or {' and '.join(own)}, not both p (= {given['p']}) and {key} (= {given[key]})")
        high = OPTIONS["p"].high
        if not 0 <= given["p"] <= high:
            raise ValueError(f"p must be in 0..{high}, not {given['p']}")
        return (2 ** given["p"],) * len(own)
    missing = [key for key in own if key not in given]
    if missing:
        absent = f"{missing[0]} is" if len(missing) == 1 else f"{' and '.join(missing)} are"
        raise ValueError(f"A {topology} needs p, or {' and '.join(own)}; {absent} not given")
    return tuple(given[key] for key in own)


def _given_supernode(topology, sizes, given):
    name = given.get("supernode", "k4x2" if topology == "grid" and "m" not in given else "ring")
    m = given.get("m")
    if name == "ring":
        return _levels_ring(sizes) if m is None else RingSupernode(m)
    shape = parse_supernode(name)
    if m is not None and m != shape.m:
        raise ValueError(f"Supernode {name} has m = {shape.m} nodes, not {m}")
    return shape


def _fitting_grids(hosts, radix):
    """Grids of supernodes k4x2, of switches with up to four local links and four shortcuts; a column of ports for each id."""
    needed = switches_for(hosts, radix, 8)
    if needed:
        yield "grid:{}x{}:k4x2".format(*near_cube(-(-needed // 8), 2))


def _fitting_rings(hosts, radix):
    """Rings of supernodes with one id per level, of switches with two local links and two shortcuts."""
    needed = switches_for(hosts, radix, 4)
    for levels in range(2, 13):
        if needed and levels << levels >= needed:
            yield f"ring:{max(2 ** (levels - 1) + 1, -(-needed // levels))}:ring-{levels}"
            return


#: The two topologies of a DSN.
GRID = Topology(
    "grid:XxY[:SUPERNODE][:forward]",
    "Grid DSN of X x Y supernodes (D 3.2.3). SUPERNODE: k4x2 (default), k4x2:double, ring-M, cube-N or coc-MSxMN.",
    _parse,
    _make,
    OPTIONS,
    _fitting_grids,
)
RING = Topology(
    "ring:N[:SUPERNODE][:forward]",
    "Ring DSN of N supernodes (D 3.2.2). SUPERNODE: ring-M (default, a node per level), k4x2, k4x2:double, cube-N or coc-MSxMN.",
    _parse,
    _make,
    OPTIONS,
    _fitting_rings,
)
