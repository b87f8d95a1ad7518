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

#: Number of places that are followed at once, and of pairs that are listed if they are not delivered.
AT_ONCE, LISTED = 1 << 16, 20


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


def walk(wiring, actions, bar=unwatched, up=None, load=None):
    """Follow the packets from every switch of a :class:`Wiring` at which they enter the network to every destination.

    ``actions`` (S, D) are those of :class:`Tables` at each switch for each destination, -1 on a miss. With ``up`` (C + 1,), which
    says which channels lead up, the layer of a packet is its turn class. If the ``load`` is known, dependencies are left out,
    which takes half as long: no packet of a turn class closes a cycle.
    """
    walker = _Walker(wiring, actions, up, load)
    columns = actions.shape[1]
    for part in bar(np.array_split(np.arange(columns), min(-(-actions.size // AT_ONCE), columns)), "walks"):
        walker.go(part)
    return Walked(walker.load, walker.hops, *walker.dependencies(), walker.lost, walker.undelivered, walker.classes)


class _Walker:
    """Follows all packets to some destinations at a time, from switch to switch as a tree: the next hop is that of the switch.

    A *place* is a switch and a destination. ``held`` [rise, channel, next port] has a bit for each layer in which a packet holds
    the channel and wants the next one, in the same layer or, with a rise, in the next. Layers above 63 are left out: more turn
    classes are a fault of the tables.
    """

    def __init__(self, wiring, actions, up, load):
        self.wiring, self.ends, self.up, self.actions, self.known = wiring, wiring.ends, up, actions, load is not None
        self.port_bits = wiring.most_ports.bit_length()
        self.load = load if self.known else np.zeros(wiring.count, np.int64)
        self.hops, self.classes = np.zeros(wiring.size + 1, np.int64), np.zeros(0, np.int64)
        self.held = np.zeros((2, wiring.count, 1 << self.port_bits), np.uint64)
        self.lost, self.undelivered = [], 0

    def go(self, columns):
        """Follow the packets to some destinations."""
        wiring, none, width = self.wiring, self.wiring.count, len(columns)
        actions = self.actions[:, columns].astype(np.int64)
        port, layer = np.where(actions < 0, -1, actions & (1 << self.port_bits) - 1), np.maximum(actions, 0) >> self.port_bits
        here = np.arange(wiring.size)[:, None]
        arrived = (here == self.ends.home[columns]) & (port == self.ends.exit[columns])
        channel = np.where(arrived, none, wiring.channels_at(port))
        onward = np.where(channel == none, here, wiring.target[channel]) * width + np.arange(width)
        port, layer, channel, onward = port.ravel(), layer.ravel(), channel.ravel(), onward.ravel()
        rises = np.zeros(len(onward), bool) if self.up is None else self.up[channel[onward]] & ~self.up[channel]
        last, hops, risen = _followed(onward, channel != none, rises & (channel != none), wiring.size)
        delivered = arrived.ravel()[last]
        self._lost(columns, port, onward, last, ~delivered.reshape(-1, width))
        weight = np.outer(wiring.hosts, self.ends.weight[columns]).ravel() * delivered
        self.hops += np.bincount(hops[delivered], weight[delivered], wiring.size + 1).astype(np.int64)
        sent = weight > 0
        classes = np.bincount((layer + risen)[sent], weight[sent], len(self.classes)).astype(np.int64)
        classes[: len(self.classes)] += self.classes
        self.classes = classes
        if self.known:
            return
        # The layers of the packets at each place, and the number of packets, from the farthest places to the nearest.
        layers = np.where(sent & (layer < 64), np.uint64(1) << (layer % 64).astype(np.uint64), np.uint64(0))
        moving = np.flatnonzero(delivered & (channel != none))
        moving = moving[np.argsort((-hops[moving]).astype(np.int16), kind="stable")]
        for some in np.split(moving, np.flatnonzero(np.diff(hops[moving])) + 1):
            ends = onward[some]
            np.bitwise_or.at(layers, ends, layers[some] << rises[some].astype(np.uint64))
            np.add.at(weight, ends, weight[some])
        self.load += np.bincount(channel[moving], weight[moving], none).astype(np.int64)
        moving = moving[channel[onward[moving]] != none]
        held = (rises[moving] * none + channel[moving] << self.port_bits) + port[onward[moving]]
        np.bitwise_or.at(self.held.reshape(-1), held, layers[moving])

    def dependencies(self):
        """The channels that packets hold, and those that they want then: two arrays in the order of :class:`Walked`."""
        count, found = self.wiring.count + 1, [np.zeros(0, np.int64)]
        rise, before, port = np.nonzero(self.held)
        after, layers = self.wiring.at_port[self.wiring.target[before], port], self.held[rise, before, port]
        for layer in range(int(layers.max(initial=0)).bit_length()):
            some = np.flatnonzero(layers >> np.uint64(layer) & np.uint64(1))
            found.append(((layer * count + before[some]) * 2 + rise[some]) * count + after[some])
        first, second = np.divmod(np.sort(np.concatenate(found)), count)
        first, rises = np.divmod(first, 2)
        return first, second + (first // count + rises) * count

    def _lost(self, columns, port, onward, last, lost):
        """Note the pairs that are not delivered."""
        found = np.argwhere(lost & (self.wiring.hosts > 0)[:, None])
        self.undelivered += len(found)
        for source, column in found[: LISTED - len(self.lost)].tolist():
            steps, width = onward.reshape(lost.shape)[:, column] // lost.shape[1], lost.shape[1]
            self._lose(
                source, columns[column], steps, int(last[source * width + column]) // width, port.reshape(lost.shape)[:, column]
            )

    def _lose(self, source, end, onward, last, port):
        """Note a pair whose packet stays at the switch ``last``, or in a loop through it."""
        loop = [last]
        while (there := int(onward[loop[-1]])) != last:
            loop.append(there)
        left = int(port[loop[-1]])
        self.lost.append(Lost(source, int(end), tuple(loop), None if left < 0 else left))


def _followed(onward, moves, rises, size):
    """Where packets from every place end after at most ``size`` hops, and the hops and rises on their way.

    Each step doubles the number of hops.
    """
    last, hops, risen = onward, moves.astype(np.int32), rises.astype(np.int32)
    for _ in range(size.bit_length()):
        further = last[last]
        if np.array_equal(further, last):
            break
        hops, risen, last = hops + hops[last], risen + risen[last], further
    return last, hops, risen


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
