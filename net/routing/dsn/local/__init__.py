"""Routes inside a supernode in plain integers: the local port of the first hop from one id to another.

:class:`LocalMap` derives its gateware by calling :func:`first_hop` for every pair of
ids.
"""

from dsnswitch.net.routing.dsn.local import coc, k4x2, ring
from dsnswitch.net.topology.supernode import Coc, K4x2, RingSupernode

__all__ = ["alternative_hop", "first_hop", "wraps", "xor_symmetric"]

_SHAPES = {RingSupernode: ring, K4x2: k4x2, Coc: coc}


def first_hop(supernode, own, target):
    """Index of the local port through which node ``own`` sends a packet towards node ``target`` of its supernode.

    Raises
    ------
    ValueError
        If ``own == target``, as there is no hop.
    """
    if own == target:
        raise ValueError(f"A local route needs two different ids, not {own} twice")
    return _SHAPES[type(supernode)].first_hop(supernode, own, target)


def alternative_hop(supernode, own, target):
    """Local port of the first hop of another shortest local route than that of :func:`first_hop`, or None if there is none."""
    return None if own == target else _SHAPES[type(supernode)].alternative_hop(supernode, own, target)


def wraps(supernode, own, target):
    """Whether the route from ``own`` to ``target`` passes between the last id and the first, on a ring of 3 nodes or more."""
    if not isinstance(supernode, RingSupernode) or supernode.m < 3 or own == target:
        return False
    return (target < own) == (first_hop(supernode, own, target) == ring.UP)


def xor_symmetric(supernode):
    """Whether ``m`` is a power of two and the first hop depends on ``own ^ target`` alone."""
    ids = range(supernode.m)
    return supernode.m & (supernode.m - 1) == 0 and all(
        first_hop(supernode, own, target) == first_hop(supernode, 0, own ^ target)
        for own in ids
        for target in ids
        if own != target
    )
