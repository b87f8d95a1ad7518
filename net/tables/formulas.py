"""The routing algorithm of one switch as a table, from the structure of addresses (D 4.5.2, Fig. 4.12: a DSN).

A key is the concatenation of the address fields by :meth:`Network.key_rule`. If keys are not absolute, switches of equal id share
a table. A level is one prefix in both directions if keys are folded.

An action is the index of an output port, or ``arrived``, which is the number after the last port.
"""

import statistics

from dsnswitch.net.files.plotting import BLUE, GREEN, GREY, ORANGE, RED, new_figure, svg
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.tables.entries import Entry, Table, action_names
from dsnswitch.net.tables.trie import ANY, MISS, blocks, fewest, trie
from dsnswitch.net.topology.registry import parse_network


def _final(relation, own):
    """The leaf of each value of the last address field where all others are the switch's own, in rising order."""
    network = relation.network
    last = len(network.fields) - 1
    for target in range(network.fields[last].size):
        here = target == own[last]
        yield (len(network.ports), "this switch") if here else relation.field_hop(own, last, target)


def _trie_of_leaves(relation, own, keys, absent, minimise):
    """The trie of a switch's table, whose leaves are actions, or else numbers of the ``(action, remark)`` in a list."""
    network, numbers = relation.network, {}

    def number(leaf):
        return leaf[0] if minimise else numbers.setdefault(leaf, len(numbers))

    *parts, (_, bits) = network.key_fields(keys)
    size = network.fields[-1].size
    none = [absent] * ((1 << bits) - size)
    below = trie([number(leaf) for leaf in _final(relation, own)] + none, bits)

    def level(axis, leaf_at):
        """A trie for the field ``axis``: ``leaf_at(distance)`` for each value of a switch."""
        # Distances of n and more never occur, nor does a direction bit with a distance of the other direction.
        n, width = network.fields[axis].size, parts[axis][1]
        values = [absent if keys == "absolute" else ANY] * (1 << width)
        for there in range(n):
            values[network.key_coordinate(axis, keys, own[axis], there)] = leaf_at((there - own[axis]) % n)
        return trie(values, width)

    def existing(leaf, axis):
        """A trie with ``leaf`` for every address of a switch in the fields after ``axis``."""
        under = trie([leaf] * size + none, bits)
        for after in range(len(parts) - 1, axis, -1):
            under = level(after, lambda _, under=under: under)
        return under

    for axis in range(len(parts) - 1, -1, -1):

        def leaf_at(distance, axis=axis, below=below):
            return existing(number(relation.field_hop(own, axis, distance)), axis) if distance else below

        below = level(axis, leaf_at)
    return below, list(numbers)


def compile_node(network, own, keys="absolute", minimise=True, absent=MISS):
    """The :class:`Table` of switch ``own`` of a network whose relation has :meth:`Relation.field_hop`.

    ``keys`` is one of ``network.keys``. With ``minimise``, the table has the fewest prefixes with the same actions. Without,
    entries have remarks: there is one for each next hop and purpose as in Fig. 4.12(b), or several where one prefix cannot cover
    the keys. ``absent`` is the action for destinations that do not exist: a miss, or any action (ANY), which may save entries.
    """
    root, leaves = _trie_of_leaves(relation_of(network), own, keys, absent, minimise)
    width = network.key_width(keys)
    found = [
        Entry(bits << width - length, length, *((leaf,) if minimise else leaves[leaf]))
        for bits, length, leaf in (fewest if minimise else blocks)(root)
    ]
    label = ",".join(map(str, own))
    return Table(f"node {label}", width, action_names(network), tuple(found))


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


def sampled_nodes(network):
    """Switches whose absolute tables are compiled: all ids of at most 16 supernodes.

    The supernodes lie on a diagonal, which includes every x and y of a network of up to 16 x 16 supernodes.
    """
    *sizes, count = (field.size for field in network.fields)
    steps = min(16, max(sizes))
    for step in range(steps):
        at = tuple(size * step // steps + (step % 2) * (size // steps > 1) for size in sizes)
        for node in range(count):
            yield (*at, node)


def _row(x, y):
    both, forward = (parse_network(f"grid:{x}x{y}{tail}") for tail in ("", ":forward"))
    ids = both.representatives()

    def most(network, keys, minimise):
        return max(len(compile_node(network, node, keys, minimise).entries) for node in ids)

    absolute = [
        [len(compile_node(both, node, "absolute", minimise).entries) for node in sampled_nodes(both)]
        for minimise in (False, True)
    ]
    return {
        "network": f"{x} x {y} x {len(ids)}",
        "nodes": both.nodes,
        "paper": len(ids) + sum(field.width for field in both.fields[:-1]),
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


# Plots the sizes of tables.

#: Style of each curve: key of the rows, label, colour, marker.
CURVES = (
    ("flat", "flat, or words of a direct table", GREY, "D"),
    ("absolute", "absolute, expanded (worst node)", ORANGE, "v"),
    ("absolute_fewest", "absolute, fewest (mean)", RED, "^"),
    ("relative_fewest", "relative, fewest", BLUE, "s"),
    ("folded_fewest", "folded, fewest", GREEN, "o"),
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
    axes.legend(loc="upper left")
    return svg(figure)
