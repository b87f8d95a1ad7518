"""Supernode shapes: the links between the ``m`` nodes of one supernode (D 3.2.4).

A shape defines its local ports relative to the node's own id, so that one netlist serves every node: port ``q`` of node
``i`` leads to ``neighbour(i, q)``. :mod:`dsnswitch.net.routing.dsn.local` has the routes over these links.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from dsnswitch.net.checks import integer

#: Largest supernode that is generated and tested.
MAX_NODES = 64


class Supernode(ABC):
    """Shape of a supernode: size, diameter and local ports.

    ``m`` is the number of nodes; ids are ``0..m-1`` (the papers' level minus one). ``name`` is the text that
    :func:`parse_supernode` accepts, ``diameter`` the local hops of the longest shortest path (the papers' Delta), and
    ``port_names`` are those of the local ports, by index. ``starts`` has the first id of each set of shortcuts: the shortcut
    of level k leaves id ``start + k - 1`` and enters id ``start + k`` (mod m).
    """

    m: int
    starts = (0,)

    @property
    def single(self) -> Any:
        """The same supernode with one set of shortcuts."""
        return self

    @property
    def most_levels(self) -> int:
        """Levels that a dimension may have: each set of shortcuts leaves ids of its own."""
        return self.m // len(self.starts)

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def diameter(self) -> int: ...

    @property
    @abstractmethod
    def port_names(self) -> tuple[str, ...]: ...

    @abstractmethod
    def neighbour(self, node: int, port: int) -> int:
        """Id of the node that local port ``port`` of node ``node`` leads to."""


@dataclass(frozen=True)
class RingSupernode(Supernode):
    """``m`` nodes in a ring (D 3.2.2); port 0 goes up to ``id + 1``, port 1 down to ``id - 1``.

    Two nodes have one link, on port 0; one node has none.
    """

    m: int

    def __post_init__(self):
        object.__setattr__(self, "m", integer("Ring supernode size m", self.m, 1, MAX_NODES))

    @property
    def name(self) -> str:
        return f"ring-{self.m}"

    @property
    def diameter(self) -> int:
        return self.m // 2

    @property
    def port_names(self) -> tuple[str, ...]:
        return ("up", "down")[: min(self.m - 1, 2)]

    def neighbour(self, node: int, port: int) -> int:
        return (node + (1, -1)[port]) % self.m


@dataclass(frozen=True)
class K4x2(Supernode):
    """Two complete graphs {0,1,2,3} and {4,5,6,7} and the matching ``i``-``7-i`` (D Fig. 3.3).

    Port ``q`` of node ``i`` leads to ``i ^ (q + 1)`` in its own half for ``q`` = 0..2 and to ``i ^ 7`` for ``q`` = 3.

    A ``double`` supernode has two sets of shortcuts, one beginning in each half. With at most four levels in a dimension, no
    id has more than one shortcut forward and one backward there.
    """

    double: bool = False

    m, diameter, port_names = 8, 2, ("xor1", "xor2", "xor3", "cross")

    @property
    def name(self) -> str:
        return "k4x2:double" if self.double else "k4x2"

    @property
    def single(self) -> Any:
        return K4x2()

    @property
    def starts(self):
        return (0, 4) if self.double else (0,)

    def neighbour(self, node: int, port: int) -> int:
        return node ^ (1, 2, 3, 7)[port]


@dataclass(frozen=True)
class CubeSupernode(Supernode):
    """Hypercube of ``n`` dimensions, ``2^n`` nodes (D 3.2.4); port ``q`` of node ``i`` leads to ``i ^ 2^q``."""

    n: int

    def __post_init__(self):
        object.__setattr__(self, "n", integer("Dimensions N of a cube supernode", self.n, 1, MAX_NODES.bit_length() - 1))

    @property
    def m(self) -> int:
        return 1 << self.n

    @property
    def name(self) -> str:
        return f"cube-{self.n}"

    @property
    def diameter(self) -> int:
        return self.n

    @property
    def port_names(self) -> tuple[str, ...]:
        return tuple(f"bit{bit}" for bit in range(self.n))

    def neighbour(self, node: int, port: int) -> int:
        return node ^ 1 << port


@dataclass(frozen=True)
class Coc(Supernode):
    """Complete graph of ``ms`` complete graphs of ``mn`` nodes (D 3.2.4, Fig. 3.4); 4 x 4 is the paper's CoC-16.

    Node ``(a, b)``, subgraph ``a`` and column ``b``, has id ``a * mn + b``. The first ``mn - 1`` ports lead to column
    ``b + 1 + q`` of its own subgraph, the other ``ms - 1`` to the same column of subgraph ``a + 1 + q``, both modulo.
    """

    ms: int
    mn: int

    diameter = 2

    def __post_init__(self):
        object.__setattr__(self, "ms", integer("CoC subgraph count ms", self.ms, 2, MAX_NODES // 2))
        object.__setattr__(self, "mn", integer("CoC subgraph size mn", self.mn, 2, MAX_NODES // 2))
        if self.m > MAX_NODES:
            raise ValueError(f"CoC size ms * mn must be at most {MAX_NODES}, not {self.m} (= {self.ms} * {self.mn})")

    @property
    def m(self) -> int:
        return self.ms * self.mn

    @property
    def name(self) -> str:
        return f"coc-{self.ms}x{self.mn}"

    @property
    def port_names(self) -> tuple[str, ...]:
        inside = tuple(f"column{offset}" for offset in range(1, self.mn))
        return inside + tuple(f"subgraph{offset}" for offset in range(1, self.ms))

    def neighbour(self, node: int, port: int) -> int:
        a, b = divmod(node, self.mn)
        if port < self.mn - 1:
            return a * self.mn + (b + port + 1) % self.mn
        return (a + port - self.mn + 2) % self.ms * self.mn + b


def parse_supernode(text):
    """Return the :class:`Supernode` of the text ``k4x2``, ``k4x2:double``, ``ring-M``, ``cube-N`` or ``coc-MSxMN``.

    Raises :class:`ValueError` if the spelling is unknown or a size is out of range.
    """
    if text in ("k4x2", "k4x2:double"):
        return K4x2(text != "k4x2")
    if match := re.fullmatch(r"ring-([0-9]{1,9})", text):
        return RingSupernode(int(match[1]))
    if match := re.fullmatch(r"cube-([0-9]{1,9})", text):
        return CubeSupernode(int(match[1]))
    if match := re.fullmatch(r"coc-([0-9]{1,9})x([0-9]{1,9})", text):
        return Coc(int(match[1]), int(match[2]))
    raise ValueError(f"Supernode must be k4x2, k4x2:double, ring-M, cube-N or coc-MSxMN, not {text!r}")
