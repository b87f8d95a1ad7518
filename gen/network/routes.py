"""The channels that a packet may take next: up*/down* routing, and shortest paths.

Routes depend only on the destination, because a table has no other information. So the routes to each switch form a tree.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["Choices", "centre", "shortest", "updown"]


@dataclass(frozen=True)
class Choices:
    """Condition for channel c from s to v to be the next channel on the route to t.

    It must bring the packet one hop nearer, and have the kind that is needed: ``cost[v, t] + 1 == cost[s, t]``, ``kind[c] ==
    need[s, t]`` and ``need[v, t] <= need[s, t]``. By the last rule, a packet that went down never goes up again.

    Attributes
    ----------
    cost : array (S, S)
        Hops of the route from s to t.
    kind : array (C + 1,)
        Up*/down*: 1 for a channel that goes up, else 0. -1 for "no channel".
    need : array (S, S)
        Up*/down*: 1 if no path from s to t goes only down, else 0.
    """

    cost: np.ndarray
    kind: np.ndarray
    need: np.ndarray

    def allow(self, source, channel, target, home):
        """Whether each channel from ``source`` to ``target`` may be the next on the route to ``home``; arrays are broadcast."""
        need = self.need[source, home]
        near = self.cost[target, home] + 1 == self.cost[source, home]
        return near & (self.kind[channel] == need) & (self.need[target, home] <= need)


def centre(wiring):
    """The switch with the smallest mean distance to the others; the first of several."""
    return int(wiring.distance.sum(axis=1).argmin())


def shortest(wiring):
    """All shortest paths."""
    kind = np.zeros(wiring.count + 1, np.int8)
    kind[-1] = -1
    return Choices(wiring.distance, kind, np.zeros(wiring.distance.shape, np.int8))


def updown(wiring, root):
    """Up*/down* routing (Schroeder et al., Autonet, 1991): no packet goes up after it went down, so dependencies have no cycle.

    A channel goes up if it leads nearer to the root, or at equal distance to a switch that is earlier in the order. Routes depend
    only on the destination: a switch with a path that goes only down takes the shortest such path. Any other switch sends the
    packet up, to a neighbour from which the remaining route is shortest. From each switch to which a packet has gone down, there
    is a path that goes only down. So the rule is kept although no switch knows the previous hop of a packet.
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
    """Lower the cost of ``switch`` to the lowest cost over its ``usable`` channels."""
    channels = wiring.out[switch]
    channels = channels[usable[channels]]
    if len(channels):
        cost[switch] = np.minimum(cost[switch], cost[wiring.target[channels]].min(axis=0) + 1)
