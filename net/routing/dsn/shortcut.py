"""The next shortcut of a packet in one dimension, in plain integers (D 4.2.1, Fig. 4.2; docs/papers.md)."""

from dataclasses import dataclass

__all__ = ["Shortcut", "next_shortcut"]


@dataclass(frozen=True)
class Shortcut:
    """A shortcut in the direction in which a packet takes it.

    Attributes
    ----------
    level : int
        Level of the shortcut, 1..p.
    direction : str
        ``forward`` or ``backward``.
    leaves, enters : int
        Ids of the nodes at its two ends, in the direction of travel.
    distance : int
        Forward distance in supernodes that remains after the shortcut.
    """

    level: int
    direction: str
    leaves: int
    enters: int
    distance: int


def next_shortcut(dsn, axis, distance):
    """The shortcut that a packet takes next at a forward distance of ``distance`` supernodes, which must not be 0.

    Forward, the leading one of the distance gives the level. Backward, the trailing one of the backward distance gives it:
    the reversed path of D Fig. 4.2, hop by hop.
    """
    n, p = dsn.sizes[axis], dsn.levels[axis]
    if dsn.backward(axis, distance):
        back = n - distance
        level = p - ((back & -back).bit_length() - 1)
        return Shortcut(level, "backward", level % dsn.m, level - 1, (distance + dsn.length(axis, level)) % n)
    level = p - (distance.bit_length() - 1)
    return Shortcut(level, "forward", level - 1, level % dsn.m, distance - dsn.length(axis, level))
