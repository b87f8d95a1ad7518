"""The routing algorithm of one DSN node as a table (D 4.5.2, Fig. 4.12).

A key is the concatenation of the fields x, y and id, with x most significant (Fig. 4.12(a)). The fields x and y are one of:

``absolute``
    The coordinates of the destination.
``relative``
    The forward distances ``(dst - own) mod n``, as in Fig. 4.12(b). The id stays absolute, because routes inside a supernode
    depend on both ids. Nodes of equal id then share a table.
``folded``
    A direction bit, then the distance in that direction, whose bits are reversed if the direction is backward. The *trailing*
    one of a backward distance decides. In the reversed word it comes first, so a level is one prefix in both directions.

An action is the index of an output port, or ``arrived``, which is the number after the last port.
"""

import statistics

from dsnswitch.net.files.plotting import new_figure, svg
from dsnswitch.net.routing.dsn.relation import next_shortcut
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.tables.entries import Entry, Table, action_names
from dsnswitch.net.tables.trie import ANY, MISS, blocks, fewest, renamed, trie
from dsnswitch.net.topology.dsn import grid

__all__ = ["COLUMNS", "compile_node", "size_plot", "sizes"]


def _hop(dsn, own, axis, distance):
    """``(action, remark)`` at switch ``own`` for a forward distance that is not 0."""
    shortcut, dimension = next_shortcut(dsn, axis, distance), dsn.dimensions[axis]
    remark = f"length-{dsn.length(axis, shortcut.level)} {dimension} shortcut {shortcut.direction}"
    if own[-1] != shortcut.leaves:
        remark = f"to node {shortcut.leaves} for the {remark}"
    there = (*own[:axis], (own[axis] + distance) % dsn.sizes[axis], *own[axis + 1 :])
    return relation_of(dsn).port(own, there), remark


def _final(dsn, own):
    """The leaf of each id in the node's own supernode, in rising order of ids."""
    for target in range(dsn.m):
        port = relation_of(dsn).port(own, (*own[:-1], target))
        yield (len(dsn.ports), "this switch") if port is None else (port, f"to node {target} of this supernode")


def _trie_of_leaves(dsn, own, keys, absent):
    """The trie of a node's table, whose leaves are numbers, and the list of ``(action, remark)`` that the numbers stand for."""
    leaves, numbers = [], {}

    def number(leaf):
        if leaf not in numbers:
            numbers[leaf] = len(leaves)
            leaves.append(leaf)
        return numbers[leaf]

    parts = [*enumerate(dsn.key_fields(keys)[:-1])]
    bits = dsn.key_fields(keys)[-1][1]
    none = [absent] * ((1 << bits) - dsn.m)
    below = trie([number(leaf) for leaf in _final(dsn, own)] + none, bits)

    def existing(leaf, axis):
        """A trie with ``leaf`` for every address of a node in the fields after ``axis``."""
        under = trie([leaf] * dsn.m + none, bits)
        for after, (_, width) in reversed(parts[axis + 1 :]):
            under = trie(_by_coordinate(dsn, after, width, keys, own, absent, lambda _, under=under: under), width)
        return under

    for axis, (_, width) in reversed(parts):

        def leaf_at(distance, axis=axis, below=below):
            return existing(number(_hop(dsn, own, axis, distance)), axis) if distance else below

        below = trie(_by_coordinate(dsn, axis, width, keys, own, absent, leaf_at), width)
    return below, leaves


def _by_coordinate(dsn, axis, width, keys, own, absent, leaf_at):
    """The leaf of each value of a coordinate's field: ``leaf_at(distance)`` for the coordinate of a node.

    A value that is not the coordinate of any node has the leaf ``absent`` if keys are absolute, else ANY.
    """
    n = dsn.sizes[axis]
    # Distances of n and more never occur, nor does a direction bit with a distance of the other direction.
    values = [absent if keys == "absolute" else ANY] * (1 << width)
    for dst in range(n):
        values[dsn.key_coordinate(axis, keys, own[axis], dst)] = leaf_at((dst - own[axis]) % n)
    return values


def compile_node(dsn, own, keys="absolute", minimise=True, absent=MISS):
    """Compile the table of node ``own``, a tuple of coordinates and id.

    Parameters
    ----------
    keys : str
        One of ``dsn.keys``.
    minimise : bool
        True: the fewest prefixes with the same actions. False: entries with remarks, one for each next hop and purpose as in
        Fig. 4.12(b), or several where one prefix cannot cover the keys.
    absent : MISS or ANY
        Action for destinations that do not exist: a miss, or any action, which may save entries.

    Returns
    -------
    Table
        Its actions are those of :func:`action_names`.
    """
    root, leaves = _trie_of_leaves(dsn, own, keys, absent)
    width = dsn.key_width(keys)
    if minimise:
        actions = [action for action, _ in leaves]
        found = [
            Entry(bits << width - length, length, action) for bits, length, action in fewest(renamed(root, actions))
        ]
    else:
        found = [Entry(bits << width - length, length, *leaves[leaf]) for bits, length, leaf in blocks(root)]
    label = ",".join(map(str, own))
    return Table(f"node {label}", width, action_names(dsn), tuple(found))


# Number of entries of each kind of table against the number of nodes (D 4.5.2).


#: Networks of 128 to 32768 nodes: X and Y; the supernodes are k4x2.
GRIDS = ((4, 4), (4, 8), (8, 8), (8, 16), (16, 16), (16, 32), (32, 32), (32, 64), (64, 64))

#: Columns of a row, with their headings.
COLUMNS = {
    "nodes": "N",
    "paper": "m + log X + log Y",
    "forward": "relative, forward only",
    "forward_fewest": "fewest",
    "relative": "relative",
    "relative_fewest": "fewest",
    "folded": "folded",
    "folded_fewest": "fewest",
    "absolute": "absolute, worst",
    "absolute_fewest": "fewest, mean",
    "absolute_worst": "fewest, worst",
    "flat": "flat",
    "direct_bits": "direct, RAM bits",
}


def sizes(grids=GRIDS):
    """A row of :data:`COLUMNS` for each network.

    Relative and folded tables depend on the id only, and the largest is given. Absolute tables are those of
    :func:`sampled_nodes`.
    """
    return [_row(*pair) for pair in grids]


def sampled_nodes(dsn):
    """Nodes whose absolute tables are compiled: all ids of at most 16 supernodes.

    The supernodes lie on a diagonal, which includes every x and y of a network of up to 16 x 16 supernodes.
    """
    steps = min(16, max(dsn.sizes))
    for step in range(steps):
        at = tuple(size * step // steps + (step % 2) * (size // steps > 1) for size in dsn.sizes)
        for node in range(dsn.m):
            yield (*at, node)


def _row(x, y):
    both, forward = grid(x, y), grid(x, y, directions="forward")
    ids = [(0, 0, node) for node in range(both.m)]

    def most(dsn, keys, minimise):
        return max(len(compile_node(dsn, node, keys, minimise).entries) for node in ids)

    absolute = [
        [len(compile_node(both, node, "absolute", minimise).entries) for node in sampled_nodes(both)]
        for minimise in (False, True)
    ]
    return {
        "network": f"{x} x {y} x {both.m}",
        "nodes": both.nodes,
        "paper": both.m + sum(both.levels),
        "forward": most(forward, "relative", False),
        "forward_fewest": most(forward, "relative", True),
        "relative": most(both, "relative", False),
        "relative_fewest": most(both, "relative", True),
        "folded": most(both, "folded", False),
        "folded_fewest": most(both, "folded", True),
        "absolute": max(absolute[0]),
        "absolute_fewest": statistics.mean(absolute[1]),
        "absolute_worst": max(absolute[1]),
        "flat": both.nodes,
        "direct_bits": both.nodes * 5,
    }


# Plots the sizes of tables (:mod:`sizes`).


#: Style of each curve: key of the rows, label, colour, marker.
CURVES = (
    ("flat", "flat, or words of a direct table", "#444444", "D"),
    ("absolute", "absolute, expanded (worst node)", "#e69138", "v"),
    ("absolute_fewest", "absolute, fewest (mean)", "#990000", "^"),
    ("relative_fewest", "relative, fewest", "#0b5394", "s"),
    ("folded_fewest", "folded, fewest", "#38761d", "o"),
    ("paper", "m + log X + log Y (D 4.5.2)", "#000000", ""),
)


def size_plot(rows):
    """Plot of the number of entries against the number of nodes."""
    figure, axes = new_figure("Entries of a switch's table, grid DSN of k4x2")
    nodes = [row["nodes"] for row in rows]
    for key, label, colour, marker in CURVES:
        style = "--" if key == "paper" else "-"
        axes.plot(nodes, [row[key] for row in rows], style, color=colour, marker=marker, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(nodes, [f"{n:,}" for n in nodes], rotation=30)
    axes.set_xlabel("nodes of the network")
    axes.set_ylabel("entries")
    axes.legend(loc="upper left", fontsize=8)
    return svg(figure)
