"""Routes in two stages over a random switch: their turn classes and their loads, from routes that depend on the destination.

A packet goes by shortest paths to an *intermediate* switch, any other switch with hosts than its source, and from there to its
destination (Valiant, 1982; T 3.2). Its turns count over the whole route: at the intermediate switch it continues in the class in
which it came. So the channels are ordered as for any walk (:mod:`~dsnswitch.net.routing.turns`), and no cycle is possible.
"""

from collections import namedtuple

import numpy as np

from dsnswitch.net.routing.ranks import Ranks
from dsnswitch.net.routing.turns import Trees, hops_along, passing
from dsnswitch.net.routing.wiring import Channels

#: The walks along the channels towards each target, as arrays (G, S): how often a packet from a switch rises, whether its first
#: and its last channel lead up, its hops, and whether it arrives after at least one hop.
Walks = namedtuple("Walks", "rises first last hops arrives")

#: No walk.
NONE = -(1 << 14)


def walks(ranks: Ranks, home, channel) -> Walks:
    """The :class:`Walks` from every switch to ``home`` (G,) along ``channel`` (G, S), which is C where there is none."""
    wiring, up = ranks.wiring, ranks.up
    home, onward = np.asarray(home)[:, None], np.append(wiring.target[:-1], -1)
    at = np.broadcast_to(np.arange(wiring.size), channel.shape).copy()
    rises, hops = np.zeros(channel.shape, np.int64), np.zeros(channel.shape, np.int64)
    first, last = up[channel], np.zeros(channel.shape, bool)
    for _ in range(wiring.size):
        taken = np.where(at == home, wiring.count, np.take_along_axis(channel, at, axis=1))
        going = taken != wiring.count
        if not going.any():
            break
        rises += going & (hops > 0) & ~last & up[taken]
        last, at = np.where(going, up[taken], last), np.where(going, onward[taken], at)
        hops += going
    return Walks(rises, first, last, hops, (at == home) & (hops > 0))


def classes_over(ranks: Ranks, home, channel) -> int:
    """Turn classes of all routes between two switches with hosts over a third one, or straight; arguments as of :func:`walks`."""
    sources = ranks.wiring.hosts > 0
    found = walks(ranks, home, channel)
    inward = found.arrives & sources
    most = int(found.rises[inward].max(initial=0))
    for middle in np.unique(home):
        columns = np.flatnonzero(np.asarray(home) == middle)
        outward = found.arrives[:, middle] & (np.asarray(home) != middle)
        for came_up in (True, False):
            some = inward[columns] & (found.last[columns] == came_up)
            before = np.where(some, found.rises[columns], NONE).max(axis=0)
            for goes_up in (True, False):
                after = np.full(ranks.wiring.size, NONE)
                leaving = outward & (found.first[:, middle] == goes_up)
                np.maximum.at(after, np.asarray(home)[leaving], found.rises[leaving, middle])
                most = max(most, _greatest(before, after) + (goes_up and not came_up))
    return most + 1


def _greatest(before, after):
    """The greatest sum of an element of each array at different places."""
    found = []
    for one, other in ((before, after), (after, before)):
        rest = other.copy()
        rest[one.argmax()] = NONE
        found.append(int(one.max() + rest.max()))
    return max(found)


def longest(found: Walks, home, sources) -> tuple[int, int, int]:
    """The most hops of a route over an intermediate switch, and its source and destination; places of switches."""
    most = (-1, 0, 0)
    every = np.asarray(home)
    for row, middle in enumerate(every.tolist()):
        before = np.where(found.arrives[row] & sources, found.hops[row], NONE)
        after = np.full(len(before), NONE)
        leaving = found.arrives[:, middle] & (every != middle)
        np.maximum.at(after, every[leaving], found.hops[leaving, middle])
        for source in (int(before.argmax()), int(np.where(np.arange(len(before)) == after.argmax(), NONE, before).argmax())):
            rest = np.where(np.arange(len(after)) == source, NONE, after)
            most = max(most, (int(before[source] + rest.max()), source, int(rest.argmax())))
    return most


def stage_weights(wiring: Channels) -> tuple[np.ndarray, np.ndarray]:
    """Packets between the switches (S, S) in the first and in the second stage, under uniform traffic.

    Every host sends one packet to each other host, over each switch with hosts but its own in turn, so that there are as many
    sets of packets as such switches; the sums are divided by their number.
    """
    hosts = wiring.hosts.astype(float)
    middles = (wiring.hosts > 0).astype(float)
    among = max(1.0, middles.sum() - 1)
    # From a switch, all packets to other switches; from an intermediate one, those of all sources but itself and the end.
    first = np.outer(hosts * (hosts.sum() - hosts), middles) / among
    second = (hosts.sum() - hosts[:, None] - hosts) * hosts * middles[:, None] / among
    for weights in (first, second):
        np.fill_diagonal(weights, 0)
    return first, second


def loads_over(trees: Trees) -> np.ndarray:
    """Pairs of hosts on each channel (C,) under uniform traffic, if all packets take two stages."""
    wiring = trees.ranks.wiring
    first, second = stage_weights(wiring)
    load = np.zeros(wiring.count + 1)
    share = np.zeros(wiring.size)
    np.add.at(share, trees.targets.home, trees.targets.weight)
    for home, channel, weight in zip(trees.targets.home.tolist(), trees.channel, trees.targets.weight.tolist()):
        own = weight / share[home]
        through = passing(wiring, channel, hops_along(wiring, channel, home), (first + second)[:, home] * own)
        load += np.bincount(channel, through, wiring.count + 1)
    return load[:-1]
