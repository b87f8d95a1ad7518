"""Local route in a CoC supernode: first inside the own subgraph to the target's column, then across."""

__all__ = ["first_hop"]


def first_hop(supernode, own, target):
    """Port of the first hop: a column port unless the column is right already, then a subgraph port."""
    a, b = divmod(own, supernode.mn)
    to_a, to_b = divmod(target, supernode.mn)
    if b != to_b:
        return (to_b - b) % supernode.mn - 1
    return supernode.mn - 1 + (to_a - a) % supernode.ms - 1
