"""Follows every pair of a source and a destination through the finished tables, as a packet would travel.

Packets enter the network at the switches that have hosts, or at every switch if there are no hosts.
"""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net.unwatched import unwatched

__all__ = ["Lost", "Walked", "walk"]

#: Number of pairs that are followed at once, and of pairs that are listed if they are not delivered.
AT_ONCE, LISTED = 1 << 18, 20


@dataclass(frozen=True)
class Lost:
    """A pair that is not delivered.

    Attributes
    ----------
    source, destination
        The pair.
    at : tuple
        The switches of a loop, or the switch at which the packet has no next hop.
    port : int or None
        Port that the table gives at the last switch; None if it has no action for the destination.
    """

    source: object
    destination: object
    at: tuple
    port: int | None


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
    lost : list of Lost
        The first :data:`LISTED` pairs of a switch and a destination that are not delivered: the packet meets a miss or a port
        without a link, arrives at another switch, or never arrives.
    undelivered : int
        Number of such pairs.
    """

    load: np.ndarray
    hops: np.ndarray
    first: np.ndarray
    second: np.ndarray
    lost: list
    undelivered: int


def walk(wiring, actions, port_bits, bar=unwatched):
    """Follow the packets from every switch at which they enter the network to every destination.

    Parameters
    ----------
    wiring : Wiring
    actions : array (S, D)
        Action of each switch for each destination of ``wiring.fabric.keys``, -1 on a miss.
    port_bits : int
        An action is ``layer * 2**port_bits + port``.
    bar : callable
        ``bar(items, label)`` returns an iterator over ``items``, which may show progress.
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
        fabric = wiring.fabric
        self.wiring, self.actions = wiring, actions
        self.port, self.layer = actions & (1 << port_bits) - 1, actions >> port_bits
        self.port[actions < 0] = -1
        self.home = np.array([wiring.index[fabric.home(end)] for end in fabric.keys])
        # The exit of a host is its port; the exit of a switch is the number after the last port.
        self.exit = np.array([fabric.exit(end) for end in fabric.keys])
        self.channel = np.full((wiring.size, (1 << port_bits) + 1), wiring.count)
        self.channel[wiring.source[:-1], wiring.port[:-1]] = np.arange(wiring.count)
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
            self.hops[hops] += wiring.hosts[source[there]].sum()
            source, end, layer, here, before = (row[~there] for row in (source, end, layer, here, before))
            if not len(source):
                break
            channel = self.channel[here, self.port[here, end]]
            np.add.at(self.load, channel, wiring.hosts[source])
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
        destination = list(self.wiring.fabric.keys)[end]
        at = tuple(names[switch] for switch in loop)
        self.lost.append(Lost(names[source], destination, at, None if port < 0 else port))
