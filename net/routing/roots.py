"""The root of up*/down* routing: the switch that gives the busiest channel the lowest load, of a few that differ in structure."""

import numpy as np

from dsnswitch.net.routing.balance import Trees, spread_trees
from dsnswitch.net.routing.routes import centre, updown
from dsnswitch.net.routing.wiring import targets

__all__ = ["updown_trees"]

#: Number of roots that are tried.
MOST_ROOTS = 8


def updown_trees(wiring, root, balance, bar):
    """Trees of up*/down*, and the number of their root.

    Parameters
    ----------
    root : int or None
        Number of the root; None for the centre if routes are not balanced, else for the best of :data:`MOST_ROOTS` candidates.
    balance : str
        One of :data:`BALANCES`.
    bar : callable
        ``bar(items, label)`` returns an iterator over ``items``, which may show progress.
    """
    if root is None:
        root = centre(wiring) if balance == "none" else _best(wiring, bar)
    return spread_trees(wiring, updown(wiring, root), balance, bar), root


def _best(wiring, bar):
    def greatest(switch):
        trees = Trees(wiring, updown(wiring, switch), targets(wiring))
        return trees.load.max(), trees.cost.sum()

    return min(bar(_candidates(wiring), "roots"), key=greatest)


def _candidates(wiring):
    """Switches that differ in structure, from the centre to the rim.

    If only some switches have hosts, half of the candidates do: leaves and spines may have equal mean distances.
    """
    _, some = np.unique(wiring.colour, return_index=True)
    some = some[np.argsort(wiring.distance[some].sum(axis=1), kind="stable")]
    with_hosts = wiring.hosts[some] > 0
    kinds = [kind for kind in (some[with_hosts], some[~with_hosts]) if len(kind)]
    most = MOST_ROOTS // len(kinds)
    return [int(kind[at]) for kind in kinds for at in np.linspace(0, len(kind) - 1, min(len(kind), most)).astype(int)]
