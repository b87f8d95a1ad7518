"""Loads of the single links of a supernode, with and without alternative local routes (D 4.3.3, Figs 4.8 and 4.9)."""

from collections import Counter
from itertools import pairwise

from dsnswitch.net.routing.dsn.local import alternative_hop, first_hop
from dsnswitch.net.routing.dsn.relation import next_shortcut


def _moves(dsn):
    """What the routes of all pairs from one supernode do: ``{(own, target): routes}`` of local moves, and of shortcuts
    ``{(dimension, level, direction): routes}``."""
    local, far = Counter(), Counter()
    for own in range(dsn.m):
        for number in range(dsn.nodes):
            *distances, last = dsn.switch(number)
            at = own
            for axis, distance in enumerate(distances):
                while distance:
                    step = next_shortcut(dsn, axis, distance, at)
                    local[at, step.leaves] += 1
                    far[dsn.dimensions[axis], step.level, step.direction] += 1
                    at, distance = step.enters, step.distance
            local[at, last] += 1
    return Counter({pair: count for pair, count in local.items() if pair[0] != pair[1]}), far


def _local_path(supernode, own, target, alternative):
    """Ids on a local route, ``own`` first: the first one, or the alternative (D Table 4.3) if there is one."""
    path = [own]
    while path[-1] != target:
        port = alternative_hop(supernode, path[-1], target) if alternative else None
        port = first_hop(supernode, path[-1], target) if port is None else port
        path.append(supernode.neighbour(path[-1], port))
    return path


def link_loads(dsn, alternatives=False):
    """``{name: pairs}``: communicating pairs on each link of a supernode, both directions together (D Figs 4.8, 4.9).

    ``L_i_j`` is the local link between levels i and j, ``X_k`` and so on the level-k shortcut of a dimension; levels count from
    1. With ``alternatives``, half of the local moves that have another shortest route take it (D Table 4.3).
    """
    local, far = _moves(dsn)
    found = Counter()
    for (own, target), count in local.items():
        paths = [_local_path(dsn.supernode, own, target, other) for other in ((False, True) if alternatives else (False,))]
        for path in paths:
            for a, b in pairwise(path):
                found["L", *sorted((a + 1, b + 1))] += count / len(paths)
    for (name, level, _), count in far.items():
        found[name.upper(), level] += count
    ports = range(len(dsn.supernode.port_names))
    every = {tuple(sorted((own + 1, dsn.supernode.neighbour(own, port) + 1))) for own in range(dsn.m) for port in ports}
    rows = {("L", *pair): found["L", *pair] for pair in every} | {key: value for key, value in found.items() if key[0] != "L"}
    return {"_".join(map(str, key)): rows[key] for key in sorted(rows)}
