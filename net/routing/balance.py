"""Routes that balance the load of the channels: if several next channels are possible, one is chosen per switch and target.

The load of a channel is the number of pairs of a source and a destination whose route uses it. All calculations use integers, or
floating point in a fixed order, and visit the switches in a fixed order. So the same graph always has the same routes.
"""

import math

import numpy as np

from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.wiring import targets

# A lower bound of the greatest channel load, for any routing.


def ideal(wiring):
    """A lower bound of the greatest channel load for any routing, in pairs, rounded up: the largest of two kinds of averages.

    - Shortest paths of all pairs: their hops, divided by the number of channels.
    - Every cut around a *ball*, for each switch and d: a ball contains the switches at most d hops from one switch. The pairs
      that must leave the ball are divided by the channels that leave it. With d = 0 the ball is a single switch.

    A pair is a source and a destination, which are the hosts, or the switches if the graph has no hosts. There may be no routing
    that reaches this bound.
    """
    if not wiring.count:
        return 0
    source, target, hosts = wiring.source[:-1], wiring.target[:-1], wiring.hosts
    best = -(-int(hosts @ wiring.distance @ hosts) // wiring.count)
    for row in wiring.distance:
        most = int(row.max())
        inside = np.bincount(row, hosts, most + 1).astype(np.int64).cumsum()[:most]
        leaving = np.bincount(row[source[row[target] > row[source]]], minlength=most)
        best = max(best, int((-(-inside * (hosts.sum() - inside) // leaving)).max(initial=0)))
    return best


#: ``none``: the first of several next channels. ``switch``: balanced; all hosts of a switch share their routes. ``host``:
#: balanced; every host has its own routes. ``auto``: balanced; the hosts of a switch are divided into runs of neighbouring
#: keys, and the number of runs rises while the greatest load falls.
BALANCES = ("auto", "none", "switch", "host")

#: Numbers of runs that ``auto`` tries. A number is kept if it reduces the greatest load by a tenth. The search ends after two
#: numbers in a row that do not, or when the greatest load is within a tenth of :func:`ideal`.
PARTS, TENTH = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), 0.1

#: Number of times that every route is reconsidered.
PASSES = 2

#: Approximate number of sequential hops in one pass; each of these hops is computed for many targets at once.
STEPS = 40_000


def levels(cost):
    """Flat indices of ``cost``, grouped by value: a list of arrays, the lowest value first."""
    flat = cost.ravel()
    order = np.argsort(flat, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(flat[order])) + 1)


class Trees:
    """A next channel for each target and switch, and the load of every channel.

    The next channels towards one target form a tree. Its root, called *home*, is the switch that the target is attached to.

    Attributes
    ----------
    channel, onward, cost : arrays (G, S)
        Next channel of switch s towards target g, the switch at its end, and the hops that remain. At home: no channel, home, 0.
    through : array (G, S)
        Number of pairs with target g whose route passes or begins at switch s.
    load : array (C + 1,)
        Number of pairs whose route uses each channel; the last element is 0.
    """

    def __init__(self, wiring, choices, targets, spread=True):
        self.wiring, self.choices, self.targets = wiring, choices, targets
        self.cost = np.ascontiguousarray(choices.cost[:, targets.home].T, np.int32)
        self.channel = np.full(self.cost.shape, wiring.count)
        self.onward = np.repeat(targets.home[:, None], wiring.size, axis=1)
        self.count = np.zeros(self.cost.shape, np.int32)
        source, target = wiring.source[:-1], wiring.target[:-1]
        for tree, home in enumerate(targets.home):
            usable = np.flatnonzero(choices.allow(source, slice(-1), target, home))
            self.count[tree] = count = np.bincount(source[usable], minlength=wiring.size)
            some = count > 0
            # Consecutive switches, and consecutive targets, start with different channels.
            turn = (tree + np.arange(wiring.size)) % np.maximum(count, 1) if spread else 0
            self.channel[tree, some] = usable[(np.cumsum(count) - count + turn)[some]]
            self.onward[tree, some] = wiring.target[self.channel[tree, some]]
        self.measure()

    def measure(self):
        """Count the pairs at every switch, from the farthest to home, and on every channel."""
        self.through = self.targets.weight[:, None] * self.wiring.hosts[None, :]
        flat, size = self.through.reshape(-1), self.wiring.size
        for flat_index in levels(self.cost)[:0:-1]:
            np.add.at(flat, flat_index // size * size + self.onward.reshape(-1)[flat_index], flat[flat_index])
        # Floating point is exact here, because no load reaches 2^53.
        load = np.bincount(self.channel.ravel(), weights=flat, minlength=self.wiring.count + 1)
        self.load = load.astype(np.int64)
        self.load[-1] = 0

    def copy(self):
        """Return a copy of everything that :meth:`improve` changes."""
        return self.channel.copy(), self.onward.copy(), self.through.copy(), self.load.copy()

    def restore(self, kept):
        """Restore a state that :meth:`copy` returned."""
        self.channel, self.onward, self.through, self.load = kept

    def improve(self, turn, bar=unwatched):
        """Choose again at every switch that has a choice: the next channel whose path to home has the lowest price.

        The price of a path is the sum of the cubes of the loads of its channels, so loaded channels are avoided. The number of
        hops is the same for every choice. Several trees are processed at once. The switches of a tree are processed from home
        outwards, so the rest of each path is already chosen. In small graphs only one tree is processed at a time.
        """
        trees = len(self.channel)
        block = min(trees, max(1, math.ceil(self.cost.sum() / STEPS)))
        for first in bar(range(0, trees, block), "balancing"):
            self._improve(np.arange(first, min(first + block, trees)), turn)

    def _improve(self, trees, turn):
        size, homes = self.wiring.size, self.targets.home[trees]
        key = self.cost[trees] * size + (np.arange(size) - homes[:, None] + turn) % size
        key = np.where(self.count[trees] > 1, key, -1)
        order = np.argsort(key, axis=1)
        chosen = np.take_along_axis(key, order, axis=1) >= 0
        for step in np.flatnonzero(chosen.any(axis=0)):
            some = chosen[:, step]
            self._reroute(trees[some], order[some, step], homes[some])

    def _reroute(self, trees, here, homes):
        """Choose the next channel of switch ``here[i]`` in tree ``trees[i]``; all trees are different."""
        wiring, choices = self.wiring, self.choices
        weight, cost = self.through[trees, here], self.cost[trees, here]
        self._carry(trees, here, -weight, cost.max())
        offered = wiring.out[here]
        allowed = choices.allow(here[:, None], offered, wiring.target[offered], homes[:, None])
        row, _ = np.nonzero(allowed)
        channel = offered[allowed]
        price = self._price(trees[row], channel, weight[row], cost.max())
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        # The present channel stays if its price is among the lowest.
        stays = channel == self.channel[trees, here][row]
        best = np.lexsort((~stays, price, row))[starts]
        self.channel[trees, here] = channel[best]
        self.onward[trees, here] = wiring.target[channel[best]]
        self._carry(trees, here, weight, cost.max())

    def _carry(self, trees, here, weight, most):
        """Add ``weight`` to the load of the channels on the paths from ``here``, and to the switches after ``here``."""
        channels = np.empty((most, len(trees)), self.channel.dtype)
        for step in range(most):
            channels[step] = self.channel[trees, here]
            here = self.onward[trees, here]
            self.through[trees, here] += weight
        # One weight for each channel: NumPy 2.4.6 reads beyond the weights if it has to repeat them for a 2-D index.
        np.add.at(self.load, channels.ravel(), np.tile(weight, most))
        self.load[-1] = 0
        # ``through`` is wrong at home, where shorter paths were counted once for each hop that they lack. It is never read there.

    def _price(self, trees, channel, weight, most):
        price = np.zeros(len(channel))
        for _ in range(most):
            load = np.where(channel == self.wiring.count, 0, self.load[channel] + weight).astype(float)
            price += load * load * load
            here = np.where(channel == self.wiring.count, self.targets.home[trees], self.wiring.target[channel])
            channel = self.channel[trees, here]
        return price


def balanced(wiring, choices, targets, spread=True, bar=unwatched):
    """The :class:`Trees` after at most :data:`PASSES` passes, each of which is kept only if it lowers the greatest load."""
    trees = Trees(wiring, choices, targets, spread)
    if not spread:
        return trees
    for turn in range(PASSES):
        kept, before = trees.copy(), trees.load.max()
        trees.improve(7 * turn, bar)
        if trees.load.max() >= before:
            trees.restore(kept)
    return trees


def spread_trees(wiring, choices, balance, bar=unwatched):
    """The trees for ``balance``, one of :data:`BALANCES`."""
    if balance in ("none", "switch"):
        return balanced(wiring, choices, targets(wiring), balance == "switch", bar)
    most = int(wiring.hosts.max())
    if balance == "host":
        return balanced(wiring, choices, targets(wiring, most), bar=bar)
    best, failed = balanced(wiring, choices, targets(wiring), bar=bar), 0
    enough = (1 + TENTH) * ideal(wiring)
    for parts in PARTS:
        if best.load.max() <= enough or parts > most or failed == 2:
            break
        trees = balanced(wiring, choices, targets(wiring, parts), bar=bar)
        if trees.load.max() <= (1 - TENTH) * best.load.max():
            best, failed = trees, 0
        else:
            failed += 1
    return best


def spread(wiring, make, balance):
    """The trees of ``make(targets)`` for ``balance``, one of :data:`BALANCES`."""
    most = int(wiring.hosts.max())
    if balance == "host":
        return make(targets(wiring, most))
    best, failed = make(targets(wiring)), 0
    enough = (1 + TENTH) * ideal(wiring)
    for parts in PARTS:
        if balance != "auto" or best.load.max(initial=0) <= enough or parts > most or failed == 2:
            break
        trees = make(targets(wiring, parts))
        if trees.load.max() <= (1 - TENTH) * best.load.max():
            best, failed = trees, 0
        else:
            failed += 1
    return best
