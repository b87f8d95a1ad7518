"""Follows every pair of a source and a destination through the finished tables, as a packet would travel.

Packets enter the network at the switches that have hosts, or at every switch if there are no hosts.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["Lost", "Walked", "walk"]

#: Number of pairs that are followed at once.
AT_ONCE = 1 << 18


class Lost(ValueError):
    """A pair that is not delivered: ``source``, ``destination``, the switch ``at`` which it is lost, and the ``port`` there."""

    def __init__(self, source, destination, at, port):
        super().__init__(source, destination, at, port)
        self.source, self.destination, self.at, self.port = source, destination, at, port


@dataclass(frozen=True)
class Walked:
    """Results of the walks of all pairs.

    Attributes
    ----------
    load : array (C,)
        Number of pairs of a source and a destination (hosts, or switches if there are no hosts) on each channel.
    hops : array
        Number of such pairs with each number of hops.
    first, second : arrays
        Dependencies: numbers ``layer * (C + 1) + channel`` of a channel and of the next channel of some packet.
    """

    load: np.ndarray
    hops: np.ndarray
    first: np.ndarray
    second: np.ndarray


def walk(wiring, actions, port_bits):
    """Follow the packets from every switch at which they enter the network to every destination.

    Parameters
    ----------
    wiring : Wiring
    actions : array (S, D)
        Action of each switch for each destination of ``wiring.fabric.keys``, -1 on a miss.
    port_bits : int
        An action is ``layer * 2**port_bits + port``.

    Raises
    ------
    Lost
        If a packet meets a miss or a port without a link, arrives at another switch, or never arrives.
    """
    walker = _Walker(wiring, actions, port_bits)
    columns = actions.shape[1]
    parts = -(-actions.size // AT_ONCE)
    found = [walker.go(some) for some in np.array_split(np.arange(columns), min(parts, columns))]
    codes = np.unique(np.concatenate(found))
    first, second = np.divmod(codes, wiring.count + 1)
    layer, first = np.divmod(first, wiring.count + 1)
    base = layer * (wiring.count + 1)
    return Walked(walker.load[:-1], walker.hops, base + first, base + second)


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

    def go(self, columns):
        """Follow the packets to some destinations; returns their dependencies, each as one number."""
        wiring, count = self.wiring, self.wiring.count + 1
        source, end = (axis.ravel() for axis in np.meshgrid(self.sources, columns, indexing="ij"))
        layer, here, before = self.layer[source, end], source, np.full(len(source), wiring.count)
        found = []
        for hops in range(wiring.size + 1):
            port = self.port[here, end]
            there = (here == self.home[end]) & (port == self.exit[end])
            self.hops[hops] += wiring.hosts[source[there]].sum()
            source, end, layer, here, before, port = (row[~there] for row in (source, end, layer, here, before, port))
            if not len(source):
                break
            channel = self.channel[here, port]
            lost = np.flatnonzero((channel == wiring.count) | (hops == wiring.size))
            if len(lost):
                self._lose(source, end, here, port, lost[0])
            np.add.at(self.load, channel, wiring.hosts[source])
            held = before != wiring.count
            found.append(np.unique((layer[held] * count + before[held]) * count + channel[held]))
            here, before = wiring.target[channel], channel
        return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))

    def _lose(self, source, end, here, port, which):
        names, number = self.wiring.switches, int(port[which])
        destination = list(self.wiring.fabric.keys)[end[which]]
        raise Lost(names[source[which]], destination, names[here[which]], None if number < 0 else number)
