"""Model of routes that packets choose: adaptive routing, and digits chosen at the source (docs/minimal.md).

A packet may take every hop on a shortest path. With digits, its header has signs for each dimension: of length 1, and in larger
dimensions of length 2. A packet takes a shortcut of length 1 only while its distance in that dimension is odd, and only in the
direction of the sign. It takes a shortcut of length 2 only while the distance, after a shortcut of length 1 if it is odd, is no
multiple of 4. The model searches the graph of the network. The gateware sums products of digits and id, which are derived without
a graph.
"""

from collections import defaultdict
from functools import cache, reduce
from itertools import product

from dsnswitch.sim.golden.topology.dsn import level_count, links


class Choices:
    """Hops and signs that packets of a DSN that is routed in both directions may choose.

    Parameters
    ----------
    dsn : Dsn
        The network.
    turns : int
        The most turns of a route: a turn is a hop to a higher id after one to a lower id.
    signed : tuple of int
        For each dimension, how many lengths have signs.
    """

    def __init__(self, dsn, turns, signed=()):
        self.dsn, self.turns = dsn, turns
        self._signed = signed or (0,) * len(dsn.sizes)
        #: ``{switch: [(next switch, dimension and length of a shortcut or None, it is backward)]}``.
        self._ways = defaultdict(list)
        for link in links(dsn):
            shortcut = None
            if link.kind != "local":
                axis = "xy".index(link.kind)
                shortcut = axis, 1 << level_count(dsn.sizes[axis]) - link.level
            self._ways[link.source].append((link.target, shortcut, False))
            self._ways[link.target].append((link.source, shortcut, True))
        # All supernodes are alike: the destination is moved to supernode 0.
        self._left, self._turns = cache(self._lengths), cache(self._fewest_turns)

    def every_choice(self):
        """All choices: for each dimension, whether each signed length is backward, the shortest first."""
        return product(*(tuple(product((False, True), repeat=width)) for width in self._signed))

    def exits(self, here, target, signs=None):
        """The switches that may follow ``here`` on the way to ``target``; without ``signs``, those on any shortest path."""
        moved = self._exits(*self._moved(here, target), signs)
        return {(*((s + t) % n for s, t, n in zip(there, target, self.dsn.sizes)), there[-1]) for there in moved}

    def hops(self, source, target, signs=None):
        """Hops of a route."""
        source, target = self._moved(source, target)
        return self._left(target, signs)[source]

    def offered(self, source, target):
        """The choices of a source with which a route turns seldom enough; lengths that are not needed are forward."""
        source, target = self._moved(source, target)
        return {
            signs
            for signs in self.every_choice()
            if all(
                needed or not backward
                for axis, one in enumerate(signs)
                for needed, backward in zip(self.needs(-source[axis], one), one)
            )
            and self._turns(source, target, signs) <= self.turns
        }

    def header(self, here, target, signs):
        """What a packet's header says of the way from ``here``: for each dimension, from the lowest bit, the distance that longer
        lengths cover, in units of the shortest of them; a bit for each signed length that is needed; the signs of these.
        """
        fields = []
        for size, one, h, t in zip(self.dsn.sizes, signs, here, target):
            needs, left = list(self.needs(t - h, one)), t - h
            for length, (needed, backward) in enumerate(zip(needs, one)):
                left -= needed * (-1 if backward else 1) << length
            fields.append((left % size >> len(one), level_count(size) - len(one)))
            fields += [(bit, 1) for bit in needs] + [(needed and sign, 1) for needed, sign in zip(needs, one)]
        return reduce(lambda above, field: above << field[1] | field[0], reversed(fields), 0)

    @staticmethod
    def needs(distance, signs):
        """Whether each signed length is needed for a forward distance."""
        for place, backward in enumerate(signs):
            needed = distance % (2 << place) > 0
            yield needed
            if needed:
                distance += (1 if backward else -1) * (1 << place)

    def _moved(self, here, target):
        sizes = self.dsn.sizes
        return (*((s - t) % n for s, t, n in zip(here, target, sizes)), here[-1]), (*(0 for _ in sizes), target[-1])

    def _exits(self, here, target, signs):
        left = self._left(target, signs)
        return {there for there in self._allowed(here, target, signs) if left[there] == left[here] - 1}

    def _allowed(self, here, target, signs):
        for there, shortcut, backward in self._ways[here]:
            if shortcut is None or signs is None:
                yield there
                continue
            axis, length = shortcut
            needs = self.needs(target[axis] - here[axis], signs[axis])
            wanted = {1 << place: one for place, one in enumerate(zip(needs, signs[axis]))}
            if wanted.get(length, (True, backward)) == (True, backward):
                yield there

    def _lengths(self, target, signs):
        """Hops from every switch to ``target``, by a search backward from it."""
        left, reached = {target: 0}, [target]
        for there in reached:
            for here in {way[0] for way in self._ways[there]} - left.keys():
                if there in self._allowed(here, target, signs):
                    left[here] = left[there] + 1
                    reached.append(here)
        return left

    def _fewest_turns(self, source, target, signs):
        # ``{(switch, came down): turns so far}`` of all routes, hop by hop.
        found = {(source, False): 0}
        while not any(switch == target for switch, _ in found):
            after = {}
            for (here, down), turns in found.items():
                for there in self._exits(here, target, signs):
                    up = there[-1] > here[-1]
                    after[there, not up] = min(after.get((there, not up), turns + 1), turns + (down and up))
            found = after
        return min(found.values())
