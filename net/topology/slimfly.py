"""Slim Fly of diameter two, on a graph of McKay, Miller and Siran (T 2.1.2; Besta and Hoefler, 2014)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.galois import GaloisField, prime_power
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class SlimFly(Adjacency):
    """Slim Fly: two subgraphs of q columns with q switches each.

    Switch (0, x, y) has links to (0, x, y') with ``y - y'`` in X, switch (1, m, c) to (1, m, c') with ``c - c'`` in X', and
    (0, x, y) to (1, m, c) with ``y = m x + c``, all in GF(q) (T 2.1.2, which prints ``(1, c, c')``). Every switch has
    ``(3 q - delta) / 2`` links.

    Parameters
    ----------
    q : int
        A prime power ``4 w + delta`` with delta in -1, 0, 1.
    p : int or None
        Hosts of a switch. None is half of the links, rounded down, which sustains full load (T 2.1.2 argues against rounding up).
    """

    q: int
    p: int | None = None

    word = "slimfly"
    kinds: ClassVar = ("local", "global")
    rules: ClassVar = {"q": ("Order q of the field", 3, 97), "p": ("Hosts p of a switch", 1, 256)}

    def __post_init__(self):
        super().__post_init__()
        if self.q % 4 == 2 or not prime_power(self.q):
            raise ValueError(f"Order q of the field of a slimfly must be a prime power 4w + {{-1, 0, 1}}, not {self.q}")

    @property
    def delta(self) -> int:
        return (self.q + 1) % 4 - 1

    @property
    def count(self) -> int:
        return 2 * self.q**2

    @property
    def fields(self) -> tuple[Field, ...]:
        return Field("subgraph", 2), Field("column", self.q), Field("row", self.q)

    number_order = 2, 1, 0

    @property
    def most_hosts(self) -> int | None:
        return self.p or (3 * self.q - self.delta) // 4

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """Both columns of a number are in one cabinet, so that two cabinets have equally many cables between them."""
        return switch[1:2]

    def generators(self, field) -> tuple:
        """The sets X and X' of T 2.1.2."""
        q, w, xi = self.q, (self.q - self.delta) // 4, field.powers
        even = [*range(0, 2 * w - 1, 2), *range(2 * w - 1, 4 * w - 2, 2)] if self.delta < 0 else range(0, q // 2 * 2, 2)
        return [xi[step] for step in even], [xi[(step + 1) % (q - 1)] for step in even]

    def edges(self) -> Iterable[tuple]:
        field, q = GaloisField(self.q), self.q
        plus = [[field.add(a, b) for b in range(q)] for a in range(q)]
        for subgraph, steps in enumerate(self.generators(field)):
            for column, row, step in product(range(q), range(q), steps):
                # A step and its negative describe the same link.
                if row < (there := plus[row][step]):
                    first = (subgraph * q + column) * q
                    yield first + row, first + there, 0
        for slope, column in product(range(q), range(q)):
            rise = field.multiply(slope, column)
            for start in range(q):
                # y = slope * x + c
                yield column * q + plus[rise][start], (q + slope) * q + start, 1


def _fitting(hosts, radix):
    """The smallest field, with at most half as many hosts as links to switches (T 2.1.2)."""
    for q in range(3, 98):
        if q % 4 == 2 or not prime_power(q):
            continue
        p, degree = -(-hosts // (2 * q * q)), (3 * q - (q + 1) % 4 + 1) // 2
        if p <= degree // 2 and p + degree <= radix:
            yield f"slimfly:q={q},p={p}"
            return


SLIMFLY = Topology("slimfly:q=Q[,p=P]", "Slim Fly of 2 Q^2 switches, diameter 2.", of_values(SlimFly), fitting=_fitting)
