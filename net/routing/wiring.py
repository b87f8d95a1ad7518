"""A fabric as arrays: channels in a fixed order, distances between switches, and targets of routes."""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net.routing.order import by_name, by_structure

__all__ = ["Targets", "Wiring", "hops", "targets"]


@dataclass(frozen=True)
class Targets:
    """The targets of routes: a *target* is a set of destinations at one switch that share their routes, which form one tree.

    Attributes
    ----------
    members : list of tuple
        Destinations of each target.
    home : array (G,)
        The switch that the destinations of each target are attached to.
    weight : array (G,)
        Number of destinations of each target.
    """

    members: list
    home: np.ndarray
    weight: np.ndarray


class Wiring:
    """Channels of a fabric. A channel is one direction of a link; parallel links have channels of their own.

    Attributes
    ----------
    switches : list
        Names, in the order of :func:`by_structure`. ``index`` maps a name to its position.
    source, target, port : arrays (C + 1,)
        Ends of each channel, and its port at ``source``. Channels are sorted by source, target and port. The last element
        means "no channel" and is -1.
    out : array (S, most)
        Channels that leave each switch, padded with C.
    hosts : array (S,)
        Number of packet sources at each switch: its hosts, or one if the fabric has no hosts.
    colour : array (S,)
        Equal numbers for switches that have the same place in the graph, as far as :func:`by_structure` can tell.
    distance : array (S, S)
        Hops between two switches.
    """

    def __init__(self, fabric):
        names = sorted(fabric.ports, key=by_name)
        number = {switch: place for place, switch in enumerate(names)}
        found = np.array(
            [
                (number[switch], number[peer], port)
                for switch, peers in fabric.ports.items()
                for port, peer in enumerate(peers)
                if peer in number
            ],
            dtype=np.int64,
        ).reshape(-1, 3)
        hosts = np.zeros(len(names), np.int64)
        for destination in fabric.keys:
            hosts[number[fabric.home(destination)]] += 1
        source, target = found[:, 0], found[:, 1]
        distance = hops(len(names), source, target)
        order, colour = by_structure(distance, source, target, hosts)
        place = np.argsort(order)
        self.fabric = fabric
        self.switches = [names[at] for at in order]
        self.index = {switch: at for at, switch in enumerate(self.switches)}
        self.hosts, self.colour, self.distance = hosts[order], colour[order], distance[np.ix_(order, order)]
        rows = np.column_stack([place[source], place[target], found[:, 2]])
        rows = rows[np.lexsort(rows.T[::-1])]
        self.source, self.target, self.port = np.vstack([rows, np.full((1, 3), -1)]).T.copy()
        first = np.searchsorted(self.source[:-1], np.arange(self.size + 1))
        most = int(np.diff(first).max(initial=0))
        self.out = first[:-1, None] + np.arange(most)
        self.out[self.out >= first[1:, None]] = self.count

    @property
    def size(self):
        """Number of switches."""
        return len(self.switches)

    @property
    def count(self):
        """Number of channels."""
        return len(self.source) - 1


def hops(size, source, target):
    """Hops between all switches of a connected graph, by a breadth-first search from all switches at once, with one bit per pair.

    Returns
    -------
    array (size, size) of int32
    """
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    starts = np.flatnonzero(np.diff(source, prepend=-1))
    distance = np.zeros((size, size), np.int32)
    reached = np.packbits(np.eye(size, dtype=bool), axis=1)
    count = 0
    while len(source):
        count += 1
        near = reached.copy()
        # A part of the switches at a time limits the memory: a complete graph has as many channels as pairs.
        for some in np.array_split(np.arange(len(starts)), 1 + (len(source) * size >> 28)):
            low, high = starts[some[0]], starts[some[-1] + 1] if some[-1] + 1 < len(starts) else len(source)
            near[source[starts[some]]] |= np.bitwise_or.reduceat(reached[target[low:high]], starts[some] - low, axis=0)
        new = near & ~reached
        if not new.any():
            break
        distance[np.unpackbits(new, axis=1, count=size).astype(bool)] = count
        reached = near
    return distance


def targets(wiring, parts=1):
    """The targets of a fabric: the destinations of each switch, in up to ``parts`` runs of neighbouring keys."""
    keys, found = wiring.fabric.keys, {}
    for destination in keys:
        found.setdefault(wiring.index[wiring.fabric.home(destination)], []).append(destination)
    members, homes = [], []
    for home, ends in sorted(found.items()):
        ends.sort(key=keys.get)
        count = min(parts, len(ends))
        for part in range(count):
            members.append(tuple(ends[len(ends) * part // count : len(ends) * (part + 1) // count]))
            homes.append(home)
    return Targets(members, np.array(homes), np.array([len(ends) for ends in members]))
