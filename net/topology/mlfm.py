"""Multi-layer full mesh (T 2.2.3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class Mlfm(Adjacency):
    """The (h, l, p)-MLFM: l layers of h + 1 local switches with p hosts each, and a global switch for each pair of columns.

    Local switch i of layer k has number ``k (h + 1) + i``. The global switch of columns i < j follows the local switches, in the
    order of the pairs; it has a link to switches i and j of every layer, and no hosts. By default l = p = h.
    """

    h: int
    l: int | None = None  # noqa: E741 - the paper's letter
    p: int | None = None

    word = "mlfm"
    routings: ClassVar = {"base": "routing.mlfm:MlfmRelation"}
    rules: ClassVar = {
        "h": ("Links h of a local switch", 2, 96),
        "l": ("Layers l", 1, 96),
        "p": ("Hosts p of a local switch", 1, 96),
    }

    @property
    def layers(self) -> int:
        return self.l or self.h

    @property
    def hosted(self) -> int:
        """Number of local switches."""
        return self.layers * (self.h + 1)

    @property
    def count(self) -> int:
        return self.hosted + self.h * (self.h + 1) // 2

    @property
    def most_hosts(self) -> int | None:
        return self.p or self.h

    def joint(self, i, j) -> int:
        """Number of the global switch of columns ``i < j``."""
        return self.hosted + i * (2 * self.h + 1 - i) // 2 + j - i - 1

    def edges(self) -> Iterable[tuple]:
        columns = self.h + 1
        pairs = combinations(range(columns), 2)
        return [
            (layer * columns + column, self.joint(*pair)) for pair in pairs for layer in range(self.layers) for column in pair
        ]


def _fitting(hosts, radix):
    yield from [f"mlfm:h={h}" for h in range(2, min(radix // 2, 96) + 1) if h**3 + h**2 >= hosts][:1]


MLFM = Topology("mlfm:h=H[,l=L][,p=P]", "Multi-layer full mesh: L layers of H + 1 switches.", of_values(Mlfm), fitting=_fitting)
