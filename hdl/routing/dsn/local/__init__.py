"""Routes inside a supernode, as plain integers: which local port comes first on the way from one id to another.

``first_hop(supernode, own, target)`` is pure mathematics; :class:`~dsnswitch.hdl.routing.dsn.lrouting.LocalMap` derives its
gateware by running it.
"""

from ....topology import Coc, K4x2, RingSupernode
from . import coc, k4x2, ring

__all__ = ["first_hop", "wraps", "xor_symmetric"]

_SHAPES = {RingSupernode: ring, K4x2: k4x2, Coc: coc}


def first_hop(supernode, own, target):
    """Index of the local port by which node ``own`` sends towards node ``target`` of its supernode.

    Raises
    ------
    ValueError
        If ``own == target``: there is no hop to make.
    """
    if own == target:
        raise ValueError(f"A local route needs two different ids, not {own} twice")
    return _SHAPES[type(supernode)].first_hop(supernode, own, target)


def wraps(supernode, own, target):
    """Whether the way from ``own`` to ``target`` passes between the last id and the first of a ring of three nodes or more."""
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
