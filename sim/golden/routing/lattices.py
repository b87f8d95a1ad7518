"""Model of dimension-order routing in meshes, tori and hypercubes (e-cube): whole paths, one dimension after the other.

The dateline classes of a path in a torus are derived from the finished path.
"""

from collections import namedtuple
from itertools import pairwise

#: One hop: coordinates of both ends, and the virtual channel class.
LatticeHop = namedtuple("LatticeHop", "source target virtual_class")


def _round(size, start, end):
    """Coordinates from ``start`` to ``end`` along a ring in the shorter direction, or upwards if both are equal."""
    up, down = [start], [start]
    while up[-1] != end:
        up.append((up[-1] + 1) % size)
    while down[-1] != end:
        down.append((down[-1] - 1) % size)
    return up if len(up) <= len(down) else down


def route(sizes, source, target, wraps=True):
    """The path from ``source`` to ``target`` as a list of :class:`LatticeHop`; ``wraps``: in a torus.

    In a ring of four or more, a hop is of class 0 if it or a later hop of this ring passes the link between the last
    coordinate and coordinate 0, and of class 1 otherwise. Smaller rings and meshes have class 0 only.
    """
    hops, here = [], tuple(source)
    for axis, size in enumerate(sizes):
        start, end = here[axis], target[axis]
        stations = range(start, end + 1) if start < end else range(start, end - 1, -1)
        steps = list(pairwise(_round(size, start, end) if wraps else stations))
        for index, (_, after) in enumerate(steps):
            passes = any({a, b} == {0, size - 1} for a, b in steps[index:])
            there = (*here[:axis], after, *here[axis + 1 :])
            hops.append(LatticeHop(here, there, int(wraps and size > 3 and not passes)))
            here = there
    return hops
