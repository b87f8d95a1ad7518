"""The port that each switch of a network takes: rules of every id, found once per network."""

from functools import lru_cache

import numpy as np

from dsnswitch.net.routing.minimal.balance import balanced, mirrored
from dsnswitch.net.routing.minimal.distances import Distances
from dsnswitch.net.routing.minimal.rules import Search
from dsnswitch.net.routing.minimal.turns import Turns

__all__ = ["MOST_INPUTS", "Decisions", "decisions"]

#: Most bits of distances and destination id from which rules are found; the time grows with their power of two.
MOST_INPUTS = 13

#: Steps of the search for short rules, and the product of steps and inputs' combinations, at most: seconds for each network.
MOST_STEPS, MOST_WORK = 300, 1 << 17

#: Steps for an id whose rules must change because a route turns too often.
MORE_STEPS = 4

#: Steps for each id at the end, for more rules to choose from.
LAST_STEPS = 16


class Decisions:
    """Rules of every id of a DSN.

    The input of a rule is a number: forward distance in x, then in y, then the destination's id, from the least significant bit.

    Attributes
    ----------
    distances : Distances
        Shortest paths.
    turns : Turns
        Their turns.
    widths : tuple of int
        Bits of each field of the input.
    rules : tuple of list of Rule
        By own id.
    ports : ndarray of int8
        ``[own id, destination id, *distances]``: the port that the rules name; -1 at the destination.
    """

    def __init__(self, dsn):
        self.dsn = dsn
        self.widths = (*dsn.levels, (dsn.m - 1).bit_length())
        self.distances = Distances(dsn)
        self.turns = Turns(self.distances)
        self.rules = tuple(search.best.rules for search in self._searched())
        self.ports = np.stack([self._ports(own, rules) for own, rules in enumerate(self.rules)])

    @property
    def inputs(self):
        """Bits of the input."""
        return sum(self.widths)

    def number(self, distances, target):
        """The input for forward distances and a destination id."""
        found = shift = 0
        for value, width in zip((*distances, target), self.widths):
            found |= value << shift
            shift += width
        return found

    def _numbers(self):
        """Inputs of all states, in the shape of :attr:`Distances.shape`."""
        found = np.zeros(self.distances.shape, np.int64)
        shift = 0
        for axis, width in zip((*range(1, len(self.widths)), 0), self.widths):
            shape = [1] * len(self.widths)
            shape[axis] = -1
            found += np.arange(self.distances.shape[axis]).reshape(shape) << shift
            shift += width
        return found

    def _table(self, states):
        found = np.zeros(1 << self.inputs, bool)
        found[self._numbers()] = states
        return found

    def _searched(self):
        """A finished search for each id: short rules that spread the load, with no more turns than necessary."""
        searches = [self._search(own) for own in range(self.dsn.m)]
        for search in searches:
            search.run(min(MOST_STEPS, MOST_WORK >> self.inputs))
        self._balance(searches, [self._with_mirrors(search.pool) for search in searches])
        self._repair(searches)
        repaired = [search.best for search in searches]
        for search in searches:
            search.run(LAST_STEPS)
        pools = [[first, *search.pool] for first, search in zip(repaired, searches)]
        self._balance(searches, pools, lambda ports: self.turns.most(ports) <= self.turns.fewest)
        return searches

    def _balance(self, searches, pools, allowed=lambda ports: True):
        for search, found in zip(searches, balanced(self.distances, pools, self._ports, allowed)):
            search.go_on_from(found)

    def _repair(self, searches):
        """Change the rules until no route turns more often than it must."""
        bad = True
        while bad:
            ports = np.stack([self._ports(own, search.best.rules) for own, search in enumerate(searches)])
            bad = self.turns.bad_choices(ports)
            for (own, port), where in bad.items():
                searches[own].forbid(port, self._table(where))
            for own in {own for own, _ in bad}:
                searches[own].run(MORE_STEPS)

    def _search(self, own):
        tables = {port: self._table(where) for port, where in self.distances.candidates(own).items()}
        free = ~self._table(np.ones(self.distances.shape, bool))
        free[self.number([0] * len(self.dsn.sizes), own)] = True
        return Search(tables, free, self.rising(own))

    def rising(self, own):
        """Ports of id ``own`` that lead to a higher id."""
        return {move.port for move in self.distances.moves if move.own == own < move.there}

    def _with_mirrors(self, pool):
        if len(set(self.dsn.sizes)) == len(self.dsn.sizes):
            return pool
        return pool + [mirrored(self.dsn, found) for found in pool]

    def _ports(self, own, rules):
        """The ports that rules choose at id ``own``, in the shape of :attr:`Distances.shape`."""
        inputs = np.arange(1 << self.inputs)
        found = np.full(inputs.size, -1, np.int8)
        for rule in reversed(rules):
            for mask, value in rule.cubes:
                found[inputs & mask == value] = rule.port
        found[self.number([0] * len(self.dsn.sizes), own)] = -1
        return found[self._numbers()]


@lru_cache(maxsize=16)
def decisions(dsn):
    """The :class:`Decisions` of a network.

    Raises
    ------
    ValueError
        If the network is too large, or its supernodes have one switch.
    """
    inputs = sum(dsn.levels) + (dsn.m - 1).bit_length()
    if dsn.m < 2:
        raise ValueError(f"Near-minimal routing needs supernodes of at least 2 nodes, not {dsn.supernode.name}")
    if inputs > MOST_INPUTS:
        raise ValueError(
            f"Near-minimal routing takes at most {MOST_INPUTS} bits of distances and destination id, "
            f"not {inputs} ({dsn.spelling})"
        )
    return Decisions(dsn)
