"""Limits on the points of a result, for continuous integration."""

import operator
import re

from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.simulate.results import HISTOGRAMS, STATISTICS

__all__ = ["Limit"]

#: Comparisons of a :class:`Limit`.
OPERATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Limit:
    """A limit on every point, such as ``p99<60``: a name, one of ``<  <=  >  >=``, and a number.

    Names are those of the latency statistics (mean, median, p99, p99.9, max), with the name of a histogram and a dot in front of
    them or, without one, of the tail with the source queue; ``accepted``, ``offered`` and ``completion``. A saturated point
    keeps no limit on latencies.

    Raises
    ------
    UsageError
        If the text is not a limit.
    """

    def __init__(self, text):
        match = re.fullmatch(r"\s*([a-z0-9_.]+?)\s*(<=|>=|<|>)\s*([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*", text)
        names = {key: ("queued_tail", key) for key in STATISTICS}
        names |= {f"{name}.{key}": (name, key) for name in HISTOGRAMS for key in STATISTICS}
        names |= dict.fromkeys(("accepted", "offered", "completion"))
        if not match or match[1] not in names:
            raise UsageError(
                f"A limit must be a name of {', '.join((*STATISTICS, 'accepted', 'offered', 'completion'))}, then <, <=, > or >=,"
                f" then a number, such as p99<60, not {shortened(text, 40)!r}"
            )
        self.text, self._name, self._place = text, match[1], names[match[1]]
        self._holds, self._number = OPERATIONS[match[2]], float(match[3])

    def broken(self, points):
        """``[(point, value)]`` of the rows that break the limit; the value is None if there is none."""
        found = []
        for point in points:
            value = point["latency"][self._place[0]][self._place[1]] if self._place else point.get(self._name)
            if self._place and point.get("saturated"):
                value = None
            if value is None or not self._holds(value, self._number):
                found.append((point, value))
        return found
