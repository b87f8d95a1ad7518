"""Two-level orthogonal fat tree (T 2.2.4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.galois import GaloisField, prime_power
from dsnswitch.net.topology.registry import Topology, of_values


def maximal_leaves(k: int) -> list:
    """The k-ML3B of T 2.2.4: row i lists the switches of level 1 that switch i of level 0 has links to; lists of length k.

    The Latin squares are ``i + a j`` in GF(k - 1), which are orthogonal to each other for different a. A square of them with
    ``j (k - 1)`` added to column j has one element in common with each row of the first square and of its transpose.
    """
    side, count = k - 1, 1 + k * (k - 1)
    field, every = GaloisField(side), range(k - 1)
    rows = [list(range(count - k, count))]
    rows += [[count - k, *(side * i + j for j in every)] for i in every]
    for a in every:
        rows += [[count - k + 1 + a, *(field.add(i, field.multiply(a, j)) + side * j for j in every)] for i in every]
    return rows


@dataclass(frozen=True)
class Oft(Adjacency):
    """Two-level OFT: levels 0 and 2 of ``1 + k (k - 1)`` switches with k hosts, and level 1 of as many switches between them.

    Numbers begin with level 0, then level 2, which have the same links; level 1 has no hosts. ``k - 1`` is a prime power: T uses
    primes, and the same squares exist for their powers.
    """

    k: int

    word = "oft"
    rules: ClassVar = {"k": ("Links k to level 1", 3, 98)}

    def __post_init__(self):
        super().__post_init__()
        if not prime_power(self.k - 1):
            raise ValueError(f"Links k to level 1 of an oft must be a prime power plus 1, not {self.k}")

    @property
    def leaves(self) -> int:
        """Switches of one level (T's R_L)."""
        return 1 + self.k * (self.k - 1)

    @property
    def count(self) -> int:
        return 3 * self.leaves

    @property
    def hosted(self) -> int:
        return 2 * self.leaves

    @property
    def most_hosts(self) -> int | None:
        return self.k

    def edges(self) -> Iterable[tuple]:
        for leaf, ends in enumerate(maximal_leaves(self.k)):
            for end in ends:
                yield leaf, 2 * self.leaves + end
                yield self.leaves + leaf, 2 * self.leaves + end


def _fitting(hosts, radix):
    some = (k for k in range(3, min(radix // 2, 98) + 1) if prime_power(k - 1))
    yield from [f"oft:k={k}" for k in some if 2 * k**3 - 2 * k**2 + 2 * k >= hosts][:1]


OFT = Topology(
    "oft:k=K",
    "Orthogonal fat tree of 3 (1 + K (K - 1)) switches, two thirds of them with K hosts.",
    of_values(Oft),
    fitting=_fitting,
)
