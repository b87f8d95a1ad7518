"""Model of routes that packets choose: adaptive routing, and digits chosen at the source (docs/minimal.md).

A packet may take every hop on a shortest path. With digits, its header has a sign for each dimension: it takes a shortcut of
length 1 only while its distance in that dimension is odd, and only in the direction of the sign. The model searches the graph of
the network. The gateware sums products of distance, sign and id, which are derived from distances without a graph.
"""

from collections import defaultdict
from functools import cache
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
    """

    def __init__(self, dsn, turns):
        self.dsn, self.turns = dsn, turns
        #: ``{switch: [(next switch, dimension of a shortcut of length 1 or None, it is backward)]}``.
        self._ways = defaultdict(list)
        for link in links(dsn):
            axis = None
            if link.kind != "local" and link.level == level_count(dsn.sizes["xy".index(link.kind)]):
                axis = "xy".index(link.kind)
            self._ways[link.source].append((link.target, axis, False))
            self._ways[link.target].append((link.source, axis, True))
        # All supernodes are alike: the destination is moved to supernode 0.
        self._left, self._turns = cache(self._lengths), cache(self._fewest_turns)

    def every_sign(self):
        """All choices of signs, True for backward; dimensions of one supernode have none."""
        return product(*((False, True) if size > 1 else (False,) for size in self.dsn.sizes))

    def exits(self, here, target, signs=None):
        """The switches that may follow ``here`` on the way to ``target``; without ``signs``, those on any shortest path."""
        moved = self._exits(*self._moved(here, target), signs)
        return {(*((s + t) % n for s, t, n in zip(there, target, self.dsn.sizes)), there[-1]) for there in moved}

    def hops(self, source, target, signs=None):
        """Hops of a route."""
        source, target = self._moved(source, target)
        return self._left(target, signs)[source]

    def offered(self, source, target):
        """The choices of signs of a source: a route turns seldom enough; forward where the distance is even."""
        source, target = self._moved(source, target)
        return {
            signs
            for signs in self.every_sign()
            if not any(sign and not at % 2 for sign, at in zip(signs, source))
            and self._turns(source, target, signs) <= self.turns
        }

    def _moved(self, here, target):
        sizes = self.dsn.sizes
        return (*((s - t) % n for s, t, n in zip(here, target, sizes)), here[-1]), (*(0 for _ in sizes), target[-1])

    def _exits(self, here, target, signs):
        left = self._left(target, signs)
        return {there for there in self._allowed(here, target, signs) if left[there] == left[here] - 1}

    def _allowed(self, here, target, signs):
        for there, axis, backward in self._ways[here]:
            odd = axis is not None and (target[axis] - here[axis]) % 2
            if axis is None or signs is None or (odd and signs[axis] == backward):
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
