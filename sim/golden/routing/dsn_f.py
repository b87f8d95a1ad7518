"""Model of DSN-F's custom routing (F III-B): layer links up, the ring routing in layer 0, layer links down.

Layer 0 is the ring DSN of 2^p supernodes of p nodes whose level-p shortcut is the Succ link. So its routing is that of
:mod:`dsn`, in both directions around the ring of supernodes. F Fig. 2 covers one direction, with errors (docs/papers.md).
"""

from itertools import pairwise

from dsnswitch.net.topology.dsn import ring
from dsnswitch.sim.golden.routing.dsn import Hop, route_nodes
from dsnswitch.sim.golden.topology.dsn_f import label, level_count, number


def path_bound(n):
    """F's bound on hops: ``2 (p + K - 1)`` with K layers (F Theorem 1)."""
    p = level_count(n)
    layers = -(-n // (p * 2**p))
    return 2 * (p + layers - 1)


def route_nodes_f(n, source, target):
    """Nodes of the path from ``source`` to ``target``, both included.

    Two nodes of the same level and supernode are joined by layer links alone. Other pairs pass through layer 0, which is complete
    for every n. So a partly filled layer is only on the routes of its own nodes. A layer link always leads to a node that exists.
    """
    p = level_count(n)
    start, end = label(n, source), label(n, target)
    if (start.level, start.supernode) == (end.level, end.supernode):
        way = range(start.layer, end.layer, 1 if start.layer < end.layer else -1)
        return [*(number(n, start.level, layer, start.supernode) for layer in way), target]
    up = [number(n, start.level, layer, start.supernode) for layer in range(start.layer, 0, -1)]
    down = [number(n, end.level, layer, end.supernode) for layer in range(1, end.layer + 1)]
    ends = [(place.supernode, place.level - 1) for place in (start, end)]
    return up + [s * p + node for s, node in route_nodes(ring(2**p, p), *ends)] + down


def path(network, source, target):
    """The path from switch ``source`` to ``target`` as a list of :class:`Hop`."""
    numbers = route_nodes_f(network.n, network.number(source), network.number(target))
    return [Hop(*map(network.switch, ends)) for ends in pairwise(numbers)]
