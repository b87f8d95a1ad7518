"""DSN of three dimensions: the grid of D 3.2.3 with a third ring of shortcuts (D 4.2.2 leaves the number of dimensions open)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.registry import Topology, sizes_of
from dsnswitch.net.topology.supernode import RingSupernode, Supernode, parse_supernode

#: Most supernodes along a dimension: with up to four levels, one class of local links for each phase is enough. From 10 on,
#: a packet may go three ids up, and it must not pass the id between: ids 0 to 2 must have links to each other.
MOST, MOST_APART = 16, 9


@dataclass(frozen=True)
class Dsn3d(Adjacency):
    """X x Y x Z supernodes of one shape; every line of supernodes along x, y or z is a ring DSN.

    The supernode is not a ring: a packet could then wait for others around it.
    """

    sizes: tuple
    supernode: Supernode

    word = "dsn-3d"
    kinds: ClassVar = ("local", "x", "y", "z")
    routings: ClassVar = {"base": "routing.dsn_3d:Dsn3dRelation"}

    def __post_init__(self):
        if not isinstance(self.sizes, tuple) or len(self.sizes) != 3:
            raise TypeError(f"Sizes of a dsn-3d must be a tuple of 3 integers, not {self.sizes!r}")
        sizes = tuple(integer(f"Size {axis} of a dsn-3d", n, 1, MOST) for axis, n in zip("xyz", self.sizes))
        object.__setattr__(self, "sizes", sizes)
        if not isinstance(self.supernode, Supernode) or isinstance(self.supernode, RingSupernode):
            name = getattr(self.supernode, "name", self.supernode)
            raise ValueError(f"Supernode of a dsn-3d must be k4x2, k4x2:double, cube-N or coc-MSxMN, not {name}")
        self._check_local(max(sizes))
        self.check_size(self.count * 6)
        self.rings  # noqa: B018 - a ring refuses a supernode that is too small

    def _check_local(self, longest):
        shape = self.supernode
        near = all({0, 1, 2} - {own} <= {shape.neighbour(own, port) for port in range(len(shape.port_names))} for own in range(3))
        if longest > MOST_APART and not near:
            raise ValueError(
                "Sizes of a dsn-3d whose supernodes lack links between ids 0, 1 and 2 must be at most "
                f"{MOST_APART}, not {longest}"
            )

    @cached_property
    def rings(self) -> tuple:
        """The ring DSN of a line of supernodes in each dimension."""
        return tuple(Dsn((size,), self.supernode) for size in self.sizes)

    @property
    def count(self) -> int:
        x, y, z = self.sizes
        return x * y * z * self.supernode.m

    @property
    def name(self) -> str:
        shape = self.supernode.name.replace("-", "").replace(":", "_")
        return f"dsn_3d_{'x'.join(map(str, self.sizes))}_{shape}"

    @property
    def title(self) -> str:
        return f"DSN of {' x '.join(map(str, self.sizes))} supernodes {self.supernode.name}"

    @property
    def spelling(self) -> str:
        return f"dsn-3d:{'x'.join(map(str, self.sizes))}:{self.supernode.name}"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return *map(Field, self.kinds[1:], self.sizes), Field("id", self.supernode.m)

    number_order = 3, 0, 1, 2

    def canonical(self, switch: tuple[int, ...], destination: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """All supernodes are equal, so a canonical pair begins in supernode 0, 0, 0."""
        moved = ((to - own) % size for own, to, size in zip(switch, destination, self.sizes))
        return (0, 0, 0, switch[3]), (*moved, destination[3])

    def representatives(self) -> list[tuple[int, ...]]:
        return [(0, 0, 0, own) for own in range(self.supernode.m)]

    def edges(self) -> Iterable[tuple]:
        known = set()
        for switch in self.switches():
            for axis, ring in enumerate(self.rings):
                at, own = switch[axis], switch[3]
                for port, (end, _) in ring.links_of((at, own)):
                    kind = 0 if port.kind == "local" else axis + 1
                    there = (*switch[:axis], end[0], *switch[axis + 1 : 3], end[1])
                    ends = self.number(switch), self.number(there)
                    known.add((min(ends), max(ends), kind))
        return known


def _parse(form, parts, text):
    if not re.fullmatch("[0-9]{1,9}(x[0-9]{1,9}){2}", parts[0]):
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return Dsn3d(sizes_of(form, parts[0], text), parse_supernode(":".join(parts[1:]) or "k4x2"))


DSN_3D = Topology(
    "dsn-3d:XxYxZ[:SUPERNODE]", "DSN of X x Y x Z supernodes k4x2 (default), k4x2:double, cube-N or coc-MSxMN.", _parse
)
