"""Load of each link under uniform traffic, and the throughput that it bounds. Used by ``dsnswitch load``.

Every switch sends one flit per cycle in all, to every other switch equally often. The load of a channel is the number of flits
that it has to carry per cycle; a channel carries at most one, so the switches can send at most one over the greatest load.
"""

from dataclasses import dataclass

import numpy as np

from .paths import route_lengths

__all__ = ["Loads", "loads"]


@dataclass(frozen=True)
class Loads:
    """Loads of a routing under uniform traffic.

    Attributes
    ----------
    rows : list of dict
        For each kind of link: ``kind``, ``level`` and ``direction`` (None for local links), ``channels`` in the network,
        ``mean`` and ``maximum`` load in flits per cycle.
    bound : float
        Flits per switch and cycle that no traffic of this kind exceeds.
    average_path : float
        Hops, over all pairs of different switches.
    """

    rows: list
    bound: float
    average_path: float


def loads(relation, progress=lambda items: items):
    """Load of each kind of link. The port of a relation must not depend on how the packet came."""
    network = relation.network
    sources = network.representatives()
    lengths = route_lengths(relation, progress)
    routes = _routes(relation, sources, lengths)
    rows = _rows(network, sources, {link: count / (network.nodes - 1) for link, count in routes.items()})
    return Loads(
        rows=rows,
        bound=1 / max((row["maximum"] for row in rows), default=1.0),
        average_path=float(lengths.sum(dtype=np.int64) / (lengths.size - len(sources))),
    )


def _routes(relation, sources, lengths):
    """Routes over each channel that leaves a representative, ``{(row, port): number}``.

    Supernodes are alike, so the routes from one supernode over all channels of a class are those of all over one of them. A
    route is followed by canonical pairs, and every pair passes on the routes that reach it, the longest first.
    """
    network = relation.network
    row = {switch: index for index, switch in enumerate(sources)}
    waiting, found = np.ones(lengths.shape, np.int64), {}
    for place in np.argsort(-lengths, axis=None, kind="stable"):
        index, number = divmod(int(place), network.nodes)
        if not lengths[index, number]:
            break
        source, destination = sources[index], network.switch(number)
        port, _ = relation.hops(source, None, destination)[0]
        count = waiting[index, number]
        found[index, port] = found.get((index, port), 0) + count
        there, target = network.canonical(network.neighbour(source, port)[0], destination)
        waiting[row[there], network.number(target)] += count
    return found


def _rows(network, sources, load):
    """Channels with the same kind, level and direction together."""
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
