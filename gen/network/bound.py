"""The bound on the load of channels that no routing is below."""

import numpy as np

__all__ = ["ideal"]


def ideal(wiring):
    """A lower bound of the greatest channel load, whatever the routing: the largest of two kinds of averages.

    - All pairs over shortest paths: their hops, divided by the number of channels.
    - Every cut round a *ball*, the switches at up to d hops from one switch, for each switch and d: the pairs that must leave
      the ball, divided by the channels that leave it. With d = 0 the ball is a switch alone.

    A pair is a source and a destination, which are the hosts, or the switches if the fabric has no hosts.

    Returns
    -------
    int
        Pairs, rounded up. Routes may be unable to reach it; none is below.
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
