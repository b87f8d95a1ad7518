"""Local route in a ``k4x2`` supernode: D Table 4.2 in closed form.

Let ``r = own ^ target``. In the own half (r = 1, 2, 3) the target is adjacent on port r - 1; r = 7 is the partner, on
port 3. Else (r = 4, 5, 6) the table steps to the target's partner in the own half first, which is ``own ^ (r ^ 7)``.
"""

__all__ = ["first_hop"]

CROSS = 3


def first_hop(supernode, own, target):
    """Port of the first hop of D Table 4.2, own node's row, target's column."""
    difference = own ^ target
    if difference < 4:
        return difference - 1
    return CROSS if difference == 7 else (difference ^ 7) - 1
