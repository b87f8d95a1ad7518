"""A lower bound of the greatest channel load, for any routing."""

import numpy as np

__all__ = ["ideal"]


def ideal(wiring):
    """A lower bound of the greatest channel load for any routing: the largest of two kinds of averages.

    - Shortest paths of all pairs: their hops, divided by the number of channels.
    - Every cut around a *ball*, for each switch and d: a ball contains the switches at most d hops from one switch. The pairs
      that must leave the ball are divided by the channels that leave it. With d = 0 the ball is a single switch.

    A pair is a source and a destination, which are the hosts, or the switches if the fabric has no hosts.

    Returns
    -------
    int
        Number of pairs, rounded up. There may be no routing that reaches this bound.
    """
    if not wiring.count:
        return 0
    source, target, hosts = wiring.source[:-1], wiring.target[:-1], wiring.hosts
    best = -(-int(hosts @ wiring.distance @ hosts) // wiring.count)
    for row in wiring.distance:
        most = int(row.max())
        inside = np.bincount(row, hosts, most + 1).astype(np.int64).cumsum()[:most]
        leaving = np.bincount(row[source[row[target] > row[source]]], minlength=most)
        best = max(best, int((-(-inside * (hosts.sum() - inside) // leaving)).max(initial=0)))
    return best
