"""Local route in a CoC supernode: first to the target's column inside the node's own subgraph, then to the target's subgraph."""

__all__ = ["alternative_hop", "first_hop"]


def first_hop(supernode, own, target):
    """Port of the first hop: a column port, or a subgraph port if the target is in the node's own column."""
    a, b = divmod(own, supernode.mn)
    to_a, to_b = divmod(target, supernode.mn)
    if b != to_b:
        return (to_b - b) % supernode.mn - 1
    return supernode.mn - 1 + (to_a - a) % supernode.ms - 1


def alternative_hop(supernode, own, target):
    """The subgraph port of the target if its column is another one as well: the other order of the two hops."""
    a, b = divmod(own, supernode.mn)
    to_a, to_b = divmod(target, supernode.mn)
    return supernode.mn - 1 + (to_a - a) % supernode.ms - 1 if a != to_a and b != to_b else None
