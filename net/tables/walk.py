"""Follows every pair of a source and a destination through the finished tables, as a packet would travel.

Packets enter the network at the switches that have hosts, or at every switch if there are no hosts.
"""

from collections import namedtuple
from dataclasses import dataclass

import networkx as nx
import numpy as np

from dsnswitch.net.messages import nearest, shortened, unwatched
from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.dependencies import numbering
from dsnswitch.net.routing.relation import Channel
from dsnswitch.net.tables.switch_graph import text

#: Number of pairs that are followed at once, and of pairs that are listed if they are not delivered.
AT_ONCE, LISTED = 1 << 18, 20


#: A pair that is not delivered. ``at`` are the switches of a loop, or the switch at which the packet has no next hop; ``port``
#: is the port that the table gives at the last switch, None if it has no action for the destination.
Lost = namedtuple("Lost", "source destination at port")


@dataclass(frozen=True)
class Walked:
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
    """

    load: np.ndarray
    hops: np.ndarray
    first: np.ndarray
    second: np.ndarray
    lost: list
    undelivered: int


def walk(wiring, actions, port_bits, bar=unwatched):
    """Follow the packets from every switch of a :class:`Wiring` at which they enter the network to every destination.

    ``actions`` (S, D) are those of each switch for each destination of ``wiring.graph.keys``, -1 on a miss. An action is
    ``layer * 2**port_bits + port``.
    """
    walker = _Walker(wiring, actions, port_bits)
    columns = actions.shape[1]
    parts = -(-actions.size // AT_ONCE)
    some = np.array_split(np.arange(columns), min(parts, columns))
    codes = np.unique(np.concatenate([walker.go(part) for part in bar(some, "walks")]))
    first, second = np.divmod(codes, wiring.count + 1)
    layer, first = np.divmod(first, wiring.count + 1)
    base = layer * (wiring.count + 1)
    return Walked(walker.load[:-1], walker.hops, base + first, base + second, walker.lost, walker.undelivered)


class _Walker:
    def __init__(self, wiring, actions, port_bits):
        graph = wiring.graph
        self.wiring, self.actions = wiring, actions
        self.port, self.layer = actions & (1 << port_bits) - 1, actions >> port_bits
        self.port[actions < 0] = -1
        self.home = np.array([wiring.index[graph.home(end)] for end in graph.keys])
        # The exit of a host is its port; the exit of a switch is the number after the last port.
        self.exit = np.array([graph.exit(end) for end in graph.keys])
        self.channel = np.full((wiring.size, (1 << port_bits) + 1), wiring.count)
        self.channel[wiring.source[:-1], wiring.port[:-1]] = np.arange(wiring.count)
        self.weight = np.array([graph.weight(end) for end in graph.keys])
        self.sources = np.flatnonzero(wiring.hosts)
        self.load = np.zeros(wiring.count + 1, np.int64)
        self.hops = np.zeros(wiring.size + 1, np.int64)
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
            there = here == self.home[end]
            self.hops[hops] += (wiring.hosts[source] * self.weight[end])[there].sum()
            source, end, layer, here, before = (row[~there] for row in (source, end, layer, here, before))
            if not len(source):
                break
            channel = self.channel[here, self.port[here, end]]
            np.add.at(self.load, channel, wiring.hosts[source] * self.weight[end])
            held = before != wiring.count
            found.append(np.unique((layer[held] * count + before[held]) * count + channel[held]))
            here, before = wiring.target[channel], channel
        return np.unique(np.concatenate(found))

    def _delivered(self, columns):
        """Whether a packet at each switch reaches each destination. Notes the pairs that are not delivered."""
        wiring = self.wiring
        here, port = np.arange(wiring.size)[:, None], self.port[:, columns]
        arrived = (here == self.home[columns]) & (port == self.exit[columns])
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
        names, loop = self.wiring.switches, [last]
        while (there := int(onward[loop[-1]])) != last:
            loop.append(there)
        port = int(self.port[loop[-1], end])
        destination = list(self.wiring.graph.keys)[end]
        at = tuple(names[switch] for switch in loop)
        self.lost.append(Lost(names[source], destination, at, None if port < 0 else port))


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


def describe_cycle(cycle):
    """Text of a cycle for a message; channels in the middle of a long cycle are omitted."""
    words = [f"{text(a)}>{text(b)}" + (f" (layer {layer})" if layer else "") for layer, a, b in cycle]
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


def faults(made, walked):
    """Yield a line for each fault of :class:`Tables`; ``walked`` are the results of the walks through them."""
    for lost in walked.lost:
        yield f"{text(lost.source)} to {text(lost.destination)} is lost {_where(made, lost)}"
    more = walked.undelivered - len(walked.lost)
    if more:
        yield f"{more} more pair{'s are' if more > 1 else ' is'} lost"
    found = find_cycle(walked.first, walked.second)
    if found:
        yield f"the routes can deadlock: {describe_cycle(named_channels(made.wiring, found))}"


def named_channels(wiring, numbers):
    """Channels ``(layer, switch, switch)`` for the channel numbers of :class:`Walked`."""
    names = wiring.switches
    for number in numbers:
        layer, channel = divmod(number, wiring.count + 1)
        yield layer, names[wiring.source[channel]], names[wiring.target[channel]]


def _where(made, lost):
    graph, at = made.graph, lost.at[-1]
    if len(lost.at) > 1:
        loop = [text(switch) for switch in (*lost.at, lost.at[0])]
        if len(loop) > LISTED_LINKS:
            loop[LISTED_LINKS - 2 : -1] = [f"{len(loop) - LISTED_LINKS + 1} more"]
        return f"in the loop {' > '.join(loop)}"
    if lost.port is None:
        key = graph.keys_at(at)[list(graph.keys).index(lost.destination)]
        return f"at {text(at)}, which has no action for {graph.key_kind} {key}"
    peers = graph.ports[at]
    peer = peers[lost.port] if lost.port < len(peers) else None
    if lost.port == made.arrived:
        return f"at {text(at)}, where it counts as arrived"
    return f"at {text(at)}, port {lost.port}, " + (
        "which has no link" if peer is None else f"which leads to host {text(peer)}"
    )


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
    wiring, walked, ports = tables.wiring, tables.walked, relation.network.ports
    # A layer has one number more than it has channels, because one number means "no channel".
    size = wiring.count + 1
    graph = {layer * size + channel: set() for layer in range(tables.layers) for channel in range(wiring.count)}
    for before, after in zip(walked.first.tolist(), walked.second.tolist()):
        graph[before].add(after)
    numbers = numbering(graph)
    for place in graph:
        layer, channel = divmod(place, size)
        switch, port = wiring.switches[wiring.source[channel]], int(wiring.port[channel])
        virtual_class = relation.classes[ports[port].kind] + layer
        yield Channel(switch, port, virtual_class), wiring.switches[wiring.target[channel]], first + numbers[place]
