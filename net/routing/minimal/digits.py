"""Digits chosen at the source: minimal routing in which the source of a packet chooses the sign of its shortcuts of length 1.

Every odd distance can be covered with a shortcut of length 1 of either sign, at the cost of at most one more shortcut: 1 = 2 - 1,
3 = 4 - 1. So half of the flows of a permutation with odd distances can use each of the two shortcuts of a supernode. The header
has one bit for each dimension, the sign. It means something while the distance is odd, because all other shortcuts have even
lengths. Each hop lies on a shortest path among those with these signs.
"""

from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from dsnswitch.net.routing.minimal.alternatives import Alternatives
from dsnswitch.net.routing.minimal.decisions import MOST_STEPS, MOST_WORK, Decisions, Distances, Turns, decisions
from dsnswitch.net.routing.minimal.rules import Search, cover, table_number


class DigitDistances(Distances):
    """Shortest paths of a DSN by distance and sign: the index of a dimension of size n is ``distance + n * sign``.

    ``sign`` is 1 for backward. The field of the input is what the shortcuts of even lengths have left to do, halved; then whether
    the distance is odd; then the sign.
    """

    def __init__(self, dsn):
        for size in dsn.sizes:
            if size & (size - 1):
                raise ValueError(f"Digits need sizes that are powers of two, not {size} ({dsn.spelling})")
        if dsn.directions != "both":
            raise ValueError(f"Digits need a DSN that is routed in both directions, not {dsn.spelling}")
        super().__init__(dsn)

    @cached_property
    def codes(self):
        return [np.array([code(size, *place) for place in _places(size)]) for size in self.dsn.sizes]

    @property
    def ends(self):
        return [[0, size][: _signs(size)] for size in self.dsn.sizes]

    @cached_property
    def widths(self):
        return (*(levels + bool(levels) for levels in self.dsn.levels), (self.dsn.m - 1).bit_length())

    def after(self, move, values):
        there = values[move.there]
        if move.axis is None:
            return there
        size = self.dsn.sizes[move.axis]
        moved = [(distance - move.step) % size + size * sign for distance, sign in _places(size)]
        allowed = [not move.unit or (distance & 1 and sign == (move.step < 0)) for distance, sign in _places(size)]
        shape = [-1 if axis == move.axis + 1 else 1 for axis in range(there.ndim)]
        found = there.take(moved, axis=move.axis + 1)
        return np.where(np.array(allowed, bool).reshape(shape), found, np.iinfo(values.dtype).max // 2)

    @cached_property
    def starts(self):
        """Where routes may begin: signs with which a route needs no more turns than minimal routing; forward if the distance is
        even."""
        least = Turns(self).least[0]
        plain = decisions(self.dsn).turns.fewest
        best = self.by_signs(least).min(axis=tuple(range(2, 2 + len(self.dsn.sizes))))
        forward = np.ones(self.shape, bool)
        for axis, size in enumerate(self.dsn.sizes):
            shape = [-1 if place == axis + 1 else 1 for place in range(forward.ndim)]
            forward &= np.array([distance & 1 or not sign for distance, sign in _places(size)], bool).reshape(shape)
        return (least <= max(plain, int(best.max()))) & forward

    def by_signs(self, values):
        """``[own id, destination id, *signs, *distances]`` of ``values[own id, destination id, *index]``."""
        axes = len(self.dsn.sizes)
        split = values.reshape(*values.shape[:2], *(part for size in self.dsn.sizes for part in (_signs(size), size)))
        return split.transpose(0, 1, *(2 + 2 * axis for axis in range(axes)), *(3 + 2 * axis for axis in range(axes)))


def _signs(size):
    """Signs of a dimension: one if it has no links."""
    return 1 if size == 1 else 2


def _places(size):
    """``(distance, sign)`` by index."""
    return [(distance, sign) for sign in range(_signs(size)) for distance in range(size)]


def code(size, distance, sign):
    """The field of the input: the even part of the distance, halved; bit: the distance is odd; bit: the sign."""
    if size == 1:
        return 0
    odd = distance & 1
    even = (distance + (odd and (1 if sign else -1))) % size >> 1
    return even | odd << (size.bit_length() - 2) | sign << (size.bit_length() - 1)


class Digits:
    """What switches and sources of a DSN do with digits.

    A choice of signs is a number in :attr:`signs`.

    Attributes
    ----------
    distances : DigitDistances
    decisions : Decisions
        The first hop on a shortest path with the signs of the header.
    alternatives : Alternatives
        A second one.
    signs : list of tuple
        Every choice of signs, one for each dimension: the last dimension changes fastest.
    offered : ndarray of bool
        ``[choice, own id, destination id, *distances]``: the source may choose it.
    preferred : ndarray of int8
        ``[own id, destination id, *distances]``: one of the choices with the fewest hops; -1 at the destination.
    """

    def __init__(self, dsn):
        self.dsn = dsn
        self.distances = DigitDistances(dsn)
        self.decisions = Decisions(dsn, self.distances)
        self.alternatives = Alternatives(self.decisions)
        self.signs = list(product(*(range(_signs(size)) for size in dsn.sizes)))
        self.offered, hops = (self._by_choice(values) for values in (self.distances.starts, self.distances.hops))
        hops = np.where(self.offered, hops, np.iinfo(hops.dtype).max)
        shortest = hops == hops.min(axis=0)
        #: Rules for :attr:`preferred`, by own id: as of :class:`Decisions`, with choices in place of ports.
        self.preference = [self._preference(own, shortest[:, own]) for own in range(dsn.m)]
        plain = decisions(dsn)
        self.preferred = np.stack([plain.ports_of(own, rules) for own, rules in enumerate(self.preference)])

    def _by_choice(self, values):
        found = self.distances.by_signs(values)
        return np.stack([found[(slice(None), slice(None), *signs)] for signs in self.signs])

    def _preference(self, own, shortest):
        plain = decisions(self.dsn).distances
        search = Search({number: plain.table(where) for number, where in enumerate(shortest)}, plain.free(own), set())
        search.run(min(MOST_STEPS, MOST_WORK >> plain.inputs))
        return search.best.rules

    def bits(self, number):
        """The bits of the header: the sign of each dimension that has links, x in the lowest bit."""
        linked = [sign for sign, size in zip(self.signs[number], self.dsn.sizes) if size > 1]
        return sum(sign << place for place, sign in enumerate(linked))

    def state(self, distances, number):
        """The index of forward distances and a choice of signs."""
        return tuple(d + size * sign for d, size, sign in zip(distances, self.dsn.sizes, self.signs[number]))

    def chosen(self, own, target, distances, used, turn):
        """The choice of a source: that whose first hop takes the port with the fewest flits on their way.

        If the port of the preferred choice has none, that is taken. If several are equal, the one whose number comes first after
        flipping the bits of ``turn``. ``used`` is the number of flits by port, in longest packets, rounded down.
        """
        place = (own, target, *distances)
        costs = {}
        for number in range(len(self.signs)):
            if self.offered[(number, *place)]:
                port = self.decisions.ports[(own, target, *self.state(distances, number))]
                costs[number] = used[port], used[port] > 0 or number != self.preferred[place]
        return min(costs, key=lambda number: (costs[number], number ^ turn))

    @cached_property
    def offers(self):
        """``[own id][choice]``: sum of products for :attr:`offered`, over the input of minimal routing's rules."""
        plain = decisions(self.dsn).distances

        def cubes(own, table):
            free = plain.free(own)
            return cover(table_number(table & ~free), table_number(table | free), plain.inputs)[0]

        return [[cubes(own, plain.table(offered[own])) for offered in self.offered] for own in range(self.dsn.m)]


@lru_cache(maxsize=16)
def digits(dsn):
    """The :class:`Digits` of a network. Raises :class:`ValueError` as :func:`decisions`, or for sizes without digits."""
    return Digits(dsn)
