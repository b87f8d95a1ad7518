"""Load of the channels: a lower bound of the greatest one, and the division of the hosts of a switch among several routes.

The load of a channel is the number of pairs of a source and a destination whose route uses it.
"""

import numpy as np

from dsnswitch.net.routing.wiring import targets


def ideal(wiring):
    """A lower bound of the greatest channel load for any routing, in pairs, rounded up: the largest of two kinds of averages.

    - Shortest paths of all pairs: their hops, divided by the number of channels.
    - Every cut around a *ball*, for each switch and d: a ball contains the switches at most d hops from one switch. The pairs
      that must leave the ball are divided by the channels that leave it. With d = 0 the ball is a single switch.

    A pair is a source and a destination, which are the hosts, or the switches if the graph has no hosts. There may be no routing
    that reaches this bound.
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


#: ``switch``: all hosts of a switch share their routes. ``host``: every host has its own routes. ``auto``: the hosts of a switch
#: are divided into runs of neighbouring keys, and the number of runs rises while the greatest load falls.
BALANCES = ("auto", "switch", "host")

#: Numbers of runs that ``auto`` tries. A number is kept if it reduces the greatest load by a tenth. The search ends after two
#: numbers in a row that do not, or when the greatest load is within a tenth of :func:`ideal`.
PARTS, TENTH = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), 0.1


def spread(wiring, make, balance):
    """The trees of ``make(targets)`` for ``balance``, one of :data:`BALANCES`."""
    most = int(wiring.hosts.max())
    if balance == "host":
        return make(targets(wiring, most))
    best, failed = make(targets(wiring)), 0
    enough = (1 + TENTH) * ideal(wiring)
    for parts in PARTS:
        if balance != "auto" or best.load.max(initial=0) <= enough or parts > most or failed == 2:
            break
        trees = make(targets(wiring, parts))
        if trees.load.max() <= (1 - TENTH) * best.load.max():
            best, failed = trees, 0
        else:
            failed += 1
    return best
