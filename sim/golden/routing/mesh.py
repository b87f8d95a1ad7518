"""Model of a mesh's routing: whole paths along one dimension after the other, all on one virtual channel class."""

from itertools import pairwise

from dsnswitch.sim.golden.routing.dsn import Hop

__all__ = ["path"]


def path(network, source, target):
    """The path from ``source`` to ``target`` as a list of :class:`Hop`."""
    found = [tuple(source)]
    for axis, (start, end) in enumerate(zip(source, target)):
        way = range(start, end + 1) if start < end else range(start, end - 1, -1)
        found += [(*target[:axis], at, *source[axis + 1 :]) for at in way[1:]]
    return [Hop(*ends) for ends in pairwise(found)]
