"""Node addresses: supernode coordinates and the id inside the supernode."""

import re
from dataclasses import dataclass

from .dsn import Dsn
from .validate import integer

__all__ = ["Address", "parse_address"]


@dataclass(frozen=True)
class Address:
    """Address of one node: ``coordinates`` is ``(x,)`` or ``(x, y)``, ``id`` the node inside the supernode."""

    coordinates: tuple
    id: int

    def __str__(self):
        return ",".join(map(str, (*self.coordinates, self.id)))

    def number(self, dsn):
        """Flat node number ``(y * X + x) * m + id``."""
        supernode = 0
        for size, coordinate in zip(reversed(dsn.sizes), reversed(self.coordinates)):
            supernode = supernode * size + coordinate
        return supernode * dsn.m + self.id

    @classmethod
    def of_number(cls, dsn, number):
        """Inverse of :meth:`number`."""
        supernode, node = divmod(number, dsn.m)
        coordinates = []
        for size in dsn.sizes:
            supernode, coordinate = divmod(supernode, size)
            coordinates.append(coordinate)
        return cls(tuple(coordinates), node)


def parse_address(dsn: Dsn, text):
    """Return the :class:`Address` spelt ``x,id`` (ring) or ``x,y,id`` (grid).

    Raises
    ------
    ValueError
        If the spelling is wrong or a field is out of range.
    """
    form = ",".join((*dsn.dimensions, "id"))
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text) or text.count(",") != len(dsn.sizes):
        raise ValueError(f"Node address must have the form {form}, not {text!r}")
    *coordinates, node = map(int, text.split(","))
    for dimension, size, coordinate in zip(dsn.dimensions, dsn.sizes, coordinates):
        integer(f"Coordinate {dimension} of node {text}", coordinate, 0, size - 1)
    integer(f"Id of node {text}", node, 0, dsn.m - 1)
    return Address(tuple(coordinates), node)
