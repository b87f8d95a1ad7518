"""Number of entries of each kind of table against the number of nodes (D 4.5.2)."""

import statistics

from dsnswitch.net.tables.dsn import compile_node
from dsnswitch.net.topology.dsn import grid

__all__ = ["COLUMNS", "sizes"]

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
