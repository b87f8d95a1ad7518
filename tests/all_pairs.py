"""Route lengths of all pairs at once, in numpy.

A route is a chain of phases. A phase depends only on the id at which it starts and on its distance, so the length of every
route is a sum of table look-ups. A translation of all supernodes maps a DSN onto itself and routes onto routes, so the
statistics take sources in supernode 0 only. ``tests`` compare both simplifications with whole paths.
"""

import networkx as nx
import numpy as np

from dsnswitch.net.analysis.paths import Statistics
from dsnswitch.sim.golden.routing.dsn import local_path, path_bound, ring_moves
from dsnswitch.sim.golden.topology.dsn import degrees, graph


def local_lengths(supernode):
    """Hops of the local route, ``[source, target]``."""
    m = supernode.m
    return np.array([[len(local_path(supernode, a, b)) - 1 for b in range(m)] for a in range(m)], dtype=np.int16)


def phase_tables(dsn, axis):
    """One dimension's phase: ``hops[distance, id]`` and ``end[distance, id]``, the id on which the phase ends."""
    n, m = dsn.sizes[axis], dsn.m
    local = local_lengths(dsn.supernode)
    hops = np.zeros((n, m), dtype=np.int16)
    end = np.tile(np.arange(m, dtype=np.int16), (n, 1))
    for distance in range(n):
        for level, direction in ring_moves(n, 0, distance, dsn.directions):
            enter, leave = (level - 1, level % m) if direction == "forward" else (level % m, level - 1)
            hops[distance] += local[end[distance], enter] + 1
            end[distance] = leave
    return hops, end


def route_lengths(dsn):
    """Hops of every route from supernode 0: an array ``[source id, y distance, x distance, target id]`` (no y on a ring)."""
    m = dsn.m
    hops = np.zeros((m,), dtype=np.int16)
    end = np.arange(m, dtype=np.int16)
    for axis, size in enumerate(dsn.sizes):
        table, ends = phase_tables(dsn, axis)
        distance = np.arange(size).reshape((1, size) + (1,) * axis)
        hops, end = hops[:, None] + table[distance, end[:, None]], ends[distance, end[:, None]]
    return hops[..., None] + local_lengths(dsn.supernode)[end]


def shortest_lengths(dsn, progress=lambda items: items):
    """Hops of shortest paths from supernode 0, by networkx' breadth-first search. The shape is that of :func:`route_lengths`."""
    net = graph(dsn)
    axes = len(dsn.sizes)
    found = np.zeros((dsn.m, *reversed(dsn.sizes), dsn.m), dtype=np.int16)
    for source in progress(range(dsn.m)):
        lengths = nx.single_source_shortest_path_length(net, (0,) * axes + (source,))
        where = np.array(list(lengths), dtype=np.int64)
        index = (source, *(where[:, axis] for axis in reversed(range(axes))), where[:, -1])
        found[index] = np.fromiter(lengths.values(), dtype=np.int16)
    return found


def statistics(dsn, progress=lambda items: items):
    """Measure every pair. ``progress`` may wrap the iterable of sources to show a bar."""
    routes, shortest = route_lengths(dsn), shortest_lengths(dsn, progress)
    pairs = routes.size - dsn.m
    stretch = routes[shortest > 0] / shortest[shortest > 0]
    source, *place, target = (int(part) for part in np.unravel_index(routes.argmax(), routes.shape))
    count = degrees(dsn)
    return Statistics(
        nodes=dsn.nodes,
        links=sum(count) * dsn.supernodes // 2,
        average_degree=sum(count) / dsn.m,
        maximum_degree=max(count),
        path_bound=path_bound(dsn),
        routing_diameter=int(routes.max()),
        average_path=float(routes.sum(dtype=np.int64) / pairs),
        diameter=int(shortest.max()),
        aspl=float(shortest.sum(dtype=np.int64) / pairs),
        average_stretch=float(stretch.mean()),
        maximum_stretch=float(stretch.max()),
        worst_pair=((0,) * len(dsn.sizes) + (source,), (*reversed(place), target)),
    )
