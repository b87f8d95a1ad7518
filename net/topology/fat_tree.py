"""Fat trees of two and three levels of equal switches (O 6.1.3, T 2.2.1)."""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class FatTree(Adjacency):
    """The k-ary fat tree: full bisection, all switches have k ports. Edge switches have k / 2 hosts, the others none.

    Three levels are k pods of k / 2 edge and k / 2 aggregation switches, and ``k^2 / 4`` core switches: aggregation switch j of
    every pod has links to core switches ``j k / 2`` to ``(j + 1) k / 2 - 1``. Two levels are k edge switches, each with a link to
    all of k / 2 spines. Edge switches have the first numbers, pod by pod, then the next level, and the cores or spines are last.
    """

    k: int
    levels: int = 3

    word = "fattree"
    routings: ClassVar = {"base": "routing.fat_tree:FatTreeRelation"}

    def __post_init__(self):
        self.put("k", self.k, "Ports k of a switch", 2, 96)
        self.put("levels", self.levels, "Levels", 2, 3)
        if self.k % 2:
            raise ValueError(f"Ports k of a switch of a fattree must be even, not {self.k}")

    @property
    def half(self):
        return self.k // 2

    @property
    def leaves(self):
        """Number of edge switches."""
        return self.k if self.levels == 2 else self.k * self.half

    @property
    def count(self):
        return self.leaves + self.half if self.levels == 2 else 2 * self.leaves + self.half**2

    @property
    def hosted(self):
        return self.leaves

    @property
    def most_hosts(self):
        return self.half

    def edges(self):
        half, leaves = self.half, self.leaves
        if self.levels == 2:
            return product(range(leaves), range(leaves, leaves + half))
        inside = [
            (pod * half + i, leaves + pod * half + j) for pod in range(self.k) for i in range(half) for j in range(half)
        ]
        above = [
            (leaves + pod * half + j, 2 * leaves + j * half + i)
            for pod in range(self.k)
            for j in range(half)
            for i in range(half)
        ]
        return inside + above


def _fitting(hosts, radix):
    for levels, most in ((2, lambda k: k * k // 2), (3, lambda k: k**3 // 4)):
        yield from [f"fattree:k={k},levels={levels}" for k in range(2, min(radix, 96) + 1, 2) if most(k) >= hosts][:1]


FAT_TREE = Topology(
    "fattree:k=K[,levels=L]",
    "K-ary fat tree of L levels, 2 or 3; only edge switches have hosts.",
    of_values(FatTree),
    fitting=_fitting,
)
