"""Indirect networks of n stages of ``k^(n-1)`` switches: k-ary n-tree and k-ary n-fly (D 2.1.2)."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class Stages(Adjacency):
    """Stages 0 to n - 1 of ``k^(n-1)`` switches, numbered by n - 1 digits to base k; between two stages one digit may change.

    Switches of stage s and s + 1 have a link if their numbers differ in no digit but number :meth:`digit`. Switches with hosts
    are first in the order of numbers: stage 0 has k hosts at each switch.
    """

    k: int
    n: int

    rules: ClassVar = {"k": ("Base k", 2, 96), "n": ("Stages n", 2, 16)}

    def __post_init__(self):
        super().__post_init__()
        self.check_size((self.n - 1) * self.k**self.n)

    @property
    def width(self) -> int:
        """Switches of a stage."""
        return self.k ** (self.n - 1)

    @property
    def count(self) -> int:
        return self.n * self.width

    @abstractmethod
    def digit(self, stage: int) -> int:
        """Place of the digit that may change between ``stage`` and the next one."""

    def first(self, stage: int) -> int:
        """Number of the first switch of a stage."""
        return stage * self.width

    @property
    def hosted(self) -> int:
        return self.width

    @property
    def most_hosts(self) -> int | None:
        return self.k

    def edges(self) -> Iterable[tuple]:
        for stage in range(self.n - 1):
            weight = self.k ** self.digit(stage)
            for own in range(self.width):
                cleared = own - own // weight % self.k * weight
                for value in range(self.k):
                    yield self.first(stage) + own, self.first(stage + 1) + cleared + value * weight


@dataclass(frozen=True)
class Tree(Stages):
    """The k-ary n-tree (Petrini and Vanneschi, 1997): a fat tree of n levels with ``k^n`` hosts. Stage 0 are the leaves."""

    word = "tree"

    def digit(self, stage: int) -> int:
        return stage


@dataclass(frozen=True)
class Butterfly(Stages):
    """The k-ary n-fly with full-duplex links: first and last stage have k hosts at each switch, together ``2 k^n`` (D 2.1.2)."""

    word = "butterfly"

    def digit(self, stage: int) -> int:
        return self.n - 2 - stage

    def first(self, stage: int) -> int:
        """The last stage, which has hosts, is numbered after stage 0."""
        return self.width * (0 if stage == 0 else 1 if stage == self.n - 1 else stage + 1)

    @property
    def hosted(self) -> int:
        return 2 * self.width


def _fitting(hosts, radix):
    sizes = ((k, n) for n in (2, 3, 4) for k in range(2, min(radix // 2, 96) + 1))
    yield from [f"tree:k={k},n={n}" for k, n in sizes if k**n >= hosts][:1]


TREE = Topology(
    "tree:k=K,n=N", "K-ary N-tree: N stages of K^(N-1) switches, K^N hosts at stage 0.", of_values(Tree), fitting=_fitting
)
BUTTERFLY = Topology(
    "butterfly:k=K,n=N", "K-ary N-fly with full-duplex links; hosts at the first and the last stage.", of_values(Butterfly)
)
