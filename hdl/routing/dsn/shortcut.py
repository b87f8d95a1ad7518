"""The next shortcut of a packet in one dimension, in plain integers (D 4.2.1, Fig. 4.2; docs/papers.md)."""

from dataclasses import dataclass

__all__ = ["Shortcut", "next_shortcut"]


@dataclass(frozen=True)
class Shortcut:
    """A shortcut as a packet takes it.

    Attributes
    ----------
    level : int
        1..p.
    direction : str
        ``forward`` or ``backward``.
    leaves, enters : int
        Ids at its two ends, in the direction of travel.
    distance : int
        Forward distance in supernodes that remains after it.
    """

    level: int
    direction: str
    leaves: int
    enters: int
    distance: int


def next_shortcut(dsn, axis, distance):
    """The shortcut that a packet takes next, ``distance`` supernodes (not 0) before its destination.

    Forward, the level is that of the leading one of the distance. Backward, it is that of the trailing one of the backward
    distance: the reversed path of D Fig. 4.2, hop by hop.
    """
    n, p = dsn.sizes[axis], dsn.levels[axis]
    if dsn.backward(axis, distance):
        back = n - distance
        level = p - ((back & -back).bit_length() - 1)
        return Shortcut(level, "backward", level % dsn.m, level - 1, (distance + dsn.length(axis, level)) % n)
    level = p - (distance.bit_length() - 1)
    return Shortcut(level, "forward", level - 1, level % dsn.m, distance - dsn.length(axis, level))
