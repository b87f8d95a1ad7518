"""Slim Fly of diameter two, on a graph of McKay, Miller and Siran (T 2.1.2; Besta and Hoefler, 2014)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.galois import GaloisField, prime_power
from dsnswitch.net.topology.network import Field
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

    def __post_init__(self):
        self.put("q", self.q, "Order q of the field", 3, 97)
        if self.q % 4 == 2 or not prime_power(self.q):
            raise ValueError(f"Order q of the field of a slimfly must be a prime power 4w + {{-1, 0, 1}}, not {self.q}")
        if self.p is not None:
            self.put("p", self.p, "Hosts p of a switch", 1, 256)

    @property
    def delta(self):
        return (self.q + 1) % 4 - 1

    @property
    def count(self):
        return 2 * self.q**2

    @property
    def fields(self):
        return Field("subgraph", 2), Field("column", self.q), Field("row", self.q)

    number_order = 2, 1, 0

    def hosts_of(self, switch):
        return self.p or (3 * self.q - self.delta) // 4

    def generators(self, field):
        """The sets X and X' of T 2.1.2."""
        q, w, xi = self.q, (self.q - self.delta) // 4, field.powers
        if self.delta < 0:
            steps = [*range(0, 2 * w - 1, 2), *range(2 * w - 1, 4 * w - 2, 2)]
            return xi[steps], xi[[(step + 1) % (q - 1) for step in steps]]
        return xi[::2][: q // 2], xi[np.arange(1, q, 2)[: q // 2] % (q - 1)]

    def edges(self):
        field, q = GaloisField(self.q), self.q
        column, row = (axis.ravel() for axis in np.meshgrid(np.arange(q), np.arange(q), indexing="ij"))
        found = []
        for subgraph, steps in enumerate(self.generators(field)):
            for step in steps:
                there = field.add[row, step]
                ends = [(subgraph * q + column) * q + at for at in (row, there)]
                found.append(np.stack([*ends, 0 * row])[:, (row < there)])
        for slope in range(q):
            # y = slope * x + c
            there = field.add[row, field.negative[field.multiply[slope, column]]]
            found.append(np.stack([column * q + row, (q + slope) * q + there, 0 * row + 1]))
        found = np.concatenate(found, axis=1).T
        # A step and its negative describe the same links.
        return np.unique(found, axis=0)


SLIMFLY = Topology("slimfly:q=Q[,p=P]", "Slim Fly of 2 Q^2 switches, diameter 2.", of_values(SlimFly))
