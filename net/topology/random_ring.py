"""Rings with random shortcuts: RING-n, Nbr(p)-n and Gau(a)-n (R III-B, IV-B); D's RR-n, F's DLN-x and D's RSN are RING-n."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.fitting import switches_for
from dsnswitch.net.topology.registry import Topology, of_values

#: Limits of the seed of a random network.
SEED = ("Seed", 0, (1 << 31) - 1)

#: Random draws of a partner before all candidates are weighted, which takes longer.
DRAWS = 64


def joined_pairs(some, taken, weight, random) -> list:
    """Random pairs of the switches ``some``, each at most once: ``[(u, v)]``, in which some switches may have no partner.

    As R IV-B: u is drawn, then v among the remaining switches that are not in the set ``taken[u]``, with a probability that is
    proportional to ``weight(u, v)``, which is at most 1. The pairs are added to ``taken``.
    """
    left, found = list(some), []

    def take(index):
        left[index], left[-1] = left[-1], left[index]
        return left.pop()

    while len(left) > 1:
        u = take(random.randrange(len(left)))
        index = _partner(u, left, taken, weight, random)
        if index is not None:
            v = take(index)
            taken[u].add(v)
            taken[v].add(u)
            found.append((u, v))
    return found


def _partner(u, left, taken, weight, random):
    """Place in ``left`` of a partner for ``u``; None if there is none. Rejection has the same distribution as the weights."""
    for _ in range(DRAWS):
        index = random.randrange(len(left))
        if left[index] not in taken[u] and random.random() < weight(u, left[index]):
            return index
    weights = [0.0 if v in taken[u] else weight(u, v) for v in left]
    return random.choices(range(len(left)), weights)[0] if any(weights) else None


@dataclass(frozen=True)
class RandomNetwork(Adjacency):
    """A network of n switches with up to ``degree`` links each, which a seed determines."""

    n: int
    degree: int
    seed: int = 1

    rules: ClassVar = {"n": ("Switches n", 4, 1 << 15), "degree": ("Degree", 2, lambda self: min(64, self.n - 1)), "seed": SEED}

    @property
    def count(self) -> int:
        return self.n


@dataclass(frozen=True)
class RandomRing(RandomNetwork):
    """RING-n of R: a ring of n switches, and ``degree - 2`` rounds, each of which joins random pairs of switches.

    A switch that finds no partner in a round has a link less. The same seed always gives the same network.
    """

    word = "random-ring"
    kinds: ClassVar = ("ring", "shortcut")

    def weight(self, u: int, v: int) -> float:
        """Relative probability of a shortcut from u to v, at most 1."""
        return 1.0

    def hops(self, u: int, v: int) -> int:
        """Hops along the ring."""
        away = (v - u) % self.n
        return min(away, self.n - away)

    def edges(self) -> Iterable[tuple]:
        random = Random(self.seed)
        found = [(at, (at + 1) % self.n, 0) for at in range(self.n)]
        taken = [{at, (at - 1) % self.n, (at + 1) % self.n} for at in range(self.n)]
        for _ in range(self.degree - 2):
            found += [(*pair, 1) for pair in joined_pairs(range(self.n), taken, self.weight, random)]
        return found


def _fraction(ring, low, high):
    if isinstance(ring.alpha, tuple) or not low <= ring.alpha <= high:
        raise ValueError(f"Parameter alpha of a {ring.word} must be in {low}..{high}, not {ring.alpha}")
    object.__setattr__(ring, "alpha", float(ring.alpha))


@dataclass(frozen=True)
class Nbr(RandomRing):
    """Nbr(alpha)-n: as :class:`RandomRing`, with shortcuts over less than ``n alpha / 2`` hops of the ring only (R IV-B)."""

    alpha: float = 0.5

    word = "nbr"

    def __post_init__(self):
        super().__post_init__()
        _fraction(self, 0.01, 1.0)

    def weight(self, u: int, v: int) -> float:
        return float(self.hops(u, v) < self.n * self.alpha / 2)


@dataclass(frozen=True)
class Gau(RandomRing):
    """Gau(alpha)-n: the length of a shortcut has a normal distribution of mean 0 and deviation ``n alpha / 2`` (R IV-B)."""

    alpha: float = 1.0

    word = "gau"

    def __post_init__(self):
        super().__post_init__()
        _fraction(self, 0.01, 10.0)

    def weight(self, u: int, v: int) -> float:
        return math.exp(-0.5 * (self.hops(u, v) / (self.n * self.alpha / 2)) ** 2)


def _topology(make, more, description, fitting=None):
    return Topology(f"{make.word}:n=N,degree=D{more}[,seed=S]", description, of_values(make), fitting=fitting)


def _fitting(hosts, radix):
    for degree in dict.fromkeys((6, 2 * radix // 3)):
        needed = switches_for(hosts, radix, degree)
        if needed and max(degree, 3) < needed:
            yield f"random-ring:n={needed + needed % 2},degree={degree}"


RANDOM_RING = _topology(RandomRing, "", "Ring of N switches with D - 2 random shortcuts at each: RING-D, RR-D, DLN-D.", _fitting)
NBR = _topology(Nbr, "[,alpha=P]", "Random ring with shortcuts of less than N P / 2 hops.")
GAU = _topology(Gau, "[,alpha=A]", "Random ring with shortcuts of normally distributed length, deviation N A / 2.")
