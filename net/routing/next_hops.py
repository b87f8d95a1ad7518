"""The next hops that may lead to a destination in a number of turn classes, and the choice of one of them per switch.

Routes depend on the destination only, so those to one destination form a tree. The *key* of a switch is ``2 * r + u`` if a packet
from there rises ``r`` times, and its first hop leads up (``u`` = 1) or down. A lower key is never worse, whether a packet
comes from above or from below.
"""

from itertools import pairwise

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.improvement import NONE
from dsnswitch.net.routing.ranks import Ranks

#: A cost or key of no route, and a share by which prices that count as equal differ.
NEVER, EQUAL = 1 << 14, 2.0**-40

#: Share of the pairs of a switch that count for its second channel where a packet has a choice.
SHARE = 0.5


class NextHops:
    """The channels that may lead to one destination: each reduces ``cost`` (S,), which is 0 at the destination only, by one.

    Channels are in the order of the cost of their sources; those of one source follow each other. Arrays of switches, too, are in
    the order of the cost: ``_switches`` has the destination, then each switch with a channel.
    """

    def __init__(self, ranks: Ranks, cost: np.ndarray):
        wiring = ranks.wiring
        # A column of all distances is slow to gather from.
        cost = np.ascontiguousarray(cost)
        nearer = np.flatnonzero(cost.take(wiring.target[:-1]) + 1 == cost.take(wiring.source[:-1]))
        self.channel = nearer.take(np.argsort(cost.take(wiring.source.take(nearer)), kind="stable"))
        self.ranks, self.size, self.none, self.up = ranks, wiring.size, wiring.count, ranks.up.take(self.channel)
        source, target = wiring.source.take(self.channel), wiring.target.take(self.channel)
        # Where the channels of each switch begin, and the number of them.
        self._starts = np.flatnonzero(np.diff(source, prepend=-1))
        self._counts = np.diff(self._starts, append=len(self.channel))
        self._switches = np.append(target[:1], source.take(self._starts))
        places = np.empty(self.size, np.intp)
        places[self._switches] = np.arange(len(self._switches))
        self._source, self._target = np.repeat(np.arange(1, len(self._switches)), self._counts), places.take(target)
        # Where a packet is after a channel: the place of the switch, and as many as there are switches more if it went down.
        self._after = self._target + len(self._switches) * ~self.up
        bounds = np.flatnonzero(np.diff(cost.take(self._switches[1:]), prepend=-1, append=-1))
        ends = np.append(self._starts, len(self.channel))
        # For each cost, the lowest first: its channels and its switches.
        self._levels = [(slice(ends[low], ends[high]), slice(low + 1, high + 1)) for low, high in pairwise(bounds)]

    def _lowest(self, values, channels, switches):
        """The lowest of the values of each switch, of one value per channel."""
        return np.minimum.reduceat(values, self._starts[switches.start - 1 : switches.stop - 1] - channels.start)

    def keys(self) -> np.ndarray:
        """The lowest key of every switch (S,), 0 at the destination; that of a switch without a channel is :data:`NEVER`."""
        key = np.zeros(len(self._switches), np.int16)
        for channels, switches in self._levels:
            keys = self.ranks.before(key.take(self._target[channels]), self.channel[channels])
            key[switches] = self._lowest(keys, channels, switches)
        found = np.full(self.size, NEVER, np.int16)
        found[self._switches] = key
        return found

    def _prices(self, classes, cost):
        """Lowest prices of the routes from where a packet is ``_after`` a channel: a row for each, 2 * ``classes`` columns.

        Columns are the number of times that the packet might still rise before that channel, first for packets that arrived from
        below or begin, then for those from above, which rise if the channel leads up. ``cost`` is that of each channel.
        """
        price = np.full((2, len(self._switches), 2 * classes), np.inf)
        up, down = price
        up[:1, :classes] = up[:1, classes + 1 :] = down[:1] = 0
        rows = price.reshape(-1, 2 * classes)

        def onward(channels):
            return rows.take(self._after.take(channels), axis=0) + cost.take(channels)[:, None]

        for _, switches in self._levels:
            some = slice(switches.start - 1, switches.stop - 1)
            starts, counts = self._starts[some], self._counts[some]
            lowest = onward(starts)
            # One channel of every switch at a time is faster than a reduction of rows.
            for number in range(1, counts.max()):
                more = np.flatnonzero(counts > number)
                lowest[more] = np.minimum(lowest.take(more, axis=0), onward(starts.take(more) + number))
            below, above = lowest[:, :classes], lowest[:, classes:]
            up[switches, :classes], up[switches, classes + 1 :] = below, below[:, :-1]
            down[switches, :classes] = down[switches, classes:] = above
        return rows

    def tree(self, classes: int, weight, load, turn: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """The next channel of every switch, C where there is none, and the pairs that pass there: arrays (S,).

        Routes from the switches with ``weight`` (S,), the number of pairs that begin there, take at most ``classes``, as the
        lowest :meth:`keys` do. The price of a route is the sum of the cubes of the loads of its channels, so that loaded ones are
        avoided; ``load`` (C + 1,) is that of all other trees. ``turn`` differs between trees.

        The farthest switch chooses first. So a switch knows how many pairs pass it and in which classes, and takes the channel
        of the lowest price after which all of them still have a route. There is one, as there was one for those before it.
        """
        loads, size = load.take(self.channel), len(self._switches)
        prices = self._prices(classes, (loads + weight.mean()) ** 3).ravel()
        through = weight.take(self._switches).astype(float)
        # The highest class of the packets that begin or arrive from below, then of those from above.
        highest = np.append(np.where(through > 0, 0, NONE), np.full(size, NONE))
        first, taken = np.zeros(size, np.intp), []
        # Of equal prices, consecutive switches and turns take different ones.
        place = np.arange(turn, turn + len(loads)) - np.repeat(self._starts, self._counts) + self._source
        turns = 1 + place % np.repeat(self._counts, self._counts) * EQUAL
        for channels, switches in reversed(self._levels):
            source, after = self._source[channels], self._after[channels]
            into = np.maximum(highest.take(source), highest.take(source + size) + self.up[channels])
            rest = classes - 1 - np.maximum(into, 0)
            onward = np.where(rest < 0, np.inf, prices.take(after * (2 * classes) + np.maximum(rest, 0)))
            price = (onward + (loads[channels] + through.take(source)) ** 3) * turns[channels]
            some = slice(switches.start - 1, switches.stop - 1)
            lowest = np.repeat(self._lowest(price, channels, switches), self._counts[some])
            best = np.flatnonzero(price == lowest)
            first[source.take(best)] = best
            here = first[switches]
            np.maximum.at(highest, after.take(here), into.take(here))
            np.add.at(through, self._target[channels].take(here), through[switches])
            taken.append(here + channels.start)
        chosen, pairs = np.full(self.size, self.none), np.zeros(self.size)
        chosen[self._switches[1:]] = self.channel.take(np.concatenate([*reversed(taken), np.zeros(0, np.intp)]))
        pairs[self._switches] = through
        return chosen, pairs

    def second(self, classes: int, weight, load, chosen, through) -> np.ndarray:
        """Another channel of every switch that a packet may take in place of that of :meth:`tree`, C where there is none: (S,).

        A packet chooses at every switch, and whatever it has chosen before, both channels lead on in at most ``classes``. So the
        farthest switch comes first: it takes the channel of the lowest ``load`` (C + 1,) from whose end the channels
        ``chosen`` (S,) fit the class in which the packet arrives there at worst. The load of a taken channel grows by
        :data:`SHARE` of the pairs ``through`` (S,).
        """
        rises = self._rises(chosen)
        risen, fallen = np.where(weight > 0, 0, NONE), np.full(self.size, NONE)
        other, first = np.full(self.size, self.none), np.empty(self.size, np.int64)
        for channels, switches in reversed(self._levels):
            channel, source, target, up = self._ends(channels)
            some = slice(switches.start - 1, switches.stop - 1)
            into = np.maximum(risen[source], fallen[source] + up)
            taken = chosen[source] == channel
            fits = ~taken & (into >= 0) & (into + rises[(~up).astype(int), target] < classes)
            price = np.where(fits, load[channel], np.inf)
            lowest = np.repeat(self._lowest(price, channels, switches), self._counts[some])
            best = np.flatnonzero(fits & (price == lowest))[::-1]
            first[source[best]] = best
            here = np.unique(source[best])
            more = first[here]
            other[here] = channel[more]
            load[other[here]] += SHARE * through[here]
            for hops in (np.flatnonzero(taken), more):
                np.maximum.at(risen, target[hops][up[hops]], into[hops][up[hops]])
                np.maximum.at(fallen, target[hops][~up[hops]], into[hops][~up[hops]])
        return other

    def _ends(self, channels):
        """Of some channels: their numbers, the numbers of the switches at both ends, and whether they lead up."""
        source, target = self._switches[self._source[channels]], self._switches[self._target[channels]]
        return self.channel[channels], source, target, self.up[channels]

    def _rises(self, chosen) -> np.ndarray:
        """How often a packet rises that takes the channels ``chosen`` (S,), ``[from, S]``: 0 from below, 1 from above."""
        rises = np.zeros((2, self.size), np.int64)
        for channels, _ in self._levels:
            channel, source, target, up = self._ends(channels)
            some = chosen[source] == channel
            source, target, up = source[some], target[some], up[some]
            rises[0, source] = np.where(up, rises[0, target], rises[1, target])
            rises[1, source] = np.where(up, rises[0, target] + 1, rises[1, target])
        return rises


def next_hops(ranks: Ranks, home: int, classes: int, sources) -> tuple[NextHops, np.ndarray]:
    """The :class:`NextHops` to ``home`` of routes in at most ``classes``, and the hops of these routes from every switch (S,).

    Routes are shortest paths if those of all ``sources``, switches (S,) that are true, fit the classes, else those of
    :func:`limited`.
    """
    cost = ranks.wiring.distance[home]
    offers = NextHops(ranks, cost)
    if offers.keys()[sources].max() >= 2 * classes:
        cost = limited(ranks, home, classes)
        offers = NextHops(ranks, cost)
    return offers, cost


def limited(ranks: Ranks, home: int, classes: int) -> np.ndarray:
    """Hops of short routes from every switch to ``home`` that take at most ``classes`` and depend on the destination only (S,).

    The shortest walk from the top comes first. Every other switch then has a route: up to the top, or to where another one is.
    Without a single top, routes take as few classes as possible.
    """
    wiring = ranks.wiring
    if ranks.top is None:
        return _fewest(ranks, home, classes)
    walk = _walk(ranks, home, classes)
    source, target = wiring.source[:-1], wiring.target[:-1]
    cost, key = np.full((2, wiring.size), NEVER, np.int16)
    cost[home] = key[home] = 0
    own = np.zeros(wiring.size, bool)
    own[source[walk]] = True
    for hops in range(1, wiring.size):
        usable = np.flatnonzero((cost[target] == hops - 1) & (cost[source] == NEVER) & ~own[source])
        if hops <= len(walk):
            usable = np.append(usable, walk[-hops])
        if not len(usable):
            break
        keys = ranks.before(key[target[usable]], usable)
        usable, keys = usable[keys < 2 * classes], keys[keys < 2 * classes]
        np.minimum.at(key, source[usable], keys.astype(np.int16))
        cost[source[usable]] = hops
    return cost


def _fewest(ranks, home, classes):
    """Hops to ``home`` of the shortest of the routes of the lowest key from every switch (S,): such routes form a tree."""
    wiring = ranks.wiring
    source, target = wiring.source[:-1], wiring.target[:-1]
    cost, key = np.full((2, wiring.size), NEVER, np.int16)
    cost[home] = key[home] = 0
    channels = np.arange(wiring.count)
    for level in range(2 * classes):
        while True:
            keys = ranks.before(key[target], channels)
            usable = np.flatnonzero((cost[target] < NEVER) & (cost[source] == NEVER) & (keys == level))
            if not len(usable):
                break
            nearest = usable[cost[target[usable]] == cost[target[usable]].min()]
            cost[source[nearest]], key[source[nearest]] = cost[target[nearest]] + 1, level
    if (cost == NEVER).any():
        raise UsageError(f"{wiring.name}: with these ranks, routes to {wiring.names[home]} do not fit {classes} turn classes")
    return cost


def _walk(ranks, home, classes):
    """The channels of a shortest walk from the top to ``home`` in at most ``classes``."""
    source, target = ranks.wiring.source[:-1], ranks.wiring.target[:-1]
    # By key and switch: the next channel of a shortest walk with this key, -1 as long as none is known.
    taken = np.full((2 * classes, ranks.wiring.size), -1)
    taken[0, home] = ranks.wiring.count
    known = new = taken >= 0
    while not known[:, ranks.top].any():
        for key in range(2 * classes):
            some = np.flatnonzero(new[key, target])
            keys = ranks.before(np.full(len(some), key), some)
            fits = (keys < 2 * classes) & ~known[np.minimum(keys, 2 * classes - 1), source[some]]
            taken[keys[fits], source[some[fits]]] = some[fits]
        known, new = taken >= 0, (taken >= 0) & ~known
    here, walk = ranks.top, []
    key = int(known[:, here].argmax())
    while here != home:
        walk.append(int(taken[key, here]))
        here = int(target[walk[-1]])
        key = next(old for old in np.flatnonzero(known[:, here]) if ranks.before(old, walk[-1]) == key)
    return walk


def needed(ranks: Ranks, homes) -> np.ndarray:
    """Number of pairs of a switch with hosts and one of ``homes`` whose shortest path takes at least 1, 2, .. classes."""
    sources, found = ranks.wiring.hosts > 0, np.zeros(NEVER // 2 + 1, np.int64)
    for home in homes:
        keys = NextHops(ranks, ranks.wiring.distance[home]).keys()
        found += np.bincount(keys[sources] // 2, minlength=len(found))
    return np.trim_zeros(found, "b")
