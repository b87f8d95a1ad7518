"""Paths of a DSN around failed links, dimension after dimension or in the better order of both (D 4.2.4, 4.3.3, Fig. 4.10)."""

import random
from collections import deque
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.dsn.relation import next_shortcut
from dsnswitch.net.routing.wiring import hops

#: Most hops of a path around failed links, as a multiple of the bound of the paper.
MOST_HOPS = 4


@dataclass(frozen=True)
class Blocked:
    """Mean hops of the pairs that arrive, and shares of all pairs, at one share of failed links.

    ``first`` is routing that finishes dimension after dimension (XY), ``shorter`` the shorter of this path and the one in the
    other order of dimensions (XY-YX), ``minimal`` shortest paths. Local links and shortcuts fail alike.
    """

    rate: float
    first: float
    shorter: float
    minimal: float
    first_share: float
    shorter_share: float
    minimal_share: float


def blocked(dsn, rates, pairs=4000, seed=0, bar=unwatched):
    """A :class:`Blocked` for each of ``rates``, over ``pairs`` random pairs of different switches.

    A switch knows which links of its supernode have failed (D 4.2.4). A failed shortcut of level k is replaced by two of level
    k + 1, or, at the last level, by one of level k - 1 and a step back; a failed local link by the shortest way inside the
    supernode. A higher rate includes the failed links of a lower one.
    """
    chosen, links = random.Random(seed), list(dsn.links())
    chosen.shuffle(links)
    switches = [dsn.switch(number) for number in range(dsn.nodes)]
    ends = [tuple(chosen.sample(switches, 2)) for _ in range(pairs)]
    return [_at(dsn, rate, links[: round(rate * len(links))], links, ends) for rate in bar(list(rates), "failures")]


def _at(dsn, rate, failed, links, ends):
    walker = _Walker(dsn, failed)
    first = np.array([walker.hops(source, target, range(len(dsn.sizes))) for source, target in ends])
    other = np.array([walker.hops(source, target, reversed(range(len(dsn.sizes)))) for source, target in ends])
    shorter = np.where((other > 0) & ((first < 0) | (other < first)), other, first)
    alive = [(dsn.number(link.source), dsn.number(link.target)) for link in links[len(failed) :]]
    a, b = np.array(alive).T
    distance = hops(dsn.nodes, np.r_[a, b], np.r_[b, a])
    numbers = np.array([(dsn.number(source), dsn.number(target)) for source, target in ends])
    minimal = distance[tuple(numbers.T)]
    rows = (first, shorter, minimal)
    return Blocked(rate, *(float(one[one > 0].mean()) for one in rows), *(float((one > 0).mean()) for one in rows))


class _Walker:
    """Walks of packets in a DSN with failed links."""

    def __init__(self, dsn, failed):
        self._dsn = dsn
        self._dead = {(link.source, link.port) for link in failed} | {(link.target, link.target_port) for link in failed}
        self._ports = {(port.kind, port.direction): port.index for port in dsn.ports}
        self._most = MOST_HOPS * (3 * dsn.supernode.diameter + sum(levels + 1 for levels in dsn.levels))
        self._near = lru_cache(maxsize=None)(self._inside)

    def hops(self, source, target, order):
        """Hops of the path that takes the dimensions in this ``order``; -1 if it does not arrive."""
        at, total = source, 0
        for axis in order:
            while at[axis] != target[axis]:
                step = self._shortcut(at, axis, target)
                if step is None or total > self._most:
                    return -1
                at, total = step[0], total + step[1]
        near = self._near(at[:-1])[at[-1]].get(target[-1], -1)
        return -1 if near < 0 else total + near

    def _shortcut(self, at, axis, target):
        """``(switch after the next shortcut, hops)``, or None if every alternative has failed."""
        dsn = self._dsn
        distance = (target[axis] - at[axis]) % dsn.sizes[axis]
        step = next_shortcut(dsn, axis, distance, at[-1])
        backward = step.direction == "backward"
        left = dsn.sizes[axis] - distance if backward else distance
        # The level of the algorithm, then shorter shortcuts, then longer ones that step over the destination.
        fitting = [level for level in range(step.level, dsn.levels[axis] + 1) if dsn.length(axis, level) <= left]
        over = [(level, True) for level in range(dsn.levels[axis], 0, -1) if dsn.length(axis, level) > left]
        for level, beyond in [(level, False) for level in fitting] + over:
            there = self._take(at, axis, level, backward)
            if there is not None and not (beyond and self._returns(there[0], axis, target, backward) is None):
                return there
        return None

    def _returns(self, at, axis, target, backward):
        """The step back after a shortcut that was too long, or None."""
        left = (target[axis] - at[axis]) % self._dsn.sizes[axis]
        left = left if backward else self._dsn.sizes[axis] - left
        for level in range(1, self._dsn.levels[axis] + 1):
            if self._dsn.length(axis, level) <= left:
                return self._take(at, axis, level, not backward)
        return None

    def _take(self, at, axis, level, backward):
        """``(switch, hops)`` after this supernode's shortcut of a level; None if it, or the way to it, has failed."""
        dsn = self._dsn
        leaves = level % dsn.m if backward else level - 1
        port = self._ports[dsn.dimensions[axis], "backward" if backward else "forward"]
        node = (*at[:-1], leaves)
        near = self._near(at[:-1])[at[-1]].get(leaves, -1)
        if near < 0 or (node, port) in self._dead:
            return None
        end = dsn.neighbour(node, port)
        return None if end is None else (end[0], near + 1)

    def _inside(self, supernode):
        """``[{id: hops}]`` by id: the shortest ways over the local links of a supernode that work."""
        local = range(len(self._dsn.supernode.port_names))
        found = []
        for own in range(self._dsn.m):
            reached, waiting = {own: 0}, deque([own])
            while waiting:
                at = waiting.popleft()
                for port in local:
                    there = self._dsn.supernode.neighbour(at, port)
                    if there not in reached and ((*supernode, at), port) not in self._dead:
                        reached[there] = reached[at] + 1
                        waiting.append(there)
            found.append(reached)
        return found
