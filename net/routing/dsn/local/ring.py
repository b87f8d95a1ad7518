"""Local route in a ring supernode: the shorter direction, ties up (D 4.2.2)."""

__all__ = ["alternative_hop", "first_hop"]

UP, DOWN = 0, 1


def first_hop(supernode, own, target):
    """Port ``up`` if the target is at most half the ring away in that direction, else ``down``."""
    above = (target - own) % supernode.m
    return UP if 2 * above <= supernode.m else DOWN


def alternative_hop(supernode, own, target):
    """Port ``down`` if the target is exactly half the ring away, of more than two nodes; else None."""
    return DOWN if 2 * ((target - own) % supernode.m) == supernode.m > 2 else None
