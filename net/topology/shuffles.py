"""Topologies of labels: de Bruijn, Kautz, star, folded hypercube (D 2.1.2; R III-B)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.fitting import switches_for
from dsnswitch.net.topology.registry import Topology, of_values


def _shifts(words, letters, allowed=lambda word, letter: True):
    """Links of words to those that lose the first letter and get another one at the end, as pairs of indices, each once."""
    number = {word: index for index, word in enumerate(words)}
    found = set()
    for word, index in number.items():
        for letter in letters:
            if allowed(word, letter) and (other := number[(*word[1:], letter)]) != index:
                found.add((min(index, other), max(index, other)))
    return sorted(found)


@dataclass(frozen=True)
class DeBruijn(Adjacency):
    """De Bruijn graph with full-duplex links: ``d^n`` words of n digits to base d. Loops and second links are omitted."""

    d: int
    n: int

    word = "de-bruijn"
    rules: ClassVar = {"d": ("Base d", 2, 64), "n": ("Digits n", 2, 16)}

    def __post_init__(self):
        super().__post_init__()
        self.check_size(self.count * self.d)

    @property
    def count(self) -> int:
        return self.d**self.n

    def edges(self) -> Iterable[tuple]:
        return _shifts(list(product(range(self.d), repeat=self.n)), range(self.d))


@dataclass(frozen=True)
class Kautz(Adjacency):
    """Kautz graph with full-duplex links: words of n letters, of m, in which consecutive letters differ (D 2.1.2).

    D has the order Kautz(n, m). There are ``(m - 1)^n + (m - 1)^(n-1)`` switches. A word such as ABAB, which two shifts
    bring back, has one link to BABA.
    """

    n: int
    m: int

    word = "kautz"
    rules: ClassVar = {"n": ("Letters n of a word", 2, 16), "m": ("Letters m to choose from", 3, 64)}

    def __post_init__(self):
        super().__post_init__()
        self.check_size(self.count * self.m)

    @property
    def count(self) -> int:
        return (self.m - 1) ** self.n + (self.m - 1) ** (self.n - 1)

    def edges(self):
        words = [(letter,) for letter in range(self.m)]
        for _ in range(self.n - 1):
            words = [(*word, letter) for word in words for letter in range(self.m) if letter != word[-1]]
        return _shifts(words, range(self.m), lambda word, letter: letter != word[-1])


@dataclass(frozen=True)
class Star(Adjacency):
    """The n-star: permutations of n symbols. A link exchanges the first symbol with another one (D 2.1.2)."""

    n: int

    word = "star"
    rules: ClassVar = {"n": ("Symbols n", 3, 8)}

    @property
    def count(self) -> int:
        return factorial(self.n)

    def edges(self) -> Iterable[tuple]:
        number = {label: index for index, label in enumerate(permutations(range(self.n)))}
        for label, index in number.items():
            for place in range(1, self.n):
                other = number[label[place], *label[1:place], label[0], *label[place + 1 :]]
                if index < other:
                    yield index, other


@dataclass(frozen=True)
class FoldedHypercube(Adjacency):
    """Hypercube of n dimensions, and a link between every switch and the one with all bits different (R III-B, FHYPERCUBE)."""

    n: int

    word = "folded-hypercube"
    rules: ClassVar = {"n": ("Dimensions n", 2, 16)}

    @property
    def count(self) -> int:
        return 1 << self.n

    def edges(self):
        masks = [*(1 << bit for bit in range(self.n)), (1 << self.n) - 1]
        return [(at, at ^ mask) for at in range(self.count) for mask in masks if at < at ^ mask]


def _fitting(word, size):
    """The smallest graph of degree 6 whose text and size ``size(n)`` returns."""

    def fitting(hosts, radix):
        needed = switches_for(hosts, radix, 6)
        if needed:
            text, _ = next(pair for pair in map(size, range(2, 17)) if pair[1] >= needed)
            yield f"{word}:{text}"

    return fitting


def _fitting_folded(hosts, radix):
    yield from [f"folded-hypercube:n={n}" for n in range(2, min(radix, 16)) if (radix - n - 1) << n >= hosts][:1]


DE_BRUIJN = Topology(
    "de-bruijn:d=D,n=N",
    "De Bruijn graph of D^N switches.",
    of_values(DeBruijn),
    fitting=_fitting("de-bruijn", lambda n: (f"d=3,n={n}", 3**n)),
)
KAUTZ = Topology(
    "kautz:n=N,m=M",
    "Kautz graph of words of N letters of M.",
    of_values(Kautz),
    fitting=_fitting("kautz", lambda n: (f"n={n},m=4", 3**n + 3 ** (n - 1))),
)
STAR = Topology("star:n=N", "N-star of N! switches.", of_values(Star))
FOLDED_HYPERCUBE = Topology(
    "folded-hypercube:n=N", "Hypercube of 2^N switches with a link across.", of_values(FoldedHypercube), fitting=_fitting_folded
)
