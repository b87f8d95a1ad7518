"""The routing algorithm of one DSN node as a table (D 4.5.2, Fig. 4.12).

A key is the fields x, y, id behind each other, x most significant (Fig. 4.12(a)); x and y may be

``absolute``
    the destination's coordinates;
``relative``
    the forward distances ``(dst - own) mod n``, as in Fig. 4.12(b). The id stays absolute: routes inside a supernode depend on
    both ids. Nodes of equal id then share a table;
``folded``
    a direction bit, then the distance in that direction, with its bits reversed where it is backward. Backward the *trailing*
    one decides, which only a reversed word has in front: a level is one prefix both ways.

An action is an output port by its index, or ``arrived`` behind the last of them.
"""

from ...hdl.routing.dsn.local import first_hop
from ...hdl.switch import KEYS, key_width
from ...hdl.topology import Dsn, ports
from .entries import Entry, Table
from .trie import ANY, MISS, blocks, fewest, renamed, trie

__all__ = ["KEYS", "action_names", "compile_node", "fields", "key_of", "key_width"]


def fields(dsn: Dsn, keys):
    """``[(name, bits)]`` of a key, most significant first."""
    more = keys == "folded"
    found = [(name, levels + (more and levels > 0)) for name, levels in zip(dsn.dimensions, dsn.levels)]
    return [*found, ("id", (dsn.m - 1).bit_length())]


def action_names(dsn):
    """Names of the actions: every output port, then ``arrived``."""
    return (*(port.name for port in ports(dsn)), "arrived")


def _backward(dsn, n, distance):
    return dsn.directions == "both" and 2 * distance > n


def _coordinate(dsn, axis, keys, own, dst):
    """What stands in a key for coordinate ``dst`` at a switch at ``own``."""
    n, levels = dsn.sizes[axis], dsn.levels[axis]
    if keys == "absolute":
        return dst
    distance = (dst - own) % n
    if keys == "relative" or not _backward(dsn, n, distance):
        return distance
    return 1 << levels | int(format(n - distance, f"0{levels}b")[::-1], 2)


def key_of(dsn, keys, own, dst):
    """The key of node ``dst`` at node ``own``, both tuples of coordinates and id."""
    key = 0
    for axis, (_, bits) in enumerate(fields(dsn, keys)[:-1]):
        key = key << bits | _coordinate(dsn, axis, keys, own[axis], dst[axis])
    return key << fields(dsn, keys)[-1][1] | dst[-1]


def _hop(dsn, axis, node, distance):
    """``(action, remark)`` at id ``node`` for a forward distance that is not 0, by the levels of D Fig. 4.2."""
    names = action_names(dsn)
    dimension, n, p = dsn.dimensions[axis], dsn.sizes[axis], dsn.levels[axis]
    if _backward(dsn, n, distance):
        back = n - distance
        level, way = p - ((back & -back).bit_length() - 1), "backward"
        jump = level % dsn.m
    else:
        level, way = p - (distance.bit_length() - 1), "forward"
        jump = level - 1
    length = dsn.length(axis, level)
    if node == jump:
        return names.index(f"{dimension}_{way}"), f"length-{length} {dimension} shortcut {way}"
    return first_hop(dsn.supernode, node, jump), f"to node {jump} for the length-{length} {dimension} shortcut {way}"


def _final(dsn, node):
    """Leaves of the ids in the own supernode."""
    for target in range(dsn.m):
        if target == node:
            yield len(ports(dsn)), "this switch"
        else:
            yield first_hop(dsn.supernode, node, target), f"to node {target} of this supernode"


def _wishes(dsn, own, keys, absent):
    """Trie of ``(action, remark)`` leaves, turned into numbers, and the list of them."""
    leaves, numbers = [], {}

    def number(leaf):
        if leaf not in numbers:
            numbers[leaf] = len(leaves)
            leaves.append(leaf)
        return numbers[leaf]

    parts = [*enumerate(fields(dsn, keys)[:-1])]
    bits = fields(dsn, keys)[-1][1]
    none = [absent] * ((1 << bits) - dsn.m)
    below = trie([number(leaf) for leaf in _final(dsn, own[-1])] + none, bits)

    def existing(leaf, axis):
        """``leaf`` wherever the fields behind x or y are those of a node."""
        under = trie([leaf] * dsn.m + none, bits)
        for after, (_, width) in reversed(parts[axis + 1 :]):
            under = trie(_places(dsn, after, width, keys, own, absent, lambda _, under=under: under), width)
        return under

    for axis, (_, width) in reversed(parts):

        def wish(distance, axis=axis, below=below):
            return existing(number(_hop(dsn, axis, own[-1], distance)), axis) if distance else below

        below = trie(_places(dsn, axis, width, keys, own, absent, wish), width)
    return below, leaves


def _places(dsn, axis, width, keys, own, absent, wish):
    """What each value of a coordinate's field wants: ``wish(distance)`` where a node is."""
    n = dsn.sizes[axis]
    # No distance is n or more, and a direction bit never stands before a length of the other direction.
    values = [absent if keys == "absolute" else ANY] * (1 << width)
    for dst in range(n):
        values[_coordinate(dsn, axis, keys, own[axis], dst)] = wish((dst - own[axis]) % n)
    return values


def compile_node(dsn, own, keys="absolute", minimise=True, absent=MISS):
    """The table of node ``own``, a tuple of coordinates and id.

    Parameters
    ----------
    keys : str
        One of :data:`KEYS`.
    minimise : bool
        The fewest prefixes with the same answers. Otherwise an entry for each place that packets go for (Fig. 4.12(b)), where
        need be in several prefixes, with remarks.
    absent : MISS or ANY
        What destinations that do not exist do: miss, or anything, which may save entries.

    Returns
    -------
    Table
        Of the actions :func:`action_names`.
    """
    root, leaves = _wishes(dsn, own, keys, absent)
    width = key_width(dsn, keys)
    if minimise:
        actions = [action for action, _ in leaves]
        found = [
            Entry(bits << width - length, length, action) for bits, length, action in fewest(renamed(root, actions))
        ]
    else:
        found = [Entry(bits << width - length, length, *leaves[leaf]) for bits, length, leaf in blocks(root)]
    place = ",".join(map(str, own))
    return Table(f"node {place}", width, action_names(dsn), tuple(found))
