"""A network as arrays: channels in a fixed order, distances between switches, and targets of routes."""

from collections import namedtuple

import numpy as np

from dsnswitch.net.topology.network import by_name

# A canonical order of switches, which depends on the graph and not on the order of lines in a file.

#: Maximum number of switches that get their own colour, one by one. Switches that are equal after that are ordered by name.
MOST_CHOSEN = 64


def by_structure(distance, source, target, weight):
    """Order of the switches that does not depend on their names, except for switches that the graph does not distinguish.

    Colour refinement: the first colour of a switch is its weight and the number of switches at each distance. Then switches are
    split by the colours of their neighbours until nothing changes. If a colour still has several switches, the first switch of
    the lowest such colour gets its own colour, and the refinement is repeated.

    Arguments are hops between switches, which are numbered by name (S, S); ends of every channel (C,); hosts of each switch (S,).

    Returns
    -------
    order : array (S,)
        Numbers of the switches, in order.
    colour : array (S,)
        Number of each switch that only switches share which the first refinement does not distinguish.
    """
    profile = np.column_stack([(distance == count).sum(axis=1) for count in range(distance.max() + 1)])
    first = colour = _refined(_ranks(np.column_stack([weight, profile])), source, target)
    for _ in range(MOST_CHOSEN):
        several = np.flatnonzero(np.bincount(colour) > 1)
        if not len(several):
            break
        chosen = np.flatnonzero(colour == several[0])[0]
        colour = 2 * colour + 1
        colour[chosen] -= 1
        colour = _refined(_ranks(colour[:, None]), source, target)
    return np.argsort(colour, kind="stable"), first


def _ranks(rows):
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


def _mixed(values):
    """A 64-bit hash of each value (the finaliser of SplitMix64), so that a sum of hashes represents a multiset."""
    values = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ values >> np.uint64(shift)) * np.uint64(factor)
    return values ^ values >> np.uint64(31)


def _refined(colour, source, target):
    while True:
        around = np.zeros(len(colour), np.uint64)
        np.add.at(around, source, _mixed(colour)[target])
        finer = _ranks(np.column_stack([colour.astype(np.uint64), around]))
        if finer.max() == colour.max():
            return finer
        colour = finer


#: The targets of routes: a *target* is a set of destinations at one switch that share their routes, which form one tree.
#: ``members`` are the destinations of each target, ``home`` the switch that they are attached to, ``weight`` their number.
Targets = namedtuple("Targets", "members home weight")


class Wiring:
    """Channels of a graph. A channel is one direction of a link; parallel links have channels of their own.

    Attributes
    ----------
    switches : list
        Names, in the order of :func:`by_structure`. ``index`` maps a name to its position.
    source, target, port : arrays (C + 1,)
        Ends of each channel, and its port at ``source``. Channels are sorted by these three. The last element, -1, means "no
        channel".
    out : array (S, most)
        Channels that leave each switch, padded with C.
    hosts, colour : arrays (S,)
        Number of packet sources at each switch: its hosts, or one if the graph has no hosts. Equal colours for switches that have
        the same place in the graph, as far as :func:`by_structure` can tell.
    distance : array (S, S)
        Hops between two switches.
    """

    def __init__(self, graph):
        names = sorted(graph.ports, key=by_name)
        number = {switch: place for place, switch in enumerate(names)}
        found = np.array(
            [
                (number[switch], number[peer], port)
                for switch, peers in graph.ports.items()
                for port, peer in enumerate(peers)
                if peer in number
            ],
            dtype=np.int64,
        ).reshape(-1, 3)
        hosts = np.zeros(len(names), np.int64)
        for destination in graph.keys:
            hosts[number[graph.home(destination)]] += graph.weight(destination)
        source, target = found[:, 0], found[:, 1]
        # No array of all pairs takes more memory than necessary: a network may have 16,384 switches.
        distance = hops(len(names), source, target, dtype=np.int16 if len(names) < 1 << 15 else np.int32)
        order, colour = by_structure(distance, source, target, hosts)
        place = np.argsort(order)
        self.graph = graph
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


def hops(size, source, target, ends=None, dtype=np.int32):
    """Hops from all switches to those in ``ends``, by default all, by a breadth-first search with one bit per pair.

    ``source`` and ``target`` are the ends of every channel. The array (size, number of ends) has -1 where there is no path.
    """
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    starts = np.flatnonzero(np.diff(source, prepend=-1))
    ends = np.arange(size) if ends is None else np.array(ends)
    reached = np.zeros((size, len(ends)), bool)
    reached[ends, np.arange(len(ends))] = True
    distance = np.where(reached, 0, -1).astype(dtype)
    # Words of 64 bits take an eighth of the time of bytes.
    reached = np.packbits(np.pad(reached, ((0, 0), (0, -len(ends) % 64))), axis=1).view(np.uint64)
    count = 0
    while len(source):
        count += 1
        near = reached.copy()
        # A part of the switches at a time limits the memory: a complete graph has as many channels as pairs.
        for some in np.array_split(np.arange(len(starts)), 1 + (len(source) * len(ends) >> 28)):
            low, high = starts[some[0]], starts[some[-1] + 1] if some[-1] + 1 < len(starts) else len(source)
            near[source[starts[some]]] |= np.bitwise_or.reduceat(reached[target[low:high]], starts[some] - low, axis=0)
        new = near & ~reached
        if not new.any():
            break
        distance[np.unpackbits(new.view(np.uint8), axis=1, count=len(ends)).view(bool)] = count
        reached = near
    return distance


def targets(wiring, parts=1):
    """The targets of a graph: the destinations of each switch, in up to ``parts`` runs of neighbouring keys."""
    keys, found = wiring.graph.keys, {}
    for destination in keys:
        found.setdefault(wiring.index[wiring.graph.home(destination)], []).append(destination)
    members, homes = [], []
    for home, ends in sorted(found.items()):
        ends.sort(key=keys.get)
        count = min(parts, len(ends))
        for part in range(count):
            members.append(tuple(ends[len(ends) * part // count : len(ends) * (part + 1) // count]))
            homes.append(home)
    weights = [sum(map(wiring.graph.weight, ends)) for ends in members]
    return Targets(members, np.array(homes), np.array(weights))
