"""Fat trees of two and three levels of equal switches (O 6.1.3, T 2.2.1)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class FatTree(Adjacency):
    """The k-ary fat tree: all switches have k ports. Edge switches have ``up`` links up and k - up hosts, the others no hosts.

    By default, up = k / 2, which gives full bisection; less is an oversubscribed tree, such as k = 8, up = 2, which is 3 to 1.
    Three levels are k pods of k / 2 edge and ``up`` aggregation switches, and ``up k / 2`` core switches: aggregation switch j of
    every pod has links to core switches ``j k / 2`` to ``(j + 1) k / 2 - 1``. Two levels are k edge switches, each with a link to
    all of ``up`` spines. Edge switches have the first numbers, pod by pod, then the next level, and the cores or spines are last.
    """

    k: int
    levels: int = 3
    up: int | None = None

    word = "fattree"
    routings: ClassVar = {"base": "routing.fat_tree:FatTreeRelation"}
    rules: ClassVar = {
        "k": ("Ports k of a switch", 2, 96),
        "levels": ("Levels", 2, 3),
        "up": ("Links up of an edge switch", 1, lambda self: self.k - 1),
    }

    def __post_init__(self):
        super().__post_init__()
        if self.k % 2:
            raise ValueError(f"Ports k of a switch of a fattree must be even, not {self.k}")

    @property
    def half(self) -> int:
        return self.k // 2

    @property
    def ups(self) -> int:
        """Links up of an edge switch."""
        return self.up or self.half

    @property
    def leaves(self) -> int:
        """Number of edge switches."""
        return self.k if self.levels == 2 else self.k * self.half

    @property
    def count(self) -> int:
        return self.leaves + self.ups * (1 if self.levels == 2 else self.k + self.half)

    @property
    def hosted(self) -> int:
        return self.leaves

    @property
    def most_hosts(self) -> int | None:
        return self.k - self.ups

    def edges(self) -> Iterable[tuple]:
        half, leaves, ups = self.half, self.leaves, self.ups
        if self.levels == 2:
            return product(range(leaves), range(leaves, leaves + ups))
        every, cores = list(product(range(self.k), range(half), range(ups))), leaves + self.k * ups
        inside = [(pod * half + i, leaves + pod * ups + j) for pod, i, j in every]
        return inside + [(leaves + pod * ups + j, cores + j * half + i) for pod, i, j in every]


#: Hosts per link up of an edge switch, of the trees that a comparison has: with full bisection, and oversubscribed ones.
RATIOS = (1, 2, 3)


def _fitting(hosts, radix):
    for levels, ratio in product((2, 3), RATIOS):
        for k in range(2, min(radix, 96) + 1, 2):
            # Of few ports, no link can be left out.
            up = None if ratio == 1 else round(k / (1 + ratio))
            if up is None or 0 < up < k // 2:
                tree = FatTree(k, levels, up)
                if tree.leaves * tree.most_hosts >= hosts:
                    yield tree.spelling
                    break


FAT_TREE = Topology(
    "fattree:k=K[,levels=L][,up=U]",
    "K-ary fat tree of L levels, 2 or 3; edge switches have U links up, K / 2 by default, and K - U hosts, the others none.",
    of_values(FatTree),
    fitting=_fitting,
)
