"""Rings of switches with regular shortcuts: DSN-x (F II-A) and DLN-2^x (D 2.1.2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.registry import Topology, of_values


@dataclass(frozen=True)
class Loop(Adjacency):
    """A ring of n switches, and :meth:`shortcuts` of them. x is the parameter that limits the shortcuts."""

    n: int
    x: int | None = None

    kinds: ClassVar = ("ring", "shortcut")
    rules: ClassVar = {"n": ("Switches n", 4, 1 << 15)}

    @property
    def count(self) -> int:
        return self.n

    @property
    def p(self) -> int:
        """``ceil(log2 n)``."""
        return (self.n - 1).bit_length()

    def edges(self):
        known = {tuple(sorted((at, (at + 1) % self.n))) for at in range(self.n)}
        more = {tuple(sorted(link)) for link in self.shortcuts()} - known
        return [*((*link, 0) for link in sorted(known)), *((*link, 1) for link in sorted(more))]


@dataclass(frozen=True)
class DsnX(Loop):
    """DSN-x of F II-A: switch i has level ``i mod p + 1``, and a switch of level ``l <= x`` has a shortcut.

    It leads to the nearest switch of level l + 1 that is ``floor(n / 2^l)`` or more hops after it. x is in ``1..p-1``, by default
    p - 1. If p does not divide n, the last supernode is incomplete. A shortcut that is a link already is omitted.
    """

    word = "dsn-x"
    rules: ClassVar = Loop.rules | {"x": ("Levels x with shortcuts", 1, lambda self: self.p - 1)}

    def shortcuts(self) -> Iterable[tuple]:
        for at in range(self.n):
            level = at % self.p + 1
            if level <= (self.x or self.p - 1):
                away = self.n >> level
                there = next(
                    other for hops in range(away, away + self.n) if (other := (at + hops) % self.n) % self.p == level % self.p
                )
                if there != at:
                    yield at, there


@dataclass(frozen=True)
class Dln(Loop):
    """DLN-2^x of D 2.1.2: shortcuts from every i to ``i + floor(n / 2^k)`` for k = 1..x-2; by default x = ``ceil(log2 n)``."""

    word = "dln"
    rules: ClassVar = Loop.rules | {"x": ("Degree x", 2, lambda self: self.p + 2)}

    def shortcuts(self) -> Iterable[tuple]:
        for at in range(self.n):
            for k in range(1, (self.p if self.x is None else self.x) - 1):
                if (self.n >> k) % self.n:
                    yield at, (at + (self.n >> k)) % self.n


DSN_X = Topology("dsn-x:n=N[,x=X]", "Ring of N switches with a shortcut of its level at each (F II-A).", of_values(DsnX))
DLN = Topology("dln:n=N[,x=X]", "Ring of N switches with shortcuts over N/2, N/4, .. at each.", of_values(Dln))
