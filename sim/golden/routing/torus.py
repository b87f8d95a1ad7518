"""Model of a torus's routing: whole paths of dimension-order routing with dateline classes.

A path crosses one ring after the other. Its classes are derived from the finished path.
"""

from collections import namedtuple
from itertools import pairwise

from dsnswitch.sim.golden.routing.dsn import Hop

__all__ = ["TorusHop", "path", "route"]

#: One hop: coordinates of both ends, and the virtual channel class.
TorusHop = namedtuple("TorusHop", "source target virtual_class")


def _round(size, start, end):
    """Coordinates from ``start`` to ``end`` along a ring in the shorter direction, or upwards if both are equal."""
    up, down = [start], [start]
    while up[-1] != end:
        up.append((up[-1] + 1) % size)
    while down[-1] != end:
        down.append((down[-1] - 1) % size)
    return up if len(up) <= len(down) else down


def route(sizes, source, target):
    """The path from ``source`` to ``target`` as a list of :class:`TorusHop`.

    In a ring of four or more, a hop is of class 0 if it or a later hop of this ring passes the link between the last
    coordinate and coordinate 0, and of class 1 otherwise. Smaller rings have class 0 only.
    """
    hops, here = [], tuple(source)
    for axis, size in enumerate(sizes):
        stations = _round(size, here[axis], target[axis])
        steps = list(pairwise(stations))
        for index, (_, after) in enumerate(steps):
            ahead = steps[index:]
            passes = any({a, b} == {0, size - 1} for a, b in ahead)
            there = (*here[:axis], after, *here[axis + 1 :])
            hops.append(TorusHop(here, there, int(size > 3 and not passes)))
            here = there
    return hops


def path(network, source, target):
    """The path from ``source`` to ``target`` as a list of :class:`Hop`."""
    return [Hop(*hop[:2]) for hop in route(network.sizes, source, target)]
