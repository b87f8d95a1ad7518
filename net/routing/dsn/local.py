"""Routes inside a supernode in plain integers: the local port of the first hop from one id to another.

:class:`LocalMap` derives its gateware by calling :func:`first_hop` for every pair of ids.
"""

from dsnswitch.net.topology.supernode import Coc, CubeSupernode, K4x2, RingSupernode

#: Ports of a ring supernode, and the port of k4x2 that leads to the other half.
UP, DOWN = 0, 1
CROSS = 3


def _ring(supernode, own, target):
    """The shorter direction, ties up (D 4.2.2). Exactly half a ring of more than two nodes has both."""
    above = (target - own) % supernode.m
    return UP if 2 * above <= supernode.m else DOWN, DOWN if 2 * above == supernode.m > 2 else None


def _k4x2(supernode, own, target):
    """D Tables 4.2 and 4.3 in closed form: row of this node, column of the target.

    Let ``r = own ^ target``. A target in the node's half (r = 1, 2, 3) is adjacent on port r - 1, and the partner in the other
    half (r = 7) on port 3. For other targets (r = 4, 5, 6) the first hop leads to the target's partner in the node's half,
    ``own ^ (r ^ 7)``. The alternative route of Table 4.3 crosses first. The lower half of Table 4.3 as printed repeats Table 4.2;
    the alternative from its upper half is applied to both.
    """
    difference = own ^ target
    if difference < 4:
        return difference - 1, None
    return CROSS if difference == 7 else (difference ^ 7) - 1, None if difference == 7 else CROSS


def _cube(supernode, own, target):
    """The lowest bit that differs; the alternative is the highest one."""
    difference = own ^ target
    lowest, highest = (difference & -difference).bit_length() - 1, difference.bit_length() - 1
    return lowest, None if lowest == highest else highest


def _coc(supernode, own, target):
    """First to the target's column inside the node's own subgraph, then to the target's subgraph; or in the other order."""
    a, b = divmod(own, supernode.mn)
    to_a, to_b = divmod(target, supernode.mn)
    column, subgraph = (to_b - b) % supernode.mn - 1, supernode.mn - 1 + (to_a - a) % supernode.ms - 1
    if b != to_b:
        return column, None if a == to_a else subgraph
    return subgraph, None


#: Ports of the first hops of a shortest route and of another one, which is None if there is none.
_SHAPES = {RingSupernode: _ring, K4x2: _k4x2, CubeSupernode: _cube, Coc: _coc}


def first_hop(supernode, own, target):
    """Index of the local port through which node ``own`` sends a packet towards node ``target`` of its supernode.

    Raises :class:`ValueError` if ``own == target``, as there is no hop.
    """
    if own == target:
        raise ValueError(f"A local route needs two different ids, not {own} twice")
    return _SHAPES[type(supernode)](supernode, own, target)[0]


def alternative_hop(supernode, own, target):
    """Local port of the first hop of another shortest local route than that of :func:`first_hop`, or None if there is none."""
    return None if own == target else _SHAPES[type(supernode)](supernode, own, target)[1]


def wraps(supernode, own, target):
    """Whether the route from ``own`` to ``target`` passes between the last id and the first, on a ring of 3 nodes or more."""
    if not isinstance(supernode, RingSupernode) or supernode.m < 3 or own == target:
        return False
    return (target < own) == (first_hop(supernode, own, target) == UP)


def xor_symmetric(supernode):
    """Whether ``m`` is a power of two and the first hop depends on ``own ^ target`` alone."""
    ids = range(supernode.m)
    return supernode.m & (supernode.m - 1) == 0 and all(
        first_hop(supernode, own, target) == first_hop(supernode, 0, own ^ target)
        for own in ids
        for target in ids
        if own != target
    )
