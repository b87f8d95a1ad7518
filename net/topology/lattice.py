"""Networks on a grid of any number of dimensions: what torus, mesh and hypercube share."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.network import Network, Port


@dataclass(frozen=True)
class Lattice(Network):
    """Switches on a grid, with links along every dimension; ``sizes`` are the switches along each.

    Dimension ``d`` is called ``dim<d>``, and so are its field of an address and the kind of its ports. Port ``dim<d>_forward``
    leads to coordinate ``c + 1``, port ``dim<d>_backward`` to ``c - 1``. A dimension of one switch has no ports.
    """

    sizes: tuple

    #: The topology's name, most dimensions, and most switches along one of them.
    word: ClassVar[str]
    most_dimensions: ClassVar[int] = 6
    most_switches: ClassVar[int] = 256

    def __post_init__(self):
        subject = f"{self.word.capitalize()} size"
        if not isinstance(self.sizes, tuple) or not 1 <= len(self.sizes) <= self.most_dimensions:
            raise TypeError(f"{subject}s must be a tuple of 1 to {self.most_dimensions} integers, not {self.sizes!r}")
        sizes = tuple(integer(f"{subject} {axis}", n, 1, self.most_switches) for axis, n in enumerate(self.sizes))
        object.__setattr__(self, "sizes", sizes)
        if self.nodes < 2:
            raise ValueError(f"A {self.word} must have at least 2 switches, not {self.nodes}")

    @property
    def name(self) -> str:
        return f"{self.word}_{'x'.join(map(str, self.sizes))}"

    @property
    def title(self) -> str:
        return f"{self.word} of {' x '.join(map(str, self.sizes))} switches"

    @property
    def spelling(self) -> str:
        return f"{self.word}:{'x'.join(map(str, self.sizes))}"

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions, in routing order: ``dim0`` first."""
        return tuple(f"dim{axis}" for axis in range(len(self.sizes)))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return tuple(map(Field, self.dimensions, self.sizes))

    @staticmethod
    @abstractmethod
    def ways(size: int) -> tuple[str, ...]:
        """Directions of the ports along a dimension of ``size`` switches."""

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        rows = [(name, way) for name, size in zip(self.dimensions, self.sizes) for way in self.ways(size)]
        return tuple(Port(index, f"{name}_{way}", name, way) for index, (name, way) in enumerate(rows))

    @cached_property
    def _port_index(self):
        return {(self.dimensions.index(port.kind), port.direction): port.index for port in self.ports}

    def port_index(self, axis: int, way) -> int:
        """Index of the port along dimension ``axis`` in direction ``way``: ``forward`` or ``backward``."""
        return self._port_index[axis, way]

    def axis(self, port: int) -> tuple[int, int]:
        """``(dimension, step)`` of a port by its index: the step is 1 or -1."""
        return self.dimensions.index(self.ports[port].kind), 1 if self.ports[port].direction == "forward" else -1

    def place(self, switch: tuple[int, ...]) -> tuple[float, ...] | None:
        """Even dimensions run along the columns, odd ones along the rows; every further dimension repeats what is inside it."""
        spots = []
        for parity in (0, 1):
            spot, pitch = 0, 1
            for value, size in zip(switch[parity::2], self.sizes[parity::2]):
                spot, pitch = spot + value * pitch, pitch * size * 1.25
            spots.append(spot)
        return tuple(spots)

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """Switches that differ only in dimensions from the third on are in one cabinet (D 3.4.2); with fewer, no layout."""
        return switch[:2] if len(self.sizes) > 2 else None
