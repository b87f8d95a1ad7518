"""Model of the DSN's custom routing as the paper defines it: whole paths, forward by distance halving, backward by reversal.

D Fig. 4.2. It is independent of the hop-by-hop form of the hardware, which knows only the current node and the destination.
"""

from collections import namedtuple
from functools import cache

from dsnswitch.sim.golden.routing.dsn_local import local_path
from dsnswitch.sim.golden.topology.dsn import level_count

__all__ = ["Hop", "path_bound", "ring_moves", "route", "route_nodes"]

#: One hop of a path. ``kind`` is ``local``, ``x`` or ``y``; ``level`` and ``direction`` are None for a local hop.
Hop = namedtuple("Hop", "source target kind level direction")


def forward_levels(n, distance):
    """Levels of the shortcuts that DSN-FORWARD-ROUTING takes over ``distance`` supernodes, in order.

    D Fig. 4.2 line 17, with the level read as the longest shortcut that does not overshoot: l_k <= d < 2 l_k
    (docs/papers.md says why not as printed).
    """
    p = level_count(n)
    levels = []
    while distance:
        k = next(k for k in range(1, p + 1) if 2 ** (p - k) <= distance)
        levels.append(k)
        distance -= 2 ** (p - k)
    return levels


def ring_moves(n, s, t, directions="both"):
    """Shortcuts from supernode ``s`` to ``t`` of a ring of ``n``: a list of ``(level, direction)`` in the order of travel."""
    return list(_ring_moves(n, (t - s) % n, directions))


@cache
def _ring_moves(n, distance, directions):
    if directions == "forward" or distance <= n / 2:
        return [(k, "forward") for k in forward_levels(n, distance)]
    return [(k, "backward") for k in reversed(forward_levels(n, n - distance))]


def route(dsn, source, target):
    """The path from ``source`` to ``target`` (tuples ``(x, id)`` or ``(x, y, id)``) as a list of :class:`Hop`.

    X first, then Y, then the local route to the destination id (D Fig. 4.2b). Before each shortcut there is the local route
    to the node at its near end.
    """
    hops = []
    here = tuple(source)

    def go(there, kind, level=None, direction=None):
        nonlocal here
        hops.append(Hop(here, there, kind, level, direction))
        here = there

    def go_local(node):
        for step in local_path(dsn.supernode, here[-1], node)[1:]:
            go((*here[:-1], step), "local")

    for axis, (kind, n) in enumerate(zip("xy", dsn.sizes)):
        p = level_count(n)
        for level, direction in ring_moves(n, here[axis], target[axis], dsn.directions):
            ends = [level - 1, level % dsn.m]
            step = 2 ** (p - level)
            if direction == "backward":
                ends.reverse()
                step = -step
            go_local(ends[0])
            there = list(here)
            there[axis] = (here[axis] + step) % n
            there[-1] = ends[1]
            go(tuple(there), kind, level, direction)
    go_local(target[-1])
    return hops


def route_nodes(dsn, source, target):
    """The nodes of :func:`route`, both ends included."""
    return [tuple(source), *(hop.target for hop in route(dsn, source, target))]


def path_bound(dsn):
    """The paper's bound on hops: ``3 Delta + ceil(log2 X) + 1 + ceil(log2 Y) + 1`` (D 4.2.1); one phase less on a ring."""
    phases = len(dsn.sizes)
    return (phases + 1) * dsn.supernode.diameter + sum(level_count(size) + 1 for size in dsn.sizes)
