"""Virtual layers: assigns each route to a layer, so that the channel dependencies of no layer have a cycle.

A pair of a source switch with hosts and a target is assigned to the first layer that remains free of cycles. Layers are filled
one after another. A layer is filled tree by tree, and in a tree from the target outwards. The route of a pair is its first hop
followed by the route of the next switch, so a pair adds at most one dependency to its layer. Switches have the order of
:class:`Wiring`, so the number of layers depends only on the graph.
"""

import math

import numpy as np

from dsnswitch.net.routing.balance import levels

#: Number of times that all layers are filled, each time starting at another tree: MOST_TRIES times, fewer if the graph is so
#: large that more than TRIED_PAIRS pairs would be tried.
MOST_TRIES, TRIED_PAIRS = 8, 1 << 17

#: Edges that the searches of a layer may visit, a few seconds, and vertices of a search after that.
EFFORT, FEW = 1 << 24, 50


class Ordered:
    """An acyclic graph whose vertices are kept in topological order as edges are added (Pearce and Kelly, 2007).

    Any first order ``position`` is correct; one that is close to the final order saves time. ``effort`` is the number of edges
    that searches may visit; None for no limit. After that, a search ends after :data:`FEW` vertices, and the new edge is refused
    although it may not close a cycle.
    """

    def __init__(self, size, position=None, effort=None):
        self.position = list(position or range(size))
        self.effort = math.inf if effort is None else effort
        self.after = [[] for _ in range(size)]
        self.before = [[] for _ in range(size)]

    def add(self, a, b) -> bool:
        """Add the edge from a to b, unless it closes a cycle or the search would take too long. Returns whether it was added."""
        position = self.position
        low, high = position[b], position[a]
        if a == b:
            return False
        if low < high:
            # Descendants of b up to the position of a must follow the ancestors of a down to the position of b.
            most = FEW if self.effort <= 0 else math.inf
            later = self._near(b, self.after, lambda other: position[other] < high, most, a)
            earlier = later and self._near(a, self.before, lambda other: position[other] > low, most)
            if not earlier:
                return False
            moved = sorted(earlier, key=position.__getitem__) + sorted(later, key=position.__getitem__)
            for vertex, to in zip(moved, sorted([position[vertex] for vertex in moved])):
                position[vertex] = to
        self.after[a].append(b)
        self.before[b].append(a)
        return True

    def _near(self, start, edges, inside, most, never=None):
        """Vertices ``inside`` that can be reached from ``start``; None if they are more than ``most``, or one is ``never``."""
        found, stack = {start}, [start]
        while stack:
            if len(found) > most:
                return None
            others = edges[stack.pop()]
            self.effort -= len(others)
            for other in others:
                if other == never:
                    return None
                if inside(other) and other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def path(self, start, end):
        """Vertices of a path from ``start`` to ``end``, or None."""
        known, stack = {start: None}, [start]
        while stack:
            here = stack.pop()
            if here == end:
                found = [here]
                while known[found[-1]] is not None:
                    found.append(known[found[-1]])
                return found[::-1]
            for other in self.after[here]:
                if other not in known:
                    known[other] = here
                    stack.append(other)
        return None


def fewest_layers(trees, most=None, watch=iter, early=None):
    """Assign a layer to each pair of :class:`Trees` with first fit, which does not always find the minimum number of layers.

    There are at most ``most`` layers. Trees for which the array ``early`` (G,) is true are assigned before the others.
    ``watch(items)`` returns an iterator over ``items``, which may show progress. The result is an array (G, S), the layer of each
    pair: -1 for a pair that does not fit, and 0 if no packet enters at the source. Then follows the cycle of channels that the
    first pair that does not fit would close on the last layer, or None.
    """
    filling = _Filling(trees)
    size = len(trees.channel)
    tries = max(1, min(MOST_TRIES, TRIED_PAIRS // trees.channel.size))
    early = np.zeros(size, bool) if early is None else early
    best = None
    for turn in range(tries):
        order = np.roll(np.arange(size), turn * size // tries)
        found = filling.fill(order[np.argsort(~early[order], kind="stable")].tolist(), most, watch)
        if best is None or (found[1] is None, -found[0].max()) > (best[1] is None, -best[0].max()):
            best = found
    return best


class _Filling:
    """The state of an assignment: pairs by flat index ``tree * S + switch``, and channel dependencies by number."""

    def __init__(self, trees):
        self.shape, none = trees.channel.shape, trees.wiring.count
        self.cost, channel = trees.cost.ravel(), trees.channel.ravel()
        self.longer = (trees.cost > 1) & (trees.wiring.hosts > 0)
        self.onward = (trees.onward + np.arange(self.shape[0])[:, None] * self.shape[1]).ravel()
        # A pair needs the dependency of its second channel on its first; none if its route has one channel.
        codes = np.where(self.cost > 1, channel * (none + 1) + channel[self.onward], -1)
        codes, self.needs = np.unique(codes, return_inverse=True)
        self.ends = [divmod(code, none + 1) for code in codes.tolist()]
        self.channels = none
        self.levels = [levels(cost)[2:] for cost in trees.cost]

    def fill(self, trees, most, watch):
        """Layers of all pairs, and a cycle if ``most`` layers are not enough.

        ``trees`` are the numbers of the trees in the order in which they are assigned.
        """
        layer = np.where(self.longer.ravel(), -1, 0)
        count, held = 0, None
        while (layer < 0).any() and (most is None or count < most):
            fits, held = self._one(watch(trees), layer < 0, held)
            layer[fits & (layer < 0)] = count
            count += 1
        return layer.reshape(self.shape), self._complete(layer, held, count - 1)

    def _one(self, trees, wanted, last):
        """Fill one layer with ``wanted`` pairs. Returns the pairs that fit, wanted or not, and the dependencies of the layer."""
        size = self.shape[1]
        held, state = Ordered(self.channels, last and last.position, EFFORT), np.zeros(len(self.ends), np.int8)
        fits = self.cost <= 1
        for tree in trees:
            used = wanted[tree * size : (tree + 1) * size].copy()
            if not used.any():
                continue
            near = [pairs + tree * size for pairs in self.levels[tree]]
            for pairs in near[:0:-1]:
                used[self.onward[pairs[used[pairs - tree * size]]] - tree * size] = True
            for pairs in near:
                tried = pairs[fits[self.onward[pairs]] & used[pairs - tree * size]]
                needs = self.needs[tried]
                for new in dict.fromkeys(needs[state[needs] == 0].tolist()):
                    state[new] = 1 if held.add(*self.ends[new]) else -1
                fits[tried] = state[needs] > 0
        return fits, held

    def _complete(self, layer, held, last):
        """Put the remaining pairs on the last layer, until one closes a cycle; returns the cycle, or None.

        Searches of limited effort may have refused pairs that fit.
        """
        for pair in np.flatnonzero(layer < 0).tolist():
            held.effort = math.inf
            cycle = self._cycle(pair, held)
            if cycle:
                return cycle
            layer[pair] = last
        return None

    def _cycle(self, pair, held):
        """The cycle that the route of a pair closes, or None after its dependencies are added."""
        while self.cost[pair] > 1:
            a, b = self.ends[self.needs[pair]]
            found = held.path(b, a)
            if found:
                return found
            held.add(a, b)
            pair = self.onward[pair]
        return None
