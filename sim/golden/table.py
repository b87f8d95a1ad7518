"""Model of table keys (D Fig. 4.12), as strings of bits.

Distances are counted in steps round the ring, so that the model shares nothing with the subtractors of the gateware or with
the table compiler.
"""

from dsnswitch.sim.golden.topology.dsn import level_count


def bits(number, width):
    """``number`` in ``width`` binary digits, most significant first."""
    text = format(number, f"0{width}b") if width else ""
    if number < 0 or len(text) != width:
        raise ValueError(f"{number} does not fit into {width} bits")
    return text


class LongestPrefix:
    """Networks of addresses of ``width`` bits, each with an action.

    Parameters
    ----------
    width : int
        Bits of a key.
    networks : iterable of (int, int, object)
        Value, prefix length and action. Bits of the value after the prefix are ignored. All networks must be different.
    """

    def __init__(self, width, networks=()):
        self.width = width
        self._networks = {}
        for value, length, action in networks:
            self.add(value, length, action)

    def __len__(self):
        return len(self._networks)

    def add(self, value, length, action):
        """Add a network, which must be new."""
        name = self._name(value, length)
        if name in self._networks:
            raise ValueError(f"Network {name or 'of everything'} must not be added twice")
        self._networks[name] = action

    def drop(self, value, length):
        """Remove a network."""
        del self._networks[self._name(value, length)]

    def lookup(self, key):
        """``(action,)`` of the longest network that contains ``key``, or None."""
        address = bits(key, self.width)
        containing = [name for name in self._networks if address.startswith(name)]
        return (self._networks[max(containing, key=len)],) if containing else None

    def _name(self, value, length):
        return bits(value, self.width)[:length]


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
