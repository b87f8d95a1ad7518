"""Load of each link under uniform traffic, and the bound of the throughput that follows. Used by ``dsnswitch load``.

Every switch injects one flit per cycle and addresses all other switches equally often. The load of a channel is the number of
flits per cycle that it would have to carry. A channel carries at most one, so the throughput per switch is at most one divided by
the greatest load.
"""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net.analysis.paths import route_lengths
from dsnswitch.net.unwatched import unwatched

__all__ = ["Loads", "loads"]


@dataclass(frozen=True)
class Loads:
    """Loads of a routing under uniform traffic.

    Attributes
    ----------
    rows : list of dict
        One for each kind, level and direction of links: ``kind``, ``level`` and ``direction`` (None for local links),
        ``channels`` in the network, ``mean`` and ``maximum`` load in flits per cycle.
    bound : float
        Upper bound of the throughput under uniform traffic, in flits per cycle and switch.
    average_path : float
        Mean number of hops over all pairs of different switches.
    """

    rows: list
    bound: float
    average_path: float


def loads(relation, bar=unwatched):
    """Load of each kind of link. The port that the relation chooses must not depend on the arrival channel.

    ``bar`` is as in :func:`route_lengths`.
    """
    network = relation.network
    sources = network.representatives()
    lengths = route_lengths(relation, bar)
    routes = _routes(relation, sources, lengths, bar)
    rows = _rows(network, sources, {link: count / (network.nodes - 1) for link, count in routes.items()})
    return Loads(
        rows=rows,
        bound=1 / max((row["maximum"] for row in rows), default=1.0),
        average_path=float(lengths.sum(dtype=np.int64) / (lengths.size - len(sources))),
    )


def _routes(relation, sources, lengths, bar):
    """Number of routes over each channel that leaves a representative, ``{(row, port): number}``.

    All supernodes are alike. So the routes from one supernode over all channels of a class have the same number as all routes
    over one channel of the class. Routes are followed by canonical pairs: the pairs are processed from the longest to the
    shortest, and each adds the routes that reach it to the pair of its next hop.
    """
    network = relation.network
    row = {switch: index for index, switch in enumerate(sources)}
    waiting, found = np.ones(lengths.shape, np.int64), {}
    order = np.argsort(-lengths, axis=None, kind="stable")[: np.count_nonzero(lengths)]
    for place in bar(order, "loads", len(order)):
        index, number = divmod(int(place), network.nodes)
        source, destination = sources[index], network.switch(number)
        port, _ = relation.hops(source, None, destination)[0]
        count = waiting[index, number]
        found[index, port] = found.get((index, port), 0) + count
        there, target = network.canonical(network.neighbour(source, port)[0], destination)
        waiting[row[there], network.number(target)] += count
    return found


def _rows(network, sources, load):
    """One row for all channels with the same kind, level and direction."""
    groups = {}
    for index, source in enumerate(sources):
        for port in network.ports:
            if network.neighbour(source, port.index) is not None:
                key = port.kind, network.level(source, port.index), port.direction
                groups.setdefault(key, []).append(float(load.get((index, port.index), 0.0)))
    copies = network.nodes // len(sources)
    return [
        {
            "kind": kind,
            "level": level,
            "direction": direction,
            "channels": len(values) * copies,
            "mean": sum(values) / len(values),
            "maximum": max(values),
        }
        for (kind, level, direction), values in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0))
    ]
