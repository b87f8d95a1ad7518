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
from ...hdl.routing.dsn.shortcut import next_shortcut
from .entries import Entry, Table, action_names
from .trie import ANY, MISS, blocks, fewest, renamed, trie

__all__ = ["compile_node"]


def _hop(dsn, axis, node, distance):
    """``(action, remark)`` at id ``node`` for a forward distance that is not 0."""
    shortcut, dimension = next_shortcut(dsn, axis, distance), dsn.dimensions[axis]
    words = f"length-{dsn.length(axis, shortcut.level)} {dimension} shortcut {shortcut.direction}"
    if node == shortcut.leaves:
        return action_names(dsn).index(f"{dimension}_{shortcut.direction}"), words
    return first_hop(dsn.supernode, node, shortcut.leaves), f"to node {shortcut.leaves} for the {words}"


def _final(dsn, node):
    """Leaves of the ids in the own supernode."""
    for target in range(dsn.m):
        if target == node:
            yield len(dsn.ports), "this switch"
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

    parts = [*enumerate(dsn.key_fields(keys)[:-1])]
    bits = dsn.key_fields(keys)[-1][1]
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
        values[dsn.key_coordinate(axis, keys, own[axis], dst)] = wish((dst - own[axis]) % n)
    return values


def compile_node(dsn, own, keys="absolute", minimise=True, absent=MISS):
    """The table of node ``own``, a tuple of coordinates and id.

    Parameters
    ----------
    keys : str
        One of ``dsn.keys``.
    minimise : bool
        The fewest prefixes with the same answers. Otherwise an entry for each place that packets go for (Fig. 4.12(b)), where
        need be in several prefixes, with remarks.
    absent : MISS or ANY
        What destinations that do not exist do: miss, or anything, which may save entries.

    Returns
    -------
    Table
        Of the actions :func:`~.entries.action_names`.
    """
    root, leaves = _wishes(dsn, own, keys, absent)
    width = dsn.key_width(keys)
    if minimise:
        actions = [action for action, _ in leaves]
        found = [
            Entry(bits << width - length, length, action) for bits, length, action in fewest(renamed(root, actions))
        ]
    else:
        found = [Entry(bits << width - length, length, *leaves[leaf]) for bits, length, leaf in blocks(root)]
    place = ",".join(map(str, own))
    return Table(f"node {place}", width, action_names(dsn), tuple(found))
