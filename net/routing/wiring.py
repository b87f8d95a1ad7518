"""A network as arrays: channels in a fixed order, distances between switches, and targets of routes."""

from collections import namedtuple
from functools import cached_property

import numpy as np

from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.topology.addresses import KEYS, by_name

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


#: Number of parts of a disconnected graph, and of switches of a part, that an error message lists.
LISTED = 4

#: The destinations of packets, which are the hosts of a network that names them, else the switches with hosts: the name of each,
#: its key (D,), the switch that it is attached to and its port there (the number after the last port if it is the switch itself),
#: and the number of hosts that it stands for.
Ends = namedtuple("Ends", "names key home exit weight")

#: The targets of routes: a *target* is a set of destinations at one switch that share their routes, which form one tree.
#: ``members`` are the numbers of the destinations of each target, ``home`` the switch that they are attached to, ``weight`` the
#: number of their hosts.
Targets = namedtuple("Targets", "members home weight")


class Channels:
    """A connected graph as arrays. A *channel* is one direction of a link; parallel links have channels of their own.

    Switches are in the order of :func:`by_structure`, so that routes do not depend on the order of lines in a file.

    Attributes
    ----------
    name : str
        Name of the graph in messages.
    names : list
        Names of the switches.
    number, place : arrays (S,)
        The number of each switch in the network, and the place here of each number.
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

    def __init__(self, name, names, links, hosts):
        """The rows of ``links`` are source, target and port of each channel, with the numbers of the switches ``names``.

        Raises :class:`UsageError` if the channels do not connect the switches.
        """
        number = np.array(sorted(range(len(names)), key=lambda at: by_name(names[at])))
        links = np.column_stack([np.argsort(number)[links[:, :2]], links[:, 2]])
        # No array of all pairs takes more memory than necessary: a network may have 16,384 switches.
        distance = hops(len(names), *links.T[:2], dtype=np.int16 if len(names) < 1 << 15 else np.int32)
        if (distance[0] < 0).any():
            raise UsageError(f"{name} is not connected, it has {_parts(distance, number, names)}")
        order, colour = by_structure(distance, *links.T[:2], hosts[number])
        self.name, self.number = name, number[order]
        self.place, self.names = np.argsort(self.number), [names[at] for at in self.number]
        self.hosts, self.colour, self.distance = hosts[self.number], colour[order], distance[np.ix_(order, order)]
        rows = np.column_stack([np.argsort(order)[links[:, :2]], links[:, 2]])
        rows = rows[np.lexsort(rows.T[::-1])]
        self.source, self.target, self.port = np.vstack([rows, np.full((1, 3), -1)]).T.copy()
        first = np.searchsorted(self.source[:-1], np.arange(self.size + 1))
        most = int(np.diff(first).max(initial=0))
        self.out = first[:-1, None] + np.arange(most)
        self.out[self.out >= first[1:, None]] = self.count

    @property
    def size(self):
        """Number of switches."""
        return len(self.names)

    @property
    def count(self):
        """Number of channels."""
        return len(self.source) - 1


class Wiring(Channels):
    """A network as arrays: the one form of a graph between a :class:`Network` and its finished tables.

    Attributes
    ----------
    kind : str
        The word for a switch in messages: ``switch`` or ``node``.
    ports : array (S,)
        Number of ports of each switch. ``port_names`` are the names of all ports, ``most_ports`` is the largest number.
    ends : Ends
        The destinations; keys are those of tables with absolute keys, of ``width`` bits.
    own_keys : array (S, D) or None
        Keys of the destinations at each switch, if they differ between switches.
    """

    def __init__(self, network, broken=(), keys=KEYS[0], more=()):
        """Failed links ``broken`` are ``(switch, switch)`` for all links between two switches, or ``(switch, port)`` for the link
        at a port. ``keys`` is one of ``network.keys``. ``more`` are ``(switch, weight)`` of further destinations.

        Raises :class:`UsageError` if the remaining links do not connect the switches, or keys are too large.
        """
        there, entry = neighbours(network)
        for switch, end in broken:
            at, every = network.number(switch), np.arange(len(network.ports))
            ports = every == end if isinstance(end, int) else there[at] == network.number(end)
            for port in np.flatnonzero(ports & (there[at] >= 0)):
                there[there[at, port], entry[at, port]] = there[at, port] = -1
        source, port = np.nonzero(there >= 0)
        switches = list(network.switches())
        ports = np.array([1 + max((p.index for p in network.ports_of(switch)), default=-1) for switch in switches])
        self.most_ports, self.port_names = int(ports.max()), tuple(port.name for port in network.ports)
        with refusing():
            ends = _ends(network, self.most_ports, more)
        hosts = np.bincount(ends.home, ends.weight, network.nodes).astype(np.int64)
        # Messages call a network of a file by its title, the path.
        name, self.kind = (network.title, "switch") if network.from_file else (network.name, "node")
        links = np.column_stack([source, there[source, port], port])
        super().__init__(name, list(map(network.spell_switch, switches)), links, hosts)
        self.ports, self.ends = ports[self.number], ends._replace(home=self.place[ends.home])
        self.width, self.own_keys = network.key_width(keys), None
        if keys != KEYS[0]:
            some = list(network.terminals())
            self.own_keys = np.array([[network.key(switches[at], end, keys) for end in some] for at in self.number])

    @cached_property
    def at_port(self):
        """The channel at each port of each switch, C where there is none, as at the two ports after the last one: (S, P + 2)."""
        found = np.full((self.size, self.most_ports + 2), self.count)
        found[self.source[:-1], self.port[:-1]] = np.arange(self.count)
        return found

    def channels_at(self, ports):
        """The channel at each of the ports (S, ..), C where there is no link or no port (-1)."""
        return self.at_port[np.arange(self.size)[:, None], np.minimum(ports, self.most_ports)]

    def keys(self, switch):
        """Keys of all destinations in the table of a switch, an array (D,)."""
        return self.ends.key if self.own_keys is None else self.own_keys[switch]

    def peers(self, switch):
        """Names of the switches and hosts at the ports of a switch, None where there is none."""
        found = [None] * int(self.ports[switch])
        for channel in self.out[switch][self.out[switch] < self.count]:
            found[self.port[channel]] = self.names[self.target[channel]]
        for end in np.flatnonzero((self.ends.home == switch) & (self.ends.exit < self.most_ports)):
            found[self.ends.exit[end]] = self.ends.names[end]
        return found


def _parts(distance, number, names):
    """Text of the parts of a graph that is not connected, the largest first."""
    parts = {}
    for place in np.argsort(number):
        parts.setdefault(int((distance[place] >= 0).argmax()), []).append(names[number[place]])
    shown = []
    for some in sorted(parts.values(), key=len, reverse=True)[:LISTED]:
        more = f" and {len(some) - LISTED} more" if len(some) > LISTED else ""
        shown.append(f"{{{', '.join(some[:LISTED])}{more}}}")
    return f"{len(parts)} parts: {'; '.join(shown)}{'; ...' if len(parts) > LISTED else ''}"


def _ends(network, exit, more):
    """The :class:`Ends` of a network, with the numbers of their switches; ``exit`` is that of a switch."""
    rows = network.ends() + [(network.spell_switch(switch), 0, switch, None, weight) for switch, weight in more]
    rows = [(*row, network.number(at), exit if port is None else port, weight) for *row, at, port, weight in rows]
    names, *columns = zip(*rows)
    return Ends(names, *np.array(columns, np.int64))


def neighbours(network):
    """``(there, entry)``: the number of the switch at each port of each switch, and the port at that end of the link.

    Both are arrays (S, P) with -1 where there is no link.
    """
    there, entry = np.full((2, network.nodes, len(network.ports)), -1, np.int32)
    for number, switch in enumerate(network.switches()):
        for port, (end, other) in network.links_of(switch):
            there[number, port.index], entry[number, port.index] = network.number(end), other
    return there, entry


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
    ends, members, homes = wiring.ends, [], []
    order = np.lexsort((ends.key, ends.home))
    for some in np.split(order, np.flatnonzero(np.diff(ends.home[order])) + 1):
        count = min(parts, len(some))
        members += [some[len(some) * part // count : len(some) * (part + 1) // count] for part in range(count)]
        homes += [ends.home[some[0]]] * count
    return Targets(members, np.array(homes), np.array([ends.weight[some].sum() for some in members]))
