"""Channel dependencies of routes, and the search for a cycle of them.

A channel is ``(layer, switch, switch)``. If a packet holds one channel and needs another, the second is a dependency of the
first. If the dependencies of all routes have no cycle, no set of packets waits forever (Dally, Seitz, 1987).
"""

from itertools import pairwise

import networkx as nx
import numpy as np

from dsnswitch.net.tables.switch_graph import text

__all__ = ["channels", "find_cycle", "cycle_of", "describe_cycle"]

#: Number of channels of a cycle that a message lists.
LISTED = 4


def channels(switches, layer=0):
    """Channels of a path that is given by its switches."""
    return [(layer, a, b) for a, b in pairwise(switches)]


def find_cycle(first, second):
    """Find a cycle of channel dependencies: ``second[i]`` depends on ``first[i]``.

    Parameters
    ----------
    first, second : arrays of int
        Numbers of channels.

    Returns
    -------
    list of int or None
        The channels of a cycle: packets that hold one channel wait for the next. None if there is no cycle.
    """
    # A channel that no other channel waits for is on no cycle, so its dependencies are removed. That may leave other channels
    # that no channel waits for, so the step is repeated.
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
    found = find_cycle(*np.array(sorted(pairs), np.int64).reshape(-1, 2).T)
    names = list(numbers)
    return found and [names[number] for number in found]


def describe_cycle(cycle):
    """Text of a cycle for a message; channels in the middle of a long cycle are omitted."""
    words = [f"{text(a)}>{text(b)}" + (f" (layer {layer})" if layer else "") for layer, a, b in cycle]
    if len(words) > LISTED:
        words[LISTED - 2 : -1] = [f"{len(words) - LISTED + 1} more"]
    return " waits for ".join([*words, words[0]])
