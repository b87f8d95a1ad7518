"""Local routes in a ``k4x2`` supernode: D Tables 4.2 and 4.3 in closed form.

Let ``r = own ^ target``. A target in the node's half (r = 1, 2, 3) is adjacent on port r - 1, and the partner in the other
half (r = 7) on port 3. For other targets (r = 4, 5, 6) the first hop leads to the target's partner in the node's half, ``own ^
(r ^ 7)``. The alternative route of Table 4.3 crosses first.
"""

__all__ = ["alternative_hop", "first_hop"]

CROSS = 3


def first_hop(supernode, own, target):
    """Port of the first hop in D Table 4.2: row of this node, column of the target."""
    difference = own ^ target
    if difference < 4:
        return difference - 1
    return CROSS if difference == 7 else (difference ^ 7) - 1


def alternative_hop(supernode, own, target):
    """Port of the first hop in D Table 4.3 where it differs from Table 4.2, else None.

    The lower half of the table as printed repeats Table 4.2; the alternative from the upper half is applied to both.
    """
    return CROSS if own ^ target in (4, 5, 6) else None
