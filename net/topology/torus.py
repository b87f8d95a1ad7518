"""Torus of any number of dimensions (k-ary n-cube; Dally and Towles, Principles and Practices, chapter 5)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.net.topology.fitting import lattices
from dsnswitch.net.topology.lattice import Lattice
from dsnswitch.net.topology.registry import Topology, of_sizes


@dataclass(frozen=True)
class Torus(Lattice):
    """Torus: a :class:`Lattice` with a ring along every dimension.

    Coordinates are modulo the size. A dimension of two switches has one link, on the port ``forward`` of both.
    """

    word = "torus"
    routings: ClassVar = {"base": "routing.torus:TorusRelation", "bubble": "routing.torus:BubbleRelation"}

    @staticmethod
    def ways(size: int) -> tuple[str, ...]:
        return ("forward", "backward")[: min(size - 1, 2)]

    def canonical(self, switch: tuple[int, ...], destination: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """All switches are equal, so a canonical pair begins at switch 0."""
        return (0,) * len(self.sizes), tuple((d - s) % n for s, d, n in zip(switch, destination, self.sizes))

    def representatives(self) -> list[tuple[int, ...]]:
        return [(0,) * len(self.sizes)]

    def neighbour(self, switch: tuple[int, ...], port: int) -> tuple[Any, int] | None:
        axis, step = self.axis(port)
        size = self.sizes[axis]
        there = (*switch[:axis], (switch[axis] + step) % size, *switch[axis + 1 :])
        return there, self.port_index(axis, "forward" if size == 2 or step < 0 else "backward")


TORUS = Topology(
    "torus:AxBx..",
    "Torus with A, B, .. switches along its dimensions (k-ary n-cube).",
    of_sizes(Torus),
    fitting=lambda hosts, radix: lattices("torus", hosts, radix, range(2, 7), 3),
)
