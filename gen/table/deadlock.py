"""What waits for what: channel dependencies of routes, the check that nothing waits in a circle, and layers without one.

A channel is ``(layer, switch, switch)``. A packet that holds one and needs another makes the second a dependency of the first.
If the dependencies of all routes have no cycle, no set of packets waits for ever (Dally, Seitz, 1987).
"""

from itertools import pairwise

import networkx as nx

from ..errors import UsageError
from .fabric import text

__all__ = ["channels", "cycle_of", "layered", "told"]


def channels(switches, layer=0):
    """Channels of a path given by its switches."""
    return [(layer, a, b) for a, b in pairwise(switches)]


def cycle_of(paths):
    """A cycle of the dependencies of ``paths`` (lists of channels), as a list of channels, or None."""
    graph = nx.DiGraph()
    for path in paths:
        graph.add_edges_from(pairwise(path))
    if nx.is_directed_acyclic_graph(graph):
        return None
    return [channel for channel, _ in nx.find_cycle(graph)]


def told(cycle):
    """A cycle in words."""
    words = [f"{text(a)}>{text(b)}" + (f" (layer {layer})" if layer else "") for layer, a, b in [*cycle, cycle[0]]]
    return " waits for ".join(words)


class _Layer:
    """Dependencies that are kept free of cycles as paths come."""

    def __init__(self):
        self._after, self._never = {}, set()

    def add(self, path):
        """Add a path's dependencies, or none of them if they would close a circle. Returns whether they were added."""
        added = []
        for a, b in pairwise(path):
            if b in self._after.get(a, ()):
                continue
            if (a, b) in self._never or self._way(b, a):
                if not added:
                    # Dependencies only become more: what closes a circle now always will.
                    self._never.add((a, b))
                for start, end in added:
                    self._after[start].remove(end)
                return False
            self._after.setdefault(a, set()).add(b)
            added.append((a, b))
        return True

    def circle(self, path):
        """The cycle that a path which cannot be added would close."""
        for a, b in pairwise(path):
            if way := self._way(b, a):
                return way
            self._after.setdefault(a, set()).add(b)
        raise AssertionError("this path can be added")

    def _way(self, start, end):
        """Channels from ``start`` to ``end`` along dependencies, or None."""
        before, stack = {start: None}, [start]
        while stack:
            here = stack.pop()
            if here == end:
                way = [here]
                while before[way[-1]] is not None:
                    way.append(before[way[-1]])
                return way[::-1]
            for after in self._after.get(here, ()):
                if after not in before:
                    before[after] = here
                    stack.append(after)
        return None


def layered(name, paths, layers):
    """Layer of each of ``paths`` (lists of switches), so that no layer has a cycle: the lowest that has room, in their order.

    Raises
    ------
    UsageError
        If ``layers`` are not enough; the message has the cycle that the first path without a place would close on the last.
    """
    kept = [_Layer() for _ in range(layers)]
    found = []
    for path in paths:
        fits = (layer for layer, held in enumerate(kept) if held.add(channels(path)))
        layer = next(fits, None)
        if layer is None:
            cycle = kept[-1].circle(channels(path))
            raise UsageError(
                f"{name}: shortest paths do not fit {layers} virtual channel{'s' if layers > 1 else ''}; "
                f"from {text(path[0])} to {text(path[-1])} {told(cycle)}"
            )
        found.append(layer)
    return found
