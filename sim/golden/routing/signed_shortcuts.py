"""Best orders of signed shortcuts, by brute force: the fewest hops of a packet, independent of the rules of a switch.

The supernode of a packet does not matter: a level-k shortcut leads from id k - 1 to id k mod m forward, and back backward. A
distance is a sum of shortcuts, with one signed digit per level. Every digit is a hop between two ids. This model writes both
distances in every way, takes the hops in every order, and joins them by local routes.
"""

from functools import cache
from itertools import product

import networkx as nx

from dsnswitch.sim.golden.topology.dsn import level_count, local_graph

__all__ = ["SignedShortcuts"]


class SignedShortcuts:
    """Fewest hops of a packet of a DSN that is routed in both directions.

    Parameters
    ----------
    dsn : Dsn
        The network.
    digit : int
        Most shortcuts of one level and direction that a packet takes in each dimension.
    """

    def __init__(self, dsn, digit=1):
        self.dsn = dsn
        self._local = dict(nx.all_pairs_shortest_path_length(local_graph(dsn.supernode)))
        self._sums = [_sums(n, digit) for n in dsn.sizes]
        self._choices = cache(self._every_choice)
        self._orders = cache(self._best_order)

    def hops(self, source, target):
        """Hops from node ``source`` to node ``target``."""
        distances = tuple((t - s) % n for s, t, n in zip(source, target, self.dsn.sizes))
        best = None
        for ids in self._choices(distances):
            if best is not None and len(ids) >= best:  # the following choices have as many hops, or more
                break
            found = self._orders(source[-1], ids, target[-1])
            best = found if best is None else min(best, found)
        return best

    def _every_choice(self, distances):
        """The hops of every choice of digits for both distances; choices with fewer hops come first."""
        choices = product(*(sums[distance] for sums, distance in zip(self._sums, distances)))
        return sorted({self._ids(digits) for digits in choices}, key=len)

    def _ids(self, digits):
        """The hops ``(id, id)`` of a choice of digits, sorted: the order of the digits is open."""
        m, found = self.dsn.m, []
        for levels in digits:
            for k, digit in enumerate(levels, start=1):
                ends = (k - 1, k % m) if digit > 0 else (k % m, k - 1)
                found += [ends] * abs(digit)
        return tuple(sorted(found))

    def _best_order(self, here, left, target):
        """Hops from id ``here`` over every hop in ``left`` to id ``target``, local routes between them."""
        if not left:
            return self._local[here][target]
        return min(
            self._local[here][start] + 1 + self._orders(end, left[:index] + left[index + 1 :], target)
            for index, (start, end) in enumerate(left)
            if index == 0 or left[index - 1] != left[index]
        )


def _sums(n, digit):
    """``sums[distance]``: every tuple of digits, one per level, whose shortcuts add up to ``distance`` modulo n.

    Tuples with fewer hops come first.
    """
    p = level_count(n)
    found = [[] for _ in range(n)]
    for digits in product(range(-digit, digit + 1), repeat=p):
        found[sum(value * 2 ** (p - k) for k, value in enumerate(digits, start=1)) % n].append(digits)
    return [sorted(sums, key=lambda digits: sum(map(abs, digits))) for sums in found]
