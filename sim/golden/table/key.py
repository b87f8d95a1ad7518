"""Model of table keys (D Fig. 4.12), as strings of bits.

Distances are counted in steps round the ring, so that the model shares nothing with the subtractors of the gateware or with
the table compiler.
"""

from dsnswitch.sim.golden.table.longest_prefix import bits
from dsnswitch.sim.golden.topology.dsn import level_count

__all__ = ["table_key"]


def steps(n, here, there, step):
    """Number of steps of ``step`` supernodes from ``here`` to ``there`` on a ring of ``n``."""
    count = 0
    while here != there:
        here, count = (here + step) % n, count + 1
    return count


def coordinate(dsn, axis, keys, own, dst):
    """The bits of one coordinate of a key."""
    n = dsn.sizes[axis]
    levels = level_count(n)
    if keys == "absolute" or not levels:
        return bits(dst, levels)
    ahead, back = steps(n, own, dst, 1), steps(n, own, dst, -1)
    if keys == "relative":
        return bits(ahead, levels)
    # Folded: the direction of travel, then the distance in that direction; a backward distance has its last bit first.
    if dsn.directions == "forward" or ahead <= back:
        return "0" + bits(ahead, levels)
    return "1" + bits(back, levels)[::-1]


def table_key(dsn, keys, own, dst):
    """Key of node ``dst`` at node ``own``: x, y and id, x first, as a string of 0 and 1.

    Parameters
    ----------
    keys : str
        ``absolute``, ``relative`` or ``folded``, as in :class:`dsnswitch.hdl.core.TableKey`.
    own, dst : tuple of int
        Coordinates and id of nodes that exist. Only ``absolute`` keys are defined for other destinations.
    """
    supernode = "".join(coordinate(dsn, axis, keys, own[axis], dst[axis]) for axis in range(len(dsn.sizes)))
    return supernode + bits(dst[-1], level_count(dsn.m))
