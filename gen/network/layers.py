"""Virtual layers: which routes share a layer, so that on no layer channels wait for each other in a circle.

Pairs of a source switch and a target enter the first layer that stays free of circles, layer by layer, tree by tree, and in a
tree from the target outwards. A pair's route is its first hop and the route of its next switch, so it adds one dependency at
most to what is on the layer. The order is that of :mod:`~.order`: the number of layers depends on the graph alone.
"""

import numpy as np

from .balance import levels

__all__ = ["Ordered", "fewest_layers"]

#: Times that layers are filled, each beginning at another tree: as often as small fabrics allow.
MOST_TRIES, TRIED_PAIRS = 8, 1 << 17


class Ordered:
    """A graph without cycles whose vertices are kept in order as edges come (Pearce and Kelly, 2007)."""

    def __init__(self, size, place=None):
        # Any order will do to begin with; a likely one saves work.
        self.place = list(place or range(size))
        self.after = [[] for _ in range(size)]
        self.before = [[] for _ in range(size)]

    def add(self, a, b):
        """Add the edge from a to b, unless it closes a cycle. Returns whether it was added."""
        place = self.place
        low, high = place[b], place[a]
        if a == b:
            return False
        if low < high:
            # What b leads to, up to the position of a, must come after what leads to a, down to the position of b.
            later, stack = {b}, [b]
            while stack:
                for other in self.after[stack.pop()]:
                    if other == a:
                        return False
                    if place[other] < high and other not in later:
                        later.add(other)
                        stack.append(other)
            earlier, stack = {a}, [a]
            while stack:
                for other in self.before[stack.pop()]:
                    if place[other] > low and other not in earlier:
                        earlier.add(other)
                        stack.append(other)
            moved = sorted(earlier, key=place.__getitem__) + sorted(later, key=place.__getitem__)
            for vertex, to in zip(moved, sorted([place[vertex] for vertex in moved])):
                place[vertex] = to
        self.after[a].append(b)
        self.before[b].append(a)
        return True

    def way(self, start, end):
        """Vertices from ``start`` to ``end`` along edges, or None."""
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


def fewest_layers(trees, most=None, watch=iter):
    """A layer for each pair, as few as first fit finds.

    Parameters
    ----------
    trees : Trees
    most : int or None
        Layers to fill at most.
    watch : callable
        Passes on the items of a list that are gone through, to show progress.

    Returns
    -------
    array (G, S)
        Layer of each pair; -1 where ``most`` are not enough.
    list or None
        Then, the circle of channels that the first such pair would close on the last layer.
    """
    filling = _Filling(trees)
    size = len(trees.channel)
    tries = max(1, min(MOST_TRIES, TRIED_PAIRS // trees.channel.size))
    best = None
    for turn in range(tries):
        found = filling.fill(np.roll(np.arange(size), turn * size // tries).tolist(), most, watch)
        if best is None or (found[1] is None, -found[0].max()) > (best[1] is None, -best[0].max()):
            best = found
    return best


class _Filling:
    """Pairs by flat index ``tree * S + switch``; dependencies of channels by number."""

    def __init__(self, trees):
        self.shape, none = trees.channel.shape, trees.wiring.count
        self.cost, channel = trees.cost.ravel(), trees.channel.ravel()
        self.onward = (trees.onward + np.arange(self.shape[0])[:, None] * self.shape[1]).ravel()
        # A pair needs the dependency of its first channel on the next; none where the first is the last.
        codes = np.where(self.cost > 1, channel * (none + 1) + channel[self.onward], -1)
        codes, self.needs = np.unique(codes, return_inverse=True)
        self.ends = [divmod(code, none + 1) for code in codes.tolist()]
        self.channels = none
        self.levels = [levels(cost)[2:] for cost in trees.cost]

    def fill(self, trees, most, watch):
        """Layers of all pairs, and the circle if ``most`` are not enough; ``trees`` in the order in which they enter."""
        layer = np.where(self.cost > 1, -1, 0)
        count, held = 0, None
        while (layer < 0).any() and (most is None or count < most):
            fits, held = self._one(watch(trees), layer < 0, held)
            layer[fits & (layer < 0)] = count
            count += 1
        cycle = None
        if (layer < 0).any():
            cycle = self._circle(np.flatnonzero(layer < 0)[0], held)
        return layer.reshape(self.shape), cycle

    def _one(self, trees, wanted, last):
        """Fill a layer with ``wanted`` pairs. Returns which fit, wanted or not, and the layer's dependencies."""
        size = self.shape[1]
        held, state = Ordered(self.channels, last and last.place), np.zeros(len(self.ends), np.int8)
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

    def _circle(self, pair, held):
        """The circle that the route of a pair would close."""
        while self.cost[pair] > 1:
            a, b = self.ends[self.needs[pair]]
            found = held.way(b, a)
            if found:
                return found
            held.add(a, b)
            pair = self.onward[pair]
        raise AssertionError("this pair fits")
