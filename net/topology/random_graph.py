"""Other random networks: Jellyfish, Kleinberg's grid, Skywalk (D 2.1.2, 2.2.2, 3.4.1)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import ClassVar

from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.fitting import near_cube, switches_for
from dsnswitch.net.topology.random_ring import SEED, RandomNetwork, joined_pairs
from dsnswitch.net.topology.registry import Topology, of_values


def _anywhere(u, v):
    return 1.0


@dataclass(frozen=True)
class Jellyfish(RandomNetwork):
    """Jellyfish: a random regular graph of n switches, made by joining pairs of switches with free ports (Singla et al., 2012).

    If the switches with free ports all have links to each other, a link between two others is replaced by links from its ends
    to two free ports. At most one port of one switch remains free.
    """

    word = "jellyfish"

    def edges(self) -> Iterable[tuple]:
        random, near = Random(self.seed), [set() for _ in range(self.n)]
        ends = [at for at in range(self.n) for _ in range(self.degree)]
        random.shuffle(ends)
        while len(ends) > 1:
            u, v = ends.pop(), ends.pop()
            if u != v and v not in near[u]:
                near[u].add(v)
                near[v].add(u)
                continue
            # Two free ports that cannot be joined: u - a and v - b replace a random link a - b.
            while True:
                a = random.randrange(self.n)
                if not near[a]:
                    continue
                b = random.choice(sorted(near[a]))
                if a not in (u, v) and b not in (u, v) and a not in near[u] and b not in near[v]:
                    break
            for at, other in ((a, b), (b, a)):
                near[at].discard(other)
            for at, other in ((u, a), (v, b)):
                near[at].add(other)
                near[other].add(at)
        return [(at, other) for at in range(self.n) for other in near[at] if at < other]


@dataclass(frozen=True)
class Kleinberg(Adjacency):
    """Kleinberg's small world: a mesh of n x n switches, and a shortcut from each switch u (D 2.1.2).

    The shortcut ends at v with a probability that is inversely proportional to the square of the distance of u and v in the mesh.
    A switch has any number of shortcuts that end at it.
    """

    n: int
    seed: int = 1

    word = "kleinberg"
    kinds: ClassVar = ("local", "shortcut")
    rules: ClassVar = {"n": ("Switches n of a row", 2, 128), "seed": SEED}

    @property
    def count(self) -> int:
        return self.n**2

    @property
    def fields(self) -> tuple[Field, ...]:
        return Field("column", self.n), Field("row", self.n)

    def place(self, switch: tuple[int, ...]) -> tuple[float, ...] | None:
        return switch

    def edges(self) -> Iterable[tuple]:
        random, n = Random(self.seed), self.n
        known = {(at, at + step) for at in range(n * n) for step in (1, n) if at + step < n * n and (step > 1 or (at + 1) % n)}
        found = [(*link, 0) for link in sorted(known)]
        for at in range(n * n):
            away = [abs(other % n - at % n) + abs(other // n - at // n) for other in range(n * n)]
            other = random.choices(range(n * n), [1.0 / hops**2 if hops else 0.0 for hops in away])[0]
            link = min(at, other), max(at, other)
            if link not in known:
                known.add(link)
                found.append((*link, 1))
        return found


@dataclass(frozen=True)
class Skywalk(Adjacency):
    """Skywalk-inside-outside: random links within the cabinets, and along rows and columns of cabinets (D 2.2.2, 3.4.1).

    There are ``columns x rows`` cabinets of c switches. Every switch has ``inside`` links in its cabinet and ``outside`` links to
    other cabinets: half of them, rounded up, to cabinets of its row and the rest to cabinets of its column. Each link of a
    switch is one of a round that joins random pairs, as in :class:`RandomRing`; D does not say how pairs are drawn. The
    dissertation has c = 8 and Skywalk-4-2.
    """

    columns: int
    rows: int
    c: int = 8
    inside: int = 4
    outside: int = 2
    seed: int = 1

    word = "skywalk"
    kinds: ClassVar = ("local", "row", "column")
    rules: ClassVar = {
        "columns": ("Columns of cabinets", 1, 256),
        "rows": ("Rows of cabinets", 1, 256),
        "c": ("Switches c of a cabinet", 2, 64),
        "inside": ("Links inside a cabinet", 1, lambda self: min(64, self.c - 1)),
        "outside": ("Links to other cabinets", 0, 16),
        "seed": SEED,
    }

    def __post_init__(self):
        super().__post_init__()
        self.check_size(self.count * (self.inside + self.outside) // 2)

    @property
    def count(self) -> int:
        return self.columns * self.rows * self.c

    @property
    def fields(self) -> tuple[Field, ...]:
        return Field("column", self.columns), Field("row", self.rows), Field("local", self.c)

    number_order = 2, 0, 1

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """Its own cabinets, in rows and columns (D 2.2.2)."""
        return switch[:2]

    def edges(self):
        random, taken = Random(self.seed), [{at} for at in range(self.count)]
        cabinets = [range(first, first + self.c) for first in range(0, self.count, self.c)]
        rows = [cabinets[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        lines = [[list(chain(*line)) for line in some] for some in (rows, zip(*rows))]

        def elsewhere(u, v):
            return float(u // self.c != v // self.c)

        found = []
        rounds = [(0, cabinets, _anywhere)] * self.inside
        rounds += [(1 + turn % 2, lines[turn % 2], elsewhere) for turn in range(self.outside)]
        for kind, groups, weight in rounds:
            for group in groups:
                found += [(*pair, kind) for pair in joined_pairs(group, taken, weight, random)]
        return found


def _fitting(hosts, radix):
    degree = 2 * radix // 3
    needed = switches_for(hosts, radix, degree)
    if max(degree, 3) < needed:
        yield f"jellyfish:n={needed + needed % 2},degree={degree}"


def _fitting_skywalks(hosts, radix):
    """Cabinets of 8 switches with four links inside and two outside (D 3.4)."""
    needed = switches_for(hosts, radix, 6)
    if needed:
        columns, rows = near_cube(-(-needed // 8), 2)
        yield f"skywalk:columns={columns},rows={rows},c=8,inside=4,outside=2"


JELLYFISH = Topology(
    "jellyfish:n=N,degree=D[,seed=S]", "Random regular graph of N switches.", of_values(Jellyfish), fitting=_fitting
)
KLEINBERG = Topology("kleinberg:n=N[,seed=S]", "Mesh of N x N switches with a random shortcut from each.", of_values(Kleinberg))
SKYWALK = Topology(
    "skywalk:columns=C,rows=R[,c=N][,inside=I][,outside=O][,seed=S]",
    "Random links in C x R cabinets of N switches and along their rows and columns.",
    of_values(Skywalk),
    fitting=_fitting_skywalks,
)
