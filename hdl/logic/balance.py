"""Wide gates of two-input gates over inputs that do not come at the same time."""

import heapq
from collections.abc import Callable
from operator import and_, or_

from amaranth.hdl import Const

__all__ = ["Timed", "both", "either"]


class Timed:
    """A 1-bit value and the gate level at which it is there. Constants 0 and 1 take part in no gate.

    ``&`` and ``|`` make a gate; ``~`` is part of the next one and takes no level.
    """

    def __init__(self, value, level=0):
        self.value, self.level = value, level

    def __and__(self, other):
        return Timed(self.value & other.value, 1 + max(self.level, other.level))

    def __or__(self, other):
        return Timed(self.value | other.value, 1 + max(self.level, other.level))

    def __invert__(self):
        return Timed(~self.value, self.level)

    def __repr__(self):
        return f"Timed({self.value!r}, {self.level})"


def _combine(items, gate: Callable, neutral):
    """All ``items`` through two-input gates, the earliest two first: the least level there is."""
    waiting = [(item.level, place, item.value) for place, item in enumerate(items)]
    if not waiting:
        return Timed(Const(neutral, 1))
    heapq.heapify(waiting)
    place = len(waiting)
    while len(waiting) > 1:
        (_, _, first), (level, _, second) = heapq.heappop(waiting), heapq.heappop(waiting)
        heapq.heappush(waiting, (level + 1, place, gate(first, second)))
        place += 1
    level, _, value = waiting[0]
    return Timed(value, level)


def either(items):
    """OR of :class:`Timed` values, as one."""
    return _combine(items, or_, 0)


def both(items):
    """AND of :class:`Timed` values, as one."""
    return _combine(items, and_, 1)
