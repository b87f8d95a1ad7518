"""Ranks of switches: which hops lead up, which lead down; ranks to choose from.

:mod:`~dsnswitch.net.routing.turns` says what follows from them.
"""

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.wiring import Channels, Wiring
from dsnswitch.net.topology.addresses import by_name

#: Ranks that are tried.
MOST_RANKS = 16


class Ranks:
    """The direction of each channel of a :class:`Channels` by the ranks of its switches.

    Attributes
    ----------
    up : array (C + 1,)
        Whether each channel leads up; False for "no channel".
    top : int or None
        The switch from which no channel leads up, if there is one only.
    """

    def __init__(self, wiring: Channels, up: np.ndarray):
        self.wiring, self.up = wiring, up
        tops = np.flatnonzero(np.bincount(wiring.source[up], minlength=wiring.size) == 0)
        self.top = int(tops[0]) if len(tops) == 1 else None

    def directed(self) -> np.ndarray:
        """Which channels (C,) are of links with a direction: one of their two channels leads up.

        A file of tables around failed links says nothing of the direction of these links.
        """
        source, target = self.wiring.source[:-1], self.wiring.target[:-1]
        forth, up = source * self.wiring.size + target, self.up[:-1]
        return np.isin(forth, forth[up]) | np.isin(target * self.wiring.size + source, forth[up])

    def on(self, wiring: Wiring) -> "Ranks":
        """The same ranks in the same network with more failed links; a :class:`UsageError` if a link has no direction."""

        def ends(some):
            return zip(some.number[some.source[:-1]].tolist(), some.port[:-1].tolist())

        known = dict(zip(ends(self.wiring), self.up.tolist()))
        found = Ranks(wiring, np.array([*(known.get(end, False) for end in ends(wiring)), False]))
        unknown = np.flatnonzero(~found.directed())
        if len(unknown):
            one, other = (wiring.names[end[unknown[0]]] for end in (wiring.source, wiring.target))
            raise UsageError(
                f"The tables before do not say which end of link {one} to {other} has the higher rank: it had failed"
            )
        return found

    def before(self, key, channel) -> np.ndarray:
        """The key of a switch whose next hop is ``channel`` and leads to a switch with ``key``."""
        return np.where(self.up[channel], key // 2 * 2 + 1, (key + 1) // 2 * 2)


def ranked(wiring: Channels, rank) -> Ranks:
    """The :class:`Ranks` of one number per switch (S,), all different."""
    return Ranks(wiring, np.append(rank[wiring.target[:-1]] > rank[wiring.source[:-1]], False))


def from_root(wiring: Channels, root: int) -> Ranks:
    """Ranks that fall with the distance from a root."""
    return ranked(wiring, -_places(wiring.distance[root]))


def candidates(wiring: Channels) -> list[Ranks]:
    """Ranks to choose from: falling and rising with the distance from roots that differ in structure, and by name.

    Names are compared from their first part on, and from their last one: in a DSN, by the places of supernodes or by ids first.
    """
    _, roots = np.unique(wiring.colour, return_index=True)
    roots = roots[np.argsort(wiring.distance[roots].sum(axis=1), kind="stable")]
    bare = wiring.hosts[roots] == 0
    # If only some switches have hosts, half of the roots do: leaves and spines may have equal mean distances.
    kinds = [kind for kind in (roots[~bare], roots[bare]) if len(kind)]
    most = MOST_RANKS // 2 // len(kinds)
    some = [int(kind[at]) for kind in kinds for at in np.linspace(0, len(kind) - 1, min(len(kind), most)).astype(int)]
    rising = [_places(wiring.distance[root]) for root in some]
    keys = [by_name(name) for name in wiring.names]
    names = [np.argsort(sorted(range(wiring.size), key=by.__getitem__)) for by in (keys, [parts[::-1] for parts, _ in keys])]
    return [ranked(wiring, rank) for rank in (*(-rank for rank in rising), *rising, *names, *(-rank for rank in names))]


def _places(values):
    """The place of each value in their order, the first of equal ones first."""
    return np.argsort(np.argsort(values, kind="stable"))
