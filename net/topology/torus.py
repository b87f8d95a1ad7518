"""Torus of any number of dimensions (k-ary n-cube; Dally and Towles, Principles and Practices, chapter 5)."""

from dataclasses import dataclass
from functools import cached_property

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.network import Field, Network, Port

__all__ = ["MAX_DIMENSIONS", "MAX_SIDE", "Torus"]

#: Most dimensions of a torus that are generated and tested.
MAX_DIMENSIONS = 6

#: Most switches along one dimension of a torus.
MAX_SIDE = 256


@dataclass(frozen=True)
class Torus(Network):
    """Torus: switches on a grid with a ring along every dimension.

    Dimension ``d`` is called ``dim<d>``, and so are its field of an address and the kind of its ports. Port ``dim<d>_forward``
    leads to coordinate ``c + 1`` modulo the size, port ``dim<d>_backward`` to ``c - 1``. A dimension of two switches has one
    link, on the port ``forward`` of both; a dimension of one switch has none.

    Parameters
    ----------
    sizes : tuple of int
        Switches along each dimension.
    """

    sizes: tuple

    def __post_init__(self):
        if not isinstance(self.sizes, tuple) or not 1 <= len(self.sizes) <= MAX_DIMENSIONS:
            raise TypeError(f"Torus sizes must be a tuple of 1 to {MAX_DIMENSIONS} integers, not {self.sizes!r}")
        sizes = tuple(integer(f"Torus size {axis}", size, 1, MAX_SIDE) for axis, size in enumerate(self.sizes))
        object.__setattr__(self, "sizes", sizes)
        if self.nodes < 2:
            raise ValueError(f"A torus must have at least 2 switches, not {self.nodes}")

    @property
    def name(self):
        return f"torus_{'x'.join(map(str, self.sizes))}"

    @property
    def title(self):
        return f"torus of {' x '.join(map(str, self.sizes))} switches"

    @property
    def spelling(self):
        return f"torus:{'x'.join(map(str, self.sizes))}"

    @cached_property
    def dimensions(self):
        """Names of the dimensions, in routing order: ``dim0`` first."""
        return tuple(f"dim{axis}" for axis in range(len(self.sizes)))

    @cached_property
    def fields(self):
        return tuple(map(Field, self.dimensions, self.sizes))

    @cached_property
    def ports(self):
        ports = []
        for name, size in zip(self.dimensions, self.sizes):
            for way in ("forward", "backward")[: min(size - 1, 2)]:
                ports.append(Port(len(ports), f"{name}_{way}", name, way))
        return tuple(ports)

    def port_index(self, axis, way):
        """Index of the port along dimension ``axis`` in direction ``way``: ``forward`` or ``backward``."""
        return next(port.index for port in self.ports if (port.kind, port.direction) == (self.dimensions[axis], way))

    def canonical(self, switch, destination):
        """All switches are equal, so a canonical pair begins at switch 0."""
        return (0,) * len(self.sizes), tuple((d - s) % n for s, d, n in zip(switch, destination, self.sizes))

    def representatives(self):
        return [(0,) * len(self.sizes)]

    def neighbour(self, switch, port):
        axis, forward = self.dimensions.index(self.ports[port].kind), self.ports[port].direction == "forward"
        size = self.sizes[axis]
        there = list(switch)
        there[axis] = (switch[axis] + (1 if forward else -1)) % size
        back = "forward" if size == 2 or not forward else "backward"
        return tuple(there), self.port_index(axis, back)

    def link_rows(self, switch=None):
        return [
            {
                "id": None,
                "output": port.index,
                "kind": port.kind,
                "level": None,
                "offset": 1 if port.direction == "forward" else -1,
                "to_id": None,
            }
            for port in self.ports
        ]
