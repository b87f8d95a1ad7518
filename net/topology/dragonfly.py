"""Dragonfly (Kim et al., 2008; O 6.1.2, D 3.4.1)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class Dragonfly(Adjacency):
    """Dragonfly: g groups of a switches, all of which have links to each other, and l links between every pair of groups.

    Every switch has up to h links to other groups, and p hosts. Link k of a group, in ``0..l (g - 1) - 1``, leads to the group
    ``k mod (g - 1) + 1`` after it and belongs to switch ``k a // (l (g - 1))``, so that the links between two groups, and those
    of a group, are spread over its switches. By default p = h, g = a h + 1, and l is the most that the ports allow (Kim et al.),
    but at most one for each switch. The networks of D 3.4.1 are those with a = 8 and h = g / 8, where l is 1.
    """

    a: int
    h: int
    g: int | None = None
    l: int | None = None  # noqa: E741 - short, as the other letters
    p: int | None = None

    word = "dragonfly"
    kinds: ClassVar = ("local", "global")
    routings: ClassVar = {"base": "routing.dragonfly:DragonflyRelation"}
    rules: ClassVar = {
        "a": ("Switches a of a group", 2, 128),
        "h": ("Links h to other groups", 1, 512),
        "g": ("Groups g", 2, lambda self: self.a * self.h + 1),
        "p": ("Hosts p of a switch", 1, 512),
        "l": ("Links l between two groups", 1, lambda self: self._most_links),
    }

    def __post_init__(self):
        super().__post_init__()
        self.check_size(self.groups * (self.copies * (self.groups - 1) + self.a * (self.a - 1)) // 2)

    @property
    def groups(self) -> int:
        return self.g or self.a * self.h + 1

    @property
    def _most_links(self):
        return min(self.a * self.h // (self.groups - 1), self.a)

    @property
    def copies(self) -> int:
        """Links between two groups."""
        return self.l or self._most_links

    @property
    def count(self) -> int:
        return self.a * self.groups

    @property
    def fields(self) -> tuple[Field, ...]:
        return Field("group", self.groups), Field("local", self.a)

    number_order = 1, 0

    def canonical(self, switch: tuple[int, ...], destination: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """All groups are equal, so a canonical pair begins in group 0."""
        return (0, switch[1]), ((destination[0] - switch[0]) % self.groups, destination[1])

    def representatives(self) -> list[tuple[int, ...]]:
        return [(0, local) for local in range(self.a)]

    @property
    def most_hosts(self) -> int | None:
        return self.p or self.h

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """A group is a cabinet (D 3.4.2)."""
        return switch[:1]

    def gateway(self, group: int, other, copy) -> tuple[int, ...]:
        """The switch of ``group`` that has link ``copy`` to group ``other``."""
        each = self.groups - 1
        return group, (copy * each + (other - group - 1) % self.groups) * self.a // (self.copies * each)

    def edges(self) -> Iterable[tuple]:
        for group in range(self.groups):
            for pair in combinations(range(self.a), 2):
                yield *(group * self.a + local for local in pair), 0
        for one, other in combinations(range(self.groups), 2):
            for copy in range(self.copies):
                yield self.number(self.gateway(one, other, copy)), self.number(self.gateway(other, one, copy)), 1


def _fitting(hosts, radix):
    """Balanced groups, a = 2 h = 2 p, and as many of them as the hosts need."""
    for h in range(1, (radix + 1) // 4 + 1):
        groups = max(2, -(-hosts // (2 * h * h)))
        if groups <= 2 * h * h + 1:
            yield f"dragonfly:a={2 * h},h={h},g={groups},p={h}"
            return


DRAGONFLY = Topology(
    "dragonfly:a=A,h=H[,g=G][,l=L][,p=P]",
    "Dragonfly of G groups of A switches with H links to other groups, L between two groups.",
    of_values(Dragonfly),
    fitting=_fitting,
)
