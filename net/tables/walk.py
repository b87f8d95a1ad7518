"""Follows every pair of a source and a destination through the finished tables, as a packet would travel.

Packets enter the network at the switches that have hosts, or at every switch if there are no hosts.
"""

from collections import namedtuple

import networkx as nx
import numpy as np

from dsnswitch.net.messages import nearest, shortened, unwatched
from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.dependencies import numbering
from dsnswitch.net.routing.relation import Channel

#: Number of pairs that are followed at once, and of pairs that are listed if they are not delivered.
AT_ONCE, LISTED = 1 << 18, 20


#: A pair that is not delivered: the places of the source in :class:`Wiring` and of the destination in its ends. ``at`` are the
#: switches of a loop, or the switch at which the packet has no next hop; ``port`` is the port that the table gives at the last
#: switch, None if it has no action for the destination.
Lost = namedtuple("Lost", "source destination at port")


class Walked(namedtuple("Walked", "load hops first second lost undelivered classes")):
    """Results of the walks of all pairs. Loads, hops and dependencies are those of the delivered pairs.

    Attributes
    ----------
    load : array (C,)
        Number of pairs of a source and a destination (hosts, or switches if there are no hosts) on each channel.
    hops : array
        Number of such pairs with each number of hops.
    first, second : arrays
        Dependencies: numbers ``layer * (C + 1) + channel`` of a channel and of the next channel of some packet.
    lost, undelivered : list of Lost, int
        The first :data:`LISTED` pairs of a switch and a destination that are not delivered, and their number: the packet meets a
        miss or a port without a link, arrives at another switch, or never arrives.
    classes : array
        Number of such pairs by the layer in which they arrive.
    """


def walk(wiring, actions, bar=unwatched, up=None):
    """Follow the packets from every switch of a :class:`Wiring` at which they enter the network to every destination.

    ``actions`` (S, D) are those of :class:`Tables` at each switch for each destination, -1 on a miss. With ``up`` (C + 1,), which
    says which channels lead up, the layer of a packet is its turn class.
    """
    walker = _Walker(wiring, actions, up)
    columns = actions.shape[1]
    parts = -(-actions.size // AT_ONCE)
    some = np.array_split(np.arange(columns), min(parts, columns))
    codes = np.unique(np.concatenate([walker.go(part) for part in bar(some, "walks")]))
    first, second = np.divmod(codes, wiring.count + 1)
    first, rises = np.divmod(first, 2)
    layer = first // (wiring.count + 1) + rises
    second += layer * (wiring.count + 1)
    return Walked(walker.load[:-1], walker.hops, first, second, walker.lost, walker.undelivered, walker.classes)


class _Walker:
    def __init__(self, wiring, actions, up):
        port_bits = wiring.most_ports.bit_length()
        self.wiring, self.ends, self.up = wiring, wiring.ends, up
        self.port, self.layer = actions & (1 << port_bits) - 1, actions >> port_bits
        self.port[actions < 0] = -1
        self.channel = np.full((wiring.size, (1 << port_bits) + 1), wiring.count)
        self.channel[wiring.source[:-1], wiring.port[:-1]] = np.arange(wiring.count)
        self.sources = np.flatnonzero(wiring.hosts)
        self.load = np.zeros(wiring.count + 1, np.int64)
        self.hops = np.zeros(wiring.size + 1, np.int64)
        self.classes = np.zeros(0, np.int64)
        self.lost, self.undelivered = [], 0

    def go(self, columns):
        """Follow the packets to some destinations; returns their dependencies, each as one number."""
        wiring, count = self.wiring, self.wiring.count + 1
        source, column = (axis.ravel() for axis in np.meshgrid(self.sources, np.arange(len(columns)), indexing="ij"))
        arrives = self._delivered(columns)[source, column]
        source, end = source[arrives], columns[column[arrives]]
        layer, here, before = self.layer[source, end], source, np.full(len(source), wiring.count)
        found = [np.zeros(0, np.int64)]
        for hops in range(wiring.size):
            there = here == self.ends.home[end]
            pairs = (wiring.hosts[source] * self.ends.weight[end])[there]
            self.hops[hops] += pairs.sum()
            classes = np.bincount(layer[there], pairs, len(self.classes)).astype(np.int64)
            classes[: len(self.classes)] += self.classes
            self.classes = classes
            source, end, layer, here, before = (row[~there] for row in (source, end, layer, here, before))
            if not len(source):
                break
            channel = self.channel[here, self.port[here, end]]
            base = layer
            if self.up is not None:
                layer = layer + (self.up[channel] & ~self.up[before] & (before != wiring.count))
            np.add.at(self.load, channel, wiring.hosts[source] * self.ends.weight[end])
            held = before != wiring.count
            # The channel before, on its layer, and the next one, on the same or the next.
            rises = (layer - base)[held]
            found.append(np.unique(((base[held] * count + before[held]) * 2 + rises) * count + channel[held]))
            here, before = wiring.target[channel], channel
        return np.unique(np.concatenate(found))

    def _delivered(self, columns):
        """Whether a packet at each switch reaches each destination. Notes the pairs that are not delivered."""
        wiring = self.wiring
        here, port = np.arange(wiring.size)[:, None], self.port[:, columns]
        arrived = (here == self.ends.home[columns]) & (port == self.ends.exit[columns])
        channel = self.channel[here, port]
        onward = np.where(arrived | (channel == wiring.count), here, wiring.target[channel])
        # Each step doubles the number of hops, up to the number of switches or more.
        last = onward
        for _ in range(wiring.size.bit_length()):
            last = np.take_along_axis(last, last, axis=0)
        delivered = np.take_along_axis(arrived, last, axis=0)
        lost = np.argwhere(~delivered & (wiring.hosts > 0)[:, None])
        self.undelivered += len(lost)
        for source, column in lost[: LISTED - len(self.lost)].tolist():
            self._lose(source, columns[column], onward[:, column], int(last[source, column]))
        return delivered

    def _lose(self, source, end, onward, last):
        """Note a pair whose packet stays at the switch ``last``, or in a loop through it."""
        loop = [last]
        while (there := int(onward[loop[-1]])) != last:
            loop.append(there)
        port = int(self.port[loop[-1], end])
        self.lost.append(Lost(source, int(end), tuple(loop), None if port < 0 else port))


# Channel dependencies of routes, and the search for a cycle of them.

#: Number of channels of a cycle that a message lists.
LISTED_CYCLES = 4


def find_cycle(first, second):
    """A cycle of channel dependencies as a list of channel numbers, each of which waits for the next; None if there is none.

    Channel ``second[i]`` depends on ``first[i]``, in arrays of numbers.
    """
    # A channel that no other channel waits for is on no cycle, so its dependencies are removed. That may leave other channels
    # that no channel waits for, so the step is repeated.
    while len(first):
        waited = np.isin(first, second)
        if waited.all():
            return [channel for channel, _ in nx.find_cycle(nx.DiGraph(list(zip(first.tolist(), second.tolist()))))]
        first, second = first[waited], second[waited]
    return None


def describe_cycle(wiring, cycle):
    """Text of a cycle of channel numbers for a message; channels in the middle of a long cycle are omitted."""
    words = []
    for number in cycle:
        layer, channel = divmod(number, wiring.count + 1)
        ends = wiring.names[wiring.source[channel]], wiring.names[wiring.target[channel]]
        words.append(">".join(ends) + (f" (layer {layer})" if layer else ""))
    if len(words) > LISTED_CYCLES:
        words[LISTED_CYCLES - 2 : -1] = [f"{len(words) - LISTED_CYCLES + 1} more"]
    return " waits for ".join([*words, words[0]])


def parse_link(network, word):
    """``(node, node)`` or ``(node, port)`` of a link such as ``0,0,0:2,0,1`` or ``0,0,0:x_forward``.

    The first form means every link between two nodes, the second the one link at a port of a node. Raises :class:`ValueError` if
    the spelling is wrong, or the network has no such link.
    """
    first, colon, second = word.partition(":")
    if not colon:
        raise ValueError(f"A failed link must be two nodes or a node and a port, such as 0,0,0:x_forward, not {word!r}")
    node = network.parse_switch(first)
    links = {port.index: end[0] for port, end in network.links_of(node)}
    by_name = {port.name: port.index for port in network.ports}
    if second in by_name:
        if by_name[second] not in links:
            raise ValueError(f"{network.name}: node {network.spell_switch(node)} has no link at port {second}")
        return node, by_name[second]
    if not second[:1].isdigit():
        more = f"dsnswitch topology lists the cables of {shortened(network.name, 40)}"
        raise ValueError(f"There is no port {shortened(second, 40)!r}{nearest(second, by_name, more)}")
    other = network.parse_switch(second)
    if other not in links.values():
        ends = f"{network.spell_switch(node)} and {network.spell_switch(other)}"
        raise ValueError(f"{network.name}: nodes {ends} have no link")
    return node, other


# Faults of finished tables, each as a line: pairs that are not delivered, and a cycle of channels that wait for each other.

#: Number of switches of a loop that a line lists.
LISTED_LINKS = 6


def faults(wiring, walked, key="key", most=None):
    """Yield a line for each fault that :func:`walk` has noticed; ``key`` is the word for a key, ``most`` the turn classes."""
    for lost in walked.lost:
        source, destination = wiring.names[lost.source], wiring.ends.names[lost.destination]
        yield f"{source} to {destination} is lost {_where(wiring, lost, key)}"
    more = walked.undelivered - len(walked.lost)
    if more:
        yield f"{more} more pair{'s are' if more > 1 else ' is'} lost"
    if most is not None and len(walked.classes) > most:
        yield f"{walked.classes[most:].sum()} pairs need more than {most} class{'es' * (most > 1)}"
    found = find_cycle(walked.first, walked.second)
    if found:
        yield f"the routes can deadlock: {describe_cycle(wiring, found)}"


def _where(wiring, lost, key):
    at = wiring.names[lost.at[-1]]
    if len(lost.at) > 1:
        loop = [wiring.names[switch] for switch in (*lost.at, lost.at[0])]
        if len(loop) > LISTED_LINKS:
            loop[LISTED_LINKS - 2 : -1] = [f"{len(loop) - LISTED_LINKS + 1} more"]
        return f"in the loop {' > '.join(loop)}"
    if lost.port is None:
        return f"at {at}, which has no action for {key} {wiring.keys(lost.at[-1])[lost.destination]}"
    if lost.port == wiring.most_ports:
        return f"at {at}, where it counts as arrived"
    peers = wiring.peers(lost.at[-1])
    peer = peers[lost.port] if lost.port < len(peers) else None
    return f"at {at}, port {lost.port}, " + ("which has no link" if peer is None else f"which leads to host {peer}")


def fallback_classes(relation, tables):
    """Number of virtual channels of each kind of port: the classes of ``relation`` and the layers of ``tables``."""
    return {kind: number + tables.layers for kind, number in relation.classes.items()}


def fallback_certificate(relation, tables):
    """``(channel, target, number)`` of every channel of the algorithm, then of every channel of the tables.

    The tables are of the same network, with its port numbers. Their layer n is class ``relation.classes[kind] + n``. Raises
    :class:`DeadlockError` if the channel dependencies of one of the two have a cycle.
    """
    first = 0
    for channel, target, number in certificate(relation):
        yield channel, target, number
        first = max(first, number + 1)
    network, wiring, walked = relation.network, tables.wiring, tables.walked
    # A layer has one number more than it has channels, because one number means "no channel".
    size = wiring.count + 1
    graph = {layer * size + channel: set() for layer in range(tables.layers) for channel in range(wiring.count)}
    for before, after in zip(walked.first.tolist(), walked.second.tolist()):
        graph[before].add(after)
    numbers = numbering(graph)
    for place in graph:
        layer, channel = divmod(place, size)
        switch, there = (network.switch(int(wiring.number[end[channel]])) for end in (wiring.source, wiring.target))
        port = int(wiring.port[channel])
        virtual_class = relation.classes[network.ports[port].kind] + layer
        yield Channel(switch, port, virtual_class), there, first + numbers[place]
