"""The channels that a packet may take next: up*/down* routing, and shortest paths.

Routes depend only on the destination, because a table has no other information. So the routes to each switch form a tree.
"""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net.routing.balance import Trees, spread_trees
from dsnswitch.net.routing.layers import fewest_layers
from dsnswitch.net.routing.wiring import targets


@dataclass(frozen=True)
class Choices:
    """Condition for channel c from s to v to be the next channel on the route to t.

    It must bring the packet one hop nearer, and have the kind that is needed: ``cost[v, t] + 1 == cost[s, t]``, ``kind[c] ==
    need[s, t]`` and ``need[v, t] <= need[s, t]``. By the last rule, a packet that went down never goes up again.

    ``cost`` (S, S) are the hops of each route. In up*/down*, ``kind`` (C + 1,) is 1 for a channel that goes up, else 0 (-1 for
    "no channel"), and ``need`` (S, S) is 1 if s sends packets for t up, else 0.
    """

    cost: np.ndarray
    kind: np.ndarray
    need: np.ndarray

    def allow(self, source, channel, target, home) -> np.ndarray:
        """Whether each channel from ``source`` to ``target`` may be the next on the route to ``home``; arrays are broadcast."""
        need = self.need[source, home]
        near = self.cost[target, home] + 1 == self.cost[source, home]
        return near & (self.kind[channel] == need) & (self.need[target, home] <= need)


def centre(wiring) -> int:
    """The switch with the smallest mean distance to the others; the first of several."""
    return int(wiring.distance.sum(axis=1).argmin())


def shortest(wiring) -> Choices:
    """All shortest paths."""
    kind = np.zeros(wiring.count + 1, np.int8)
    kind[-1] = -1
    return Choices(wiring.distance, kind, np.zeros(wiring.distance.shape, np.int8))


def updown(wiring, root) -> Choices:
    """Up*/down* routing (Schroeder et al., Autonet, 1991): no packet goes up after it went down, so dependencies have no cycle.

    A channel goes up if it leads nearer to the root, or at equal distance to a switch that is earlier in the order. Routes depend
    only on the destination, so a switch does not know whether a packet has already gone down. A switch to which packets for a
    destination go down must therefore send them down. It may send them up only if no packet for this destination goes down to it.

    First, every switch with a path that goes only down takes the shortest such path, and the other switches send packets up.
    Then, from the root outwards, a switch sends packets up as well if this is shorter, unless a switch above it has no other
    shortest path down. So no route is longer than at first, and few are longer than the shortest that goes up and then down.
    """
    order = np.argsort(wiring.distance[root], kind="stable")
    rank = np.argsort(order)
    up = rank[wiring.target] < rank[wiring.source]
    kind = np.append(up[:-1], False).astype(np.int8)
    kind[-1] = -1
    # More hops than any route has; no route has as many as there are switches.
    far = min(2 * wiring.size, (1 << 15) - 2)
    cost = np.full(wiring.distance.shape, far, wiring.distance.dtype)
    np.fill_diagonal(cost, 0)
    for switch in order[::-1]:
        _improve(cost, wiring, switch, kind == 0)
    need = cost == far
    # Number of channels that begin a shortest path down.
    first = np.zeros(cost.shape, np.int16)
    for switch in order:
        for channel in _usable(wiring, switch, kind == 0):
            first[switch] += ~need[switch] & (cost[wiring.target[channel]] + 1 == cost[switch])
    for switch in order[1:]:
        above, count = np.unique(wiring.target[_usable(wiring, switch, kind == 1)], return_counts=True)
        climbed = cost[above].min(axis=0) + 1
        enters = ~need[above] & (cost[above] == cost[switch] + 1)
        rises = ~need[switch] & (climbed < cost[switch]) & ~(enters & (first[above] == count[:, None])).any(axis=0)
        first[above] -= (enters & rises) * count[:, None]
        need[switch] |= rises
        cost[switch] = np.where(need[switch], climbed, cost[switch])
    return Choices(cost, kind, need.astype(np.int8))


def _usable(wiring, switch, usable):
    """The channels that leave ``switch``, if they are usable."""
    channels = wiring.out[switch]
    return channels[usable[channels]]


def _improve(cost, wiring, switch, usable):
    """Lower the cost of ``switch`` to the lowest cost over its ``usable`` channels."""
    channels = _usable(wiring, switch, usable)
    if len(channels):
        cost[switch] = np.minimum(cost[switch], cost[wiring.target[channels]].min(axis=0) + 1)


# The root of up*/down* routing: the switch that gives the busiest channel the lowest load, of a few that differ in structure.

#: Number of roots that are tried.
MOST_ROOTS = 8


def updown_trees(wiring, root, balance, bar) -> tuple:
    """Trees of up*/down*, and the number of their root.

    ``root`` None means the centre if routes are not balanced, else the best of :data:`MOST_ROOTS` candidates. ``balance`` is one
    of :data:`BALANCES`.
    """
    if root is None:
        root = centre(wiring) if balance == "none" else _best(wiring, bar)
    return spread_trees(wiring, updown(wiring, root), balance, bar), root


def _best(wiring, bar):
    def greatest(switch):
        trees = Trees(wiring, updown(wiring, switch), targets(wiring))
        return trees.load.max(), trees.cost.sum()

    return min(bar(_candidates(wiring), "roots"), key=greatest)


def _candidates(wiring):
    """Switches that differ in structure, from the centre to the rim.

    If only some switches have hosts, half of the candidates do: leaves and spines may have equal mean distances.
    """
    _, some = np.unique(wiring.colour, return_index=True)
    some = some[np.argsort(wiring.distance[some].sum(axis=1), kind="stable")]
    with_hosts = wiring.hosts[some] > 0
    kinds = [kind for kind in (some[with_hosts], some[~with_hosts]) if len(kind)]
    most = MOST_ROOTS // len(kinds)
    return [int(kind[at]) for kind in kinds for at in np.linspace(0, len(kind) - 1, min(len(kind), most)).astype(int)]


# Shortest paths that are balanced as far as a given number of virtual layers allows.

#: Number of times that some trees become trees of first next channels.
MOST_ROUNDS = 4


def fitting_trees(wiring, balance, most, bar) -> tuple:
    """:class:`Trees` of shortest paths that fit ``most`` layers, and the results of :func:`fewest_layers` for them.

    Balanced routes may need more layers than others. If they do not fit, these are tried in turn:

    1. Balanced up*/down* routes, which need one layer, if all of them are shortest paths. They are in a fat tree.
    2. Trees with a pair that does not fit take the first of several next channels, and enter the layers before the others.
    3. All trees take the first of several next channels.
    """

    def layers(trees, early=None):
        return trees, *fewest_layers(trees, most, lambda items: bar(items, "layers"), early)

    choices = shortest(wiring)
    trees, found, cycle = layers(spread_trees(wiring, choices, balance, bar))
    if cycle is None or balance == "none":
        return trees, found, cycle
    tree, _ = updown_trees(wiring, None, balance, bar)
    if np.array_equal(*(made.choices.cost[wiring.hosts > 0][:, wiring.hosts > 0] for made in (tree, trees))):
        return layers(tree)
    plain = np.zeros(len(trees.channel), bool)
    for _ in range(MOST_ROUNDS):
        crowded = ~plain & (found < 0).any(axis=1)
        if not crowded.any():
            break
        plain |= crowded
        first = Trees(wiring, choices, trees.targets, spread=False)
        trees.channel[crowded], trees.onward[crowded] = first.channel[crowded], first.onward[crowded]
        trees.measure()
        trees, found, cycle = layers(trees, plain)
    return (trees, found, cycle) if cycle is None else layers(spread_trees(wiring, choices, "none", bar))
