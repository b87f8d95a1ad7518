"""Digits chosen at the source: minimal routing in which the source of a packet chooses the signs of its shortest shortcuts.

Every odd distance can be covered with a shortcut of length 1 of either sign, at the cost of at most one more shortcut: 1 = 2 - 1,
3 = 4 - 1. So half of the flows of a permutation with odd distances can use each of the two shortcuts of length 1 of a supernode.
The rest of the distance is even. If it is no multiple of 4, a shortcut of length 2 of either sign covers it in the same way:
2 = 4 - 2. Lengths with such a choice are *signed lengths*. The source chooses a sign for each, which counts while its shortcut is
needed. Longer shortcuts do not change that, because their lengths are multiples of twice the signed length. Each hop lies on a
shortest path among those with these signs.
"""

from functools import cached_property, lru_cache
from itertools import accumulate, product
from typing import Any

import numpy as np

from dsnswitch.net.routing.minimal.alternatives import Alternatives
from dsnswitch.net.routing.minimal.decisions import MOST_INPUTS, MOST_STEPS, MOST_WORK, Decisions, Distances, Turns, decisions
from dsnswitch.net.routing.minimal.rules import Search, cover, table_number


def sign_widths(dsn):
    """Signed lengths of each dimension: 1, and 2 if it has longer ones, as long as rules have at most :data:`MOST_INPUTS` inputs.

    Without a longer one, a shortcut of length 2 has one sign, as half way around a ring is the same both ways.
    """
    found = tuple(min(2, max(1, levels - 1)) if levels else 0 for levels in dsn.levels)
    inputs = sum(dsn.levels) + sum(found) + (dsn.m - 1).bit_length()
    return found if inputs <= MOST_INPUTS else tuple(min(1, width) for width in found)


def digits_of(size, distance, sign, width):
    """``(rest, needs, signs)`` of a forward distance.

    Shortcuts without signs cover the ``rest``, in units of the shortest of them. Bit k of ``needs`` is 1 if length 2^k is needed,
    and that of ``signs`` if it is needed and is backward.
    """
    needs = signs = 0
    for place in range(width):
        if distance >> place & 1:
            needs |= 1 << place
            signs |= sign & 1 << place
            distance = _after(size, distance, place, sign >> place & 1)
    return distance >> width, needs, signs


def _after(size, distance, place, backward):
    """The distance after a shortcut of length ``2**place``."""
    return (distance + (1 << place if backward else -1 << place)) % size


def option_sign(size, distance, option, other, width):
    """The sign of a source's ``option``, 0 or 1: that of the shortest length that is needed.

    A longer length has the sign after which the next one is not needed; with ``other``, the opposite sign.
    """
    sign, is_first = 0, True
    for place in range(width):
        if distance >> place & 1:
            backward = option if is_first else distance >> place + 1 & 1 ^ other
            sign |= backward << place
            distance = _after(size, distance, place, backward)
            is_first = False
    return sign


class DigitDistances(Distances):
    """Shortest paths of a DSN by digits in place of distances. The index of a dimension is a row of :attr:`places`, which are
    tuples of :func:`digits_of`. The field of the input has ``rest`` in its lowest bits, then ``needs``, then the signs.
    """

    def __init__(self, dsn):
        for size in dsn.sizes:
            if size & (size - 1):
                raise ValueError(f"Digits need sizes that are powers of two, not {size} ({dsn.spelling})")
        if dsn.directions != "both":
            raise ValueError(f"Digits need a DSN that is routed in both directions, not {dsn.spelling}")
        self.sign_widths = sign_widths(dsn)
        #: For each dimension, the state of ``[distance, sign]``.
        self.states, self.places = zip(*map(_states, dsn.sizes, self.sign_widths))
        super().__init__(dsn)

    @cached_property
    def codes(self) -> Any:
        return [
            np.array([rest | (needs | signs << width) << levels - width for rest, needs, signs in places])
            for places, levels, width in zip(self.places, self.dsn.levels, self.sign_widths)
        ]

    @cached_property
    def widths(self) -> Any:
        sums = (levels + width for levels, width in zip(self.dsn.levels, self.sign_widths))
        return (*sums, (self.dsn.m - 1).bit_length())

    def after(self, move, values):
        there = values[move.there]
        if move.axis is None:
            return there
        width, places = self.sign_widths[move.axis], self.places[move.axis]
        number = {place: index for index, place in enumerate(places)}
        length = abs(move.step)
        if length >> width:
            rests = self.dsn.sizes[move.axis] >> width
            left = [((rest - (move.step >> width)) % rests, *signed) for rest, *signed in places]
        else:
            sign = length * (move.step < 0)
            left = [(r, n - length, s - sign) if n & length and s & length == sign else None for r, n, s in places]
        allowed = _along(move.axis + 1, [one is not None for one in left], there.ndim)
        found = there.take([number.get(one, 0) for one in left], axis=move.axis + 1)
        return np.where(allowed, found, np.iinfo(values.dtype).max // 2)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where routes may begin: signs with which a route needs no more turns than minimal routing."""
        least, axes = Turns(self).least[0], range(len(self.dsn.sizes))
        signs = [_along(0, [one[axis] for one in every_sign(self.sign_widths)], 1 + len(axes)) for axis in axes]
        best = self.by_distance(least, signs).min(axis=2)
        return least <= max(decisions(self.dsn).turns.fewest, int(best.max()))

    def state(self, distances, signs):
        """The index of forward distances with a sign for each dimension."""
        return tuple(int(states[place]) for states, place in zip(self.states, zip(distances, signs)))

    def by_distance(self, values, signs) -> np.ndarray:
        """``[own id, destination id, .., *distances]`` of ``values[own id, destination id, *index]``. ``signs`` is an array for
        each dimension that broadcasts to ``[.., *distances]``."""
        grid = np.indices(self.dsn.sizes, sparse=True)
        index = np.broadcast_arrays(*(states[place] for states, place in zip(self.states, zip(grid, signs))))
        return values[(slice(None), slice(None), *index)]


def _states(size, width):
    """``(array [distance, sign] of indices, every (rest, needs, signs) by index)``."""
    found = [[digits_of(size, distance, sign, width) for sign in range(1 << width)] for distance in range(size)]
    places = sorted({place for row in found for place in row})
    return np.array([[places.index(place) for place in row] for row in found]), places


def every_sign(widths):
    """Signs of all dimensions for every choice."""
    return [signs[::-1] for signs in product(*(range(1 << width) for width in reversed(widths)))]


class Digits:
    """What switches and sources of a DSN do with digits.

    A *choice* is a number whose bits are the signs, those of x the lowest; the header has the digits that follow. A source
    has *options*, numbers with a bit for each dimension that has links (:func:`option_sign`); each stands for a choice and for
    those in which longer lengths have the other sign.

    Attributes
    ----------
    distances : DigitDistances
    decisions : Decisions
        The first hop on a shortest path with the signs of the header.
    alternatives : Alternatives
        A second one.
    signs : list of tuple
        By choice: the sign of each dimension.
    options : int
        Number of options.
    offered : ndarray of bool
        ``[option, own id, destination id, *distances]``: the source may choose it. No route of its choices turns too often.
    preferred : ndarray of int8
        ``[own id, destination id, *distances]``: one of the options with the fewest hops; -1 at the destination.
    choices : ndarray of int
        ``[option, others, *distances]``: the choice of an option; the bits of ``others`` say in which dimensions longer lengths
        have the other sign.
    """

    def __init__(self, dsn):
        self.dsn = dsn
        self.distances = DigitDistances(dsn)
        self.decisions = Decisions(dsn, self.distances)
        self.alternatives = Alternatives(self.decisions)
        self.signs = every_sign(self.distances.sign_widths)
        self.options = 1 << sum(size > 1 for size in dsn.sizes)
        signs = self._option_signs()
        shifts = accumulate(self.distances.sign_widths, initial=0)
        self.choices = sum(sign << shift for sign, shift in zip(signs, shifts))
        right, hops = (
            np.moveaxis(self.distances.by_distance(values, signs), (2, 3), (0, 1))
            for values in (self.distances.starts, self.distances.hops)
        )
        # In a dimension that needs no signed length, two options are one choice: the lower one counts.
        first = self.choices[:, 0]
        is_new = np.array([(first[:option] != first[option]).all(axis=0) for option in range(self.options)])
        right = right & is_new[:, None, None, None]
        hops = np.where(right, hops, np.iinfo(hops.dtype).max)[:, 0]
        #: Rules for :attr:`preferred`, by own id: as of :class:`Decisions`, with options in place of ports.
        self.preference = [self._preference(own, (hops == hops.min(axis=0))[:, own]) for own in range(dsn.m)]
        plain = decisions(dsn)
        self.preferred = np.stack([plain.ports_of(own, rules) for own, rules in enumerate(self.preference)])
        self.offered = right.all(axis=1) | [self.preferred == option for option in range(self.options)]

    def _option_signs(self):
        """For each dimension the sign of ``[option, others, *distances]``."""
        option, others, *grid = np.indices((self.options, self.options, *self.dsn.sizes))
        place, found = 0, []
        for size, width, distances in zip(self.dsn.sizes, self.distances.sign_widths, grid):
            table = np.array(
                [[[option_sign(size, d, one, other, width) for d in range(size)] for other in (0, 1)] for one in (0, 1)]
            )
            found.append(table[option >> place & 1, others >> place & 1, distances])
            place += size > 1
        return found

    def _preference(self, own, shortest):
        plain = decisions(self.dsn).distances
        search = Search({number: plain.table(where) for number, where in enumerate(shortest)}, plain.free(own), set())
        search.run(min(MOST_STEPS, MOST_WORK >> plain.inputs))
        return search.best.rules

    def state(self, distances, choice):
        """The index of forward distances and a choice."""
        return self.distances.state(distances, self.signs[choice])

    def written(self, own, target, distances):
        """Every choice that a source may write, the preferred one first."""
        place = (own, target, *distances)
        first = int(self.preferred[place])
        found = [self.choices[(first, 0, *distances)]]
        for option in range(self.options):
            if option != first and self.offered[(option, *place)]:
                found += [self.choices[(option, others, *distances)] for others in range(self.options)]
        return tuple(dict.fromkeys(map(int, found)))

    def chosen(self, own, target, distances, used, turn):
        """The choice of a source: that of the option whose first hop takes the port with the fewest flits on their way.

        Of an option that is not preferred, the upper bits of ``turn`` say which longer lengths have the other sign. If the port
        of the preferred option has no flits on their way, that is taken. If several are equal, the one whose number comes first
        after flipping the lower bits of ``turn``. ``used`` is the number of flits by port, in halves of a longest packet, rounded
        down.
        """
        place, found = (own, target, *distances), {}
        for option in range(self.options):
            if self.offered[(option, *place)]:
                is_first = option == self.preferred[place]
                choice = int(self.choices[(option, 0 if is_first else turn // self.options, *distances)])
                load = used[self.decisions.ports[(own, target, *self.state(distances, choice))]]
                found[load, load > 0 or not is_first, option ^ turn % self.options] = choice
        return found[min(found)]

    @cached_property
    def offers(self) -> list:
        """``[own id][option]``: sum of products for :attr:`offered`, over the input of minimal routing's rules."""
        plain = decisions(self.dsn).distances

        def cubes(own, table):
            free = plain.free(own)
            return cover(table_number(table & ~free), table_number(table | free), plain.inputs)[0]

        return [[cubes(own, plain.table(offered[own])) for offered in self.offered] for own in range(self.dsn.m)]


def _along(axis, values, axes):
    """An array of one dimension as one of ``axes``."""
    return np.reshape(values, [-1 if place == axis else 1 for place in range(axes)])


@lru_cache(maxsize=16)
def digits(dsn):
    """The :class:`Digits` of a network. Raises :class:`ValueError` as :func:`decisions`, or for sizes without digits."""
    return Digits(dsn)
