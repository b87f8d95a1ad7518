"""Alternatives of minimal routing: a second port on a shortest path, which a packet may take if the first one is busy."""

from functools import cached_property, lru_cache

import numpy as np

from dsnswitch.net.routing.minimal.decisions import MOST_STEPS, MOST_WORK, decisions
from dsnswitch.net.routing.minimal.rules import Rule, Search, greatest_part, passing

#: Literals and products that a switch may have more for each state in which it has a second port, if as many routes pass that
#: state as pass others on average.
GAIN = 4

#: Turns of a walk that does not exist.
NONE = np.iinfo(np.int8).max // 2


class Alternatives:
    """Rules of every id of a DSN for the second port.

    At first a switch offers every port on a shortest path. While some route turns more often than those of :class:`Decisions`,
    hops on such routes that are not theirs are withdrawn; first those after which more turns are needed than after another. So
    a switch need not know how often a packet has turned.

    A sum of products says where a switch offers a second port, and rules name it there. Most of the cost is that sum, so of its
    products only those are kept that serve many routes for their literals (:func:`greatest_part`).

    Attributes
    ----------
    several : tuple of tuple of (mask, value)
        By own id: the sum of products.
    rules : tuple of list of Rule
        By own id; as of :class:`Decisions`. They mean nothing where there is no second port.
    ports : ndarray of int8
        ``[own id, destination id, *distances]``: the second port; the first one if there is no other, -1 at the destination.
    """

    def __init__(self, first):
        self.dsn = dsn = first.dsn
        self._first = first
        self.distances = distances = first.distances
        self._shape = distances.hops.shape
        self._offered = {port.index: np.zeros(self._shape, bool) for port in dsn.ports}
        for own in range(dsn.m):
            for port, where in distances.candidates(own).items():
                self._offered[port][own] = where & (distances.hops[own] > 0)
        self._limit(first.turns.fewest)
        self._passing = passing(distances, first.ports)
        found = [self._search(own) for own in range(dsn.m)]
        self.several, self.rules, ports = (tuple(part) for part in zip(*found))
        self.ports = np.stack(ports)
        self._offered = {port: (self.ports == port) | (first.ports == port) for port in self._offered}

    def _search(self, own):
        """What :attr:`several`, :attr:`rules` and :attr:`ports` have of an id."""
        distances, first = self.distances, self._first.ports[own]
        others = {port: where[own] & (first != port) for port, where in self._offered.items()}
        there = np.any([*others.values()], axis=0)
        values = np.zeros(1 << distances.inputs)
        # Several states may have one input.
        np.maximum.at(values, distances.numbers, GAIN * self._passing[own])
        cubes, covered = greatest_part(distances.table(there), distances.free(own), values)
        taken = covered[distances.numbers] & there
        tables = {port: distances.table(where & taken) for port, where in others.items()}
        rules = [Rule(int(first.max()), ((0, 0),))]
        if taken.any():
            search = Search(tables, ~distances.table(taken), self._first.rising(own))
            search.run(min(MOST_STEPS, MOST_WORK >> distances.inputs))
            rules = search.best.rules
        return cubes, rules, np.where(taken, self._first.ports_of(own, rules), first)

    @cached_property
    def _hops_left(self):
        """Where a packet has 1, 2, .. hops to go."""
        hops = self.distances.hops
        return [hops == left for left in range(1, int(hops.max()) + 1)]

    def _turns_left(self, choose, none):
        """``[after a hop down, own id, destination id, *distances]``: turns from there on.

        ``choose`` (minimum or maximum) picks among the ports offered; ``none`` is neutral to it.
        """
        found = np.full((2, *self._shape), none, np.int8)
        found[:, self.distances.hops == 0] = 0
        for level in self._hops_left:
            for move in self.distances.moves:
                where = self._offered[move.port][move.own] & level[move.own]
                for down in (0, 1):
                    turns = self._after(move, down, found)
                    choose(found[down, move.own], turns, out=found[down, move.own], where=where)
        return found

    def _after(self, move, down, left):
        """Turns from a switch on if the packet takes ``move``, with ``left`` after it."""
        up = move.there > move.own
        return self.distances.after(move, left[int(not up)]) + np.int8(down and up)

    def _turns_before(self):
        """As :meth:`_turns_left`: most turns with which a packet gets there; negative if none does."""
        found = np.full((2, *self._shape), -NONE, np.int8)
        found[0][self.distances.starts & (self.distances.hops > 0)] = 0
        following, many = self.distances.following, len(self.dsn.ports)
        for level in reversed(self._hops_left):
            for move in self.distances.moves:
                where = self._offered[move.port][move.own] & level[move.own]
                up = int(move.there > move.own)
                turns = np.where(where, np.maximum(found[0, move.own], found[1, move.own] + np.int8(up)), np.int8(-NONE))
                # No two states of a switch lead to the same one by one port.
                there = following[move.own * many + move.port][where.ravel()]
                flat = found[1 - up].reshape(-1)
                flat[there] = np.maximum(flat[there], turns[where])
        return found

    def _limit(self, most_turns):
        """Withdraw hops until no route has more than ``most_turns``."""
        while True:
            most, least = self._turns_left(np.maximum, -NONE), self._turns_left(np.minimum, NONE)
            if most[0][self.distances.starts].max() <= most_turns:
                return
            before = self._turns_before()
            wrong = []
            for move in self.distances.moves:
                offered = self._offered[move.port][move.own] & (self._first.ports[move.own] != move.port)
                for down in (0, 1):
                    here = before[down, move.own]
                    too_many = offered & (here >= 0) & (here + self._after(move, down, most) > most_turns)
                    worse = too_many & (self._after(move, down, least) > least[down, move.own])
                    wrong.append((move, too_many, worse))
            any_worse = any(worse.any() for _, _, worse in wrong)
            for move, too_many, worse in wrong:
                self._offered[move.port][move.own] &= ~(worse if any_worse else too_many)

    @cached_property
    def classes(self) -> dict[str, int]:
        """One more than the most turns that a packet has taken on any port of a kind, whatever it chooses."""
        before, found = self._turns_before(), {port.kind: 1 for port in self.dsn.ports}
        for move in self.distances.moves:
            where, kind = self._offered[move.port][move.own], self.dsn.ports[move.port].kind
            for down in (0, 1):
                turns = before[down, move.own] + np.int8(down and move.there > move.own)
                found[kind] = max(found[kind], int(turns[where].max(initial=0)) + 1)
        return found


@lru_cache(maxsize=16)
def alternatives(dsn) -> Alternatives:
    """The :class:`Alternatives` of a network. Raises :class:`ValueError` as :func:`decisions`."""
    return Alternatives(decisions(dsn))
