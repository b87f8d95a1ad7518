"""What waits for what: channel dependencies of routes, and the check that nothing waits in a circle.

A channel is ``(layer, switch, switch)``. A packet that holds one and needs another makes the second a dependency of the first.
If the dependencies of all routes have no cycle, no set of packets waits for ever (Dally, Seitz, 1987).
"""

from itertools import pairwise

import networkx as nx
import numpy as np

from ..network.fabric import text

__all__ = ["channels", "circle", "cycle_of", "told"]

#: Channels of a cycle that a message lists.
LISTED = 4


def channels(switches, layer=0):
    """Channels of a path given by its switches."""
    return [(layer, a, b) for a, b in pairwise(switches)]


def circle(first, second):
    """A cycle of the dependencies of channel ``second[i]`` on channel ``first[i]``.

    Parameters
    ----------
    first, second : arrays of int
        Numbers of channels.

    Returns
    -------
    list of int or None
        The channels of a cycle, each waited for by the one before.
    """
    # What nothing waits for is on no cycle. Without it, something else may be waited for by nothing.
    while len(first):
        waited = np.isin(first, second)
        if waited.all():
            return [channel for channel, _ in nx.find_cycle(nx.DiGraph(list(zip(first.tolist(), second.tolist()))))]
        first, second = first[waited], second[waited]
    return None


def cycle_of(paths):
    """A cycle of the dependencies of ``paths`` (lists of channels), as a list of channels, or None."""
    numbers = {}
    pairs = {
        (numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers)))
        for path in paths
        for a, b in pairwise(path)
    }
    found = circle(*np.array(sorted(pairs), np.int64).reshape(-1, 2).T)
    names = list(numbers)
    return found and [names[number] for number in found]


def told(cycle):
    """A cycle in words; the middle of a long one is left out."""
    words = [f"{text(a)}>{text(b)}" + (f" (layer {layer})" if layer else "") for layer, a, b in cycle]
    if len(words) > LISTED:
        words[LISTED - 2 : -1] = [f"{len(words) - LISTED + 1} more"]
    return " waits for ".join([*words, words[0]])
