"""Model of e-cube routing: whole paths that correct one bit after the other, from bit 0."""

from itertools import accumulate, pairwise

from dsnswitch.sim.golden.routing.dsn import Hop

__all__ = ["path"]


def path(network, source, target):
    """The path from ``source`` to ``target``, tuples of bits, as a list of :class:`Hop`."""
    wrong = [axis for axis, (a, b) in enumerate(zip(source, target)) if a != b]
    found = accumulate(wrong, lambda at, axis: (*at[:axis], 1 - at[axis], *at[axis + 1 :]), initial=tuple(source))
    return [Hop(*ends) for ends in pairwise(found)]
