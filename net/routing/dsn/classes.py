"""Virtual channel classes of the local links of a DSN.

A shortcut needs one class, because within a phase the levels of a packet's shortcuts rise (forward) or fall (backward).
Local links serve several purposes, and packets with different purposes must not wait for each other in a cycle. A
:class:`Purpose` says why a packet takes a local link; purposes that close no cycle together share a class.
"""

from collections import namedtuple
from functools import cache

from dsnswitch.net.routing.dependencies import cycle

#: Why a packet takes a local link. ``phase``: 0 on the way to an x-shortcut, 1 to a y-shortcut, and the number of
#: dimensions on the final route to the destination's id. ``between``: it has taken a shortcut in this phase. ``wraps``: on
#: a ring supernode, the rest of its route passes from the last id to the first or back. ``backward``: it takes the next
#: shortcut backward.
Purpose = namedtuple("Purpose", "phase between wraps backward")

#: Fields of a purpose on which a class may depend, the cheapest in hardware first.
GRANULARITIES = (
    ("phase", "between"),
    ("phase", "between", "wraps"),
    ("phase", "between", "backward"),
    ("phase", "between", "wraps", "backward"),
)

#: Checks for cycles after which the search for the fewest classes stops with the best assignment so far.
MOST_CHECKS = 2_000


def merged(purpose, granularity):
    """``purpose`` with the fields that ``granularity`` does not distinguish set to False."""
    return Purpose(*(value if name in granularity else False for name, value in purpose._asdict().items()))


def fewest_classes(graph, granularity):
    """Assign classes to the purposes in a dependency graph whose local labels end in a :class:`Purpose`.

    The result is ``{merged purpose: class}`` with the fewest classes that the search reached, or None if separate classes leave a
    cycle.
    """
    purposes = sorted({merged(label[-1], granularity) for label in graph if isinstance(label[-1], Purpose)})

    free = cache(_Merging(graph, granularity, purposes).free)
    if not free(()):
        return None
    budget = iter(range(MOST_CHECKS))

    def search(groups, most):
        """At most ``most`` groups of all purposes that extend ``groups``; None if there are none or the budget is used up."""
        done = sum(map(len, groups))
        if done == len(purposes):
            return groups if _decidable(groups) else None
        for index in range(min(len(groups) + 1, most)):
            if next(budget, None) is None:
                return None
            group = (*(groups[index] if index < len(groups) else ()), purposes[done])
            tried = (*groups[:index], group, *groups[index + 1 :])
            if free(tried) and (found := search(tried, most)) is not None:
                return found
        return None

    # The first descent is first-fit; each further descent looks for an assignment with one class less.
    best = tuple((purpose,) for purpose in purposes)
    while (found := search((), max(len(best) - 1, 1))) not in (None, best):
        best = found
    return {purpose: index for index, group in enumerate(best) for purpose in group}


class _Merging:
    """Checks whether groups of purposes can share a class. Labels become numbers, as the search checks thousands of times."""

    def __init__(self, graph, granularity, purposes):
        self._purposes = purposes
        sites = {}
        number = {}
        for label in graph:
            site = sites.setdefault(label[:-1], len(sites))
            own = isinstance(label[-1], Purpose)
            number[label] = site, purposes.index(merged(label[-1], granularity)) if own else -1
        self._sites = len(sites)
        self._edges = {(number[a], number[b]) for a, following in graph.items() for b in following}

    def free(self, groups):
        """Whether the graph has no cycle if the purposes of each group share a class and each other purpose has its own."""
        of = list(range(len(self._purposes)))
        for group in groups:
            for purpose in group:
                of[self._purposes.index(purpose)] = self._purposes.index(group[0])
        of.append(-1)  # shortcuts
        renamed = {}
        for (a, purpose), (b, following) in self._edges:
            renamed.setdefault((a, of[purpose]), set()).add((b, of[following]))
            renamed.setdefault((b, of[following]), set())
        return cycle(renamed) is None


def _decidable(groups):
    """Whether a packet's class tells if the packet is between two shortcuts, wherever the next class depends on that."""
    of = {purpose: index for index, group in enumerate(groups) for purpose in group}
    for phase, backward in {(purpose.phase, purpose.backward) for purpose in of}:
        here = [purpose for purpose in of if (purpose.phase, purpose.backward) == (phase, backward)]
        first, between = ({of[p] for p in here if p.between is value} for value in (False, True))
        twins = {p: p._replace(between=True) for p in here if not p.between}
        same = all(of.get(twin, of[p]) == of[p] for p, twin in twins.items())
        if first & between and not same:
            return False
    return True
