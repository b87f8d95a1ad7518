"""Keys under which a routing table knows a destination (D Fig. 4.12), as strings of bits.

Distances are counted by walking round the ring, so that nothing is shared with the subtractors of the gateware or with the
compiler of tables.
"""

from ..topology.dsn import level_count
from .longest_prefix import bits

__all__ = ["table_key"]


def steps(n, here, there, step):
    """How many steps of ``step`` supernodes lead from ``here`` to ``there`` on a ring of ``n``."""
    count = 0
    while here != there:
        here, count = (here + step) % n, count + 1
    return count


def coordinate(dsn, axis, keys, own, dst):
    """The bits of one coordinate."""
    n = dsn.sizes[axis]
    levels = level_count(n)
    if keys == "absolute" or not levels:
        return bits(dst, levels)
    ahead, back = steps(n, own, dst, 1), steps(n, own, dst, -1)
    if keys == "relative":
        return bits(ahead, levels)
    # Folded: the direction in which the packet travels, then the distance in that direction, backward last bit first.
    if dsn.directions == "forward" or ahead <= back:
        return "0" + bits(ahead, levels)
    return "1" + bits(back, levels)[::-1]


def table_key(dsn, keys, own, dst):
    """Key of node ``dst`` at node ``own``: x, y and id, x first, as a string of 0 and 1.

    Parameters
    ----------
    keys : str
        ``absolute``, ``relative`` or ``folded``, as :class:`dsnswitch.hdl.table.TableKey` describes them.
    own, dst : tuple of int
        Coordinates and id of nodes that exist. Only ``absolute`` keys are defined for other destinations.
    """
    supernode = "".join(coordinate(dsn, axis, keys, own[axis], dst[axis]) for axis in range(len(dsn.sizes)))
    return supernode + bits(dst[-1], level_count(dsn.m))
