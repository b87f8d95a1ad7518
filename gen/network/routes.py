"""Which channels a packet may take next: up*/down*, and shortest paths.

Routes go by destination alone, as a table has nothing else: a tree for each switch that packets go for.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["Choices", "centre", "shortest", "updown"]


@dataclass(frozen=True)
class Choices:
    """Channel c from s to v may be the next on the way to t if it brings the packet a hop nearer and is of the kind needed.

    ``cost[v, t] + 1 == cost[s, t]``, ``kind[c] == need[s, t]`` and ``need[v, t] <= need[s, t]``: who went down, goes down.

    Attributes
    ----------
    cost : array (S, S)
        Hops of the route from s to t.
    kind : array (C + 1,)
        Up*/down*: 1 of a channel that goes up. Otherwise 0. -1 of no channel.
    need : array (S, S)
        Up*/down*: 1 where s has no way only down to t. Otherwise 0.
    """

    cost: np.ndarray
    kind: np.ndarray
    need: np.ndarray

    def allow(self, source, channel, target, home):
        """Which of the channels from ``source`` to ``target`` may be the next on the way to ``home``: arrays, broadcast."""
        need = self.need[source, home]
        near = self.cost[target, home] + 1 == self.cost[source, home]
        return near & (self.kind[channel] == need) & (self.need[target, home] <= need)


def centre(wiring):
    """The switch from which the others are nearest on average, of several the first."""
    return int(wiring.distance.sum(axis=1).argmin())


def shortest(wiring):
    """Every shortest path."""
    kind = np.zeros(wiring.count + 1, np.int8)
    kind[-1] = -1
    return Choices(wiring.distance, kind, np.zeros(wiring.distance.shape, np.int8))


def updown(wiring, root):
    """Up*/down* (Schroeder et al., Autonet, 1991): no packet goes up after it went down, so no channels wait in a circle.

    Up is nearer to the root, or at equal distance earlier in the order. By destination alone: a switch that has a way only
    down takes the shortest such; the others go up, by a neighbour from which the whole way is shortest. A packet that comes
    down to a switch finds a way only down from there, so the rule is kept although no switch remembers where a packet came
    from.
    """
    order = np.argsort(wiring.distance[root], kind="stable")
    rank = np.argsort(order)
    up = rank[wiring.target] < rank[wiring.source]
    kind = np.append(up[:-1], False).astype(np.int8)
    kind[-1] = -1
    far = 2 * wiring.size
    cost = np.full(wiring.distance.shape, far, np.int32)
    np.fill_diagonal(cost, 0)
    for switch in order[::-1]:
        _improve(cost, wiring, switch, kind == 0)
    need = cost == far
    for switch in order:
        climbed = cost[switch].copy()
        _improve(cost, wiring, switch, kind == 1)
        cost[switch] = np.where(need[switch], cost[switch], climbed)
    return Choices(cost, kind, need.astype(np.int8))


def _improve(cost, wiring, switch, usable):
    """Lower the cost of ``switch`` to what its neighbours over ``usable`` channels offer."""
    channels = wiring.out[switch]
    channels = channels[usable[channels]]
    if len(channels):
        cost[switch] = np.minimum(cost[switch], cost[wiring.target[channels]].min(axis=0) + 1)
