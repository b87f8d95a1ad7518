"""Better balance of routes in turn classes: switches choose their next channels again, one after another, at exact loads."""

import math

import numpy as np

from dsnswitch.net.messages import unwatched

#: A class in which no packet is.
NONE = -(1 << 14)

#: Most passes over all switches and targets, and sequential choices in one pass, each for several targets at once.
PASSES, STEPS = 4, 3_000


def improved(ranks, classes, targets, channel, cost, bar=unwatched):
    """The next channels (G, S) of routes with a lower greatest load, and the load of every channel (C + 1,).

    ``channel`` are those of each switch towards each of ``targets``, in at most ``classes``; ``cost`` are the hops of these
    routes, which remain.
    """
    made = Improvement(ranks, classes, targets, channel, cost)
    best, load = made.channel.copy(), made.load.copy()
    for number in range(PASSES):
        made.improve(number, bar)
        if made.load.max() < load.max():
            best, load = made.channel.copy(), made.load.copy()
    return best, load


class Improvement:
    """Trees of next channels, and the packets that pass at each switch.

    Attributes
    ----------
    channel, onward, cost : arrays (G, S)
        Next channel of switch s towards target g, the switch at its end, and the hops that remain. At home: C, home, 0.
    through, risen, fallen : arrays (G, S)
        Number of pairs with target g whose route passes or begins at switch s, and the highest class of the packets that begin
        there or come from below, and of those that come from above.
    load : array (C + 1,)
        Number of pairs whose route uses each channel; the last element is 0.
    """

    def __init__(self, ranks, classes, targets, channel, cost):
        self.ranks, self.wiring, self.classes, self.targets = ranks, ranks.wiring, classes, targets
        self.channel, self.cost = channel.copy(), cost
        self.onward = np.where(channel < self.wiring.count, self.wiring.target[channel], targets.home[:, None])
        self.order = np.argsort(cost, axis=1, kind="stable")
        self.measure()

    def measure(self):
        """Count the pairs at every switch and on every channel, and follow their classes, from the farthest switches to home."""
        wiring, size = self.wiring, self.wiring.size
        self.through = np.outer(self.targets.weight, wiring.hosts)
        self.risen = np.where(self.through > 0, 0, NONE)
        self.fallen = np.full(self.risen.shape, NONE)
        through, risen, fallen, channel, onward = (
            values.reshape(-1) for values in (self.through, self.risen, self.fallen, self.channel, self.onward)
        )
        order = np.argsort(self.cost, axis=None, kind="stable")
        bounds = np.searchsorted(self.cost.ravel()[order], np.arange(1, int(self.cost.max()) + 2))
        for low, high in zip(bounds[-2::-1].tolist(), bounds[:0:-1].tolist()):
            some = order[low:high]
            ends = some // size * size + onward[some]
            up = self.ranks.up[channel[some]]
            into = np.maximum(risen[some], fallen[some] + up)
            np.add.at(through, ends, through[some])
            np.maximum.at(risen, ends[up], into[up])
            np.maximum.at(fallen, ends[~up], into[~up])
        self.load = np.bincount(self.channel.ravel(), self.through.ravel(), wiring.count + 1)
        self.load[-1] = 0

    def improve(self, turn, bar=unwatched):
        """Choose again at every switch that has a choice: the next channel whose path to home has the lowest price.

        The price of a path is the sum of the cubes of the loads of its channels, so that loaded ones are avoided. Several trees
        are processed at once, and the switches of a tree from home outwards, so that the rest of each path is already chosen.
        In small graphs only one tree is processed at a time.
        """
        trees = len(self.channel)
        block = min(trees, max(1, math.ceil(self.cost.sum(dtype=np.int64) / STEPS)))
        for first in bar(range(0, trees, block), "balancing"):
            some = np.arange(first, min(first + block, trees))
            size = self.wiring.size
            # Equal switches take turns.
            order = np.argsort(self.cost[some] * size + (np.arange(size) - self.targets.home[some, None] + turn) % size, axis=1)
            keys = np.zeros((len(some), size), np.int16)
            for here in order.T[1:]:
                self._choose(some, here, keys)
        self.measure()

    def _choose(self, trees, here, keys):
        """Choose at switch ``here[i]`` of tree ``trees[i]``; ``keys`` are those of the switches before, and of these switches."""
        wiring, rows = self.wiring, np.arange(len(trees))
        offered = wiring.out[here]
        near = self.cost[trees[:, None], wiring.target[offered]] + 1 == self.cost[trees, here][:, None]
        row, place = np.nonzero(near & (offered < wiring.count))
        channel = offered[row, place]
        up = self.ranks.up[channel]
        key = self.ranks.before(keys[row, wiring.target[channel]], channel)
        into = np.maximum(self.risen[trees, here][row], self.fallen[trees, here][row] + up)
        fits = into + key // 2 < self.classes
        many = np.bincount(row[fits], minlength=len(trees)) > 1
        if many.any():
            some = fits & many[row]
            self._reroute(trees, here, row[some], channel[some])
        keys[rows, here] = self.ranks.before(keys[rows, self.onward[trees, here]], self.channel[trees, here])

    def _reroute(self, trees, here, row, channel):
        """Give the switches of some rows the best of the channels that are offered to each."""
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        some = row[starts]
        trees, here = trees[some], here[some]
        index = np.repeat(np.arange(len(some)), np.diff(starts, append=len(row)))
        weight, cost = self.through[trees, here], self.cost[trees, here]
        self._carry(trees, here, -weight, cost.max())
        price = self._price(trees[index], channel, weight[index], cost.max())
        # The present channel stays if its price is among the lowest.
        stays = channel == self.channel[trees, here][index]
        best = channel[np.lexsort((~stays, price, index))[starts]]
        self.channel[trees, here] = best
        self.onward[trees, here] = self.wiring.target[best]
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
        """The price of a path that begins with ``channel``."""
        found, here = np.zeros(len(trees)), None
        for _ in range(most):
            found += (self.load[channel] + weight) ** 3 * (channel < self.wiring.count)
            here = self.wiring.target[channel] if here is None else self.onward[trees, here]
            channel = self.channel[trees, here]
        return found
