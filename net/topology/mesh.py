"""Mesh of any number of dimensions (k-ary n-mesh; Dally and Towles, Principles and Practices, chapter 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.net.topology.fitting import lattices
from dsnswitch.net.topology.lattice import Lattice
from dsnswitch.net.topology.network import Port
from dsnswitch.net.topology.registry import Topology, of_sizes


@dataclass(frozen=True)
class Mesh(Lattice):
    """Mesh: a :class:`Lattice` with a line along every dimension. A switch at an end of a line has one port less."""

    word = "mesh"
    routings: ClassVar = {"base": "routing.mesh:MeshRelation"}

    @staticmethod
    def ways(size: int) -> tuple[str, ...]:
        return ("forward", "backward") if size > 1 else ()

    def ports_of(self, switch: tuple[int, ...]) -> Sequence[Port]:
        return tuple(port for port in self.ports if self.neighbour(switch, port.index))

    def neighbour(self, switch: tuple[int, ...], port: int) -> tuple[Any, int] | None:
        axis, step = self.axis(port)
        at = switch[axis] + step
        if not 0 <= at < self.sizes[axis]:
            return None
        return (*switch[:axis], at, *switch[axis + 1 :]), port + step


MESH = Topology(
    "mesh:AxBx..",
    "Mesh with A, B, .. switches along its dimensions.",
    of_sizes(Mesh),
    fitting=lambda hosts, radix: lattices("mesh", hosts, radix, (2, 3), 3),
)
