"""Limits on the points of a result, for continuous integration."""

from dsnswitch.net.conditions import condition
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.results import HISTOGRAMS, STATISTICS

__all__ = ["Limit"]

#: Names of what only points with a load have, and only exchanges and traces.
OF_LOADS, OF_EXCHANGES = ("accepted", "offered"), ("completion",)

#: Names of numbers of packets, and how a point states them. All lost packets, and those that detours cannot deliver.
COUNTS = {
    "lost": lambda point: sum(point["lost"].values()),
    "undeliverable": lambda point: point["lost"]["undeliverable"],
    "marked": lambda point: point["marked"],
}


class Limit:
    """A limit on every point, such as ``p99<60``: a name, one of ``<  <=  >  >=``, and a number.

    Names are those of the latency statistics (mean, median, p99, p99.9, max), with the name of a histogram and a dot in front of
    them or, without one, of the tail with the source queue; those of :data:`OF_LOADS` and :data:`OF_EXCHANGES`; and those of
    :data:`COUNTS`. A saturated point keeps no limit on latencies.
    """

    def __init__(self, text):
        names = {key: ("queued_tail", key) for key in STATISTICS}
        names |= {f"{name}.{key}": (name, key) for name in HISTOGRAMS for key in STATISTICS}
        others = (*OF_LOADS, *OF_EXCHANGES, *COUNTS)
        names |= dict.fromkeys(others)
        self._condition = condition("A limit", text, names, "p99<60", "docs/simulate.md lists all")
        self.text, self._name = text, self._condition.name
        self._place = names[self._name]

    def refuse_missing(self, pattern: str, has_loads: bool) -> None:
        """Raise :class:`UsageError` if points of ``pattern``, which have loads or not, do not have the quantity."""
        if self._name in (OF_EXCHANGES if has_loads else OF_LOADS):
            raise UsageError(
                f"Pattern {pattern.partition(':')[0]} has no {self._name}, so it takes no limit {self.text}: it has"
                f" {' and '.join(OF_LOADS if has_loads else OF_EXCHANGES)}"
            )

    def broken(self, points: list[dict]) -> list[tuple]:
        """``[(point, value)]`` of the rows that break the limit; the value is None if there is none."""
        found = []
        for point in points:
            value = self._of(point)
            if not self._condition.holds(value):
                found.append((point, value))
        return found

    def _of(self, point):
        if not self._place:
            return COUNTS[self._name](point) if self._name in COUNTS else point[self._name]
        return None if point.get("saturated") else point["latency"][self._place[0]][self._place[1]]
