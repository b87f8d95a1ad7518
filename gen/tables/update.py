"""Writes that turn one table into another under traffic (make before break).

Every step is one write of one place. *No lookup meets anything but its old or its new answer*, for any two tables:

1. Enter what is new or has another action, longest first. Whatever has been entered of the new table up to a length
   either holds a key's new winner, or nothing that matches the key.
2. Remove what is old only, shortest first. As long as anything old matches a key more closely than the new winner, so does
   the old winner, which is the longest of them.

Order is kept by place, longest first. Where the place that an entry needs is taken, its neighbours move towards the nearest
free one, the last first: each is copied before it is overwritten, and a copy beside its original changes no answer.
"""

from dataclasses import dataclass

from ..errors import UsageError
from .entries import Entry

__all__ = ["Write", "empty", "plan"]


@dataclass(frozen=True)
class Write:
    """Put ``entry`` into ``place``, or free it with None."""

    place: int
    entry: Entry | None


def empty(room):
    """Places of a table without entries."""
    return (None,) * room


def plan(places, table):
    """Steps from ``places`` (an entry or None each) to ``table``.

    Returns
    -------
    list of Write
        To be done in this order, at any pace.
    tuple
        The places afterwards.

    Raises
    ------
    UsageError
        If the table's entries, or for the time of the change the old ones beside them, do not fit. Nothing is to be written then.
    """
    table.check_room(len(places))
    old = {(entry.value, entry.length): entry for entry in places if entry is not None}
    wanted = {(entry.value, entry.length) for entry in table.entries}
    if len(old.keys() | wanted) > len(places):
        raise UsageError(
            f"{table.name}: a change under traffic needs {len(old.keys() | wanted)} rows for old and new entries, "
            f"more than the {len(places)} of the table"
        )
    steps = _Steps(places)
    for entry in table.entries:
        steps.enter(entry)
    for entry in sorted(old.values(), key=lambda entry: entry.length):
        if (entry.value, entry.length) not in wanted:
            steps.remove(entry)
    return steps.done, tuple(steps.places)


class _Steps:
    """Places that are written one by one."""

    def __init__(self, places):
        self.places, self.done = list(places), []

    def _write(self, place, entry):
        self.places[place] = entry
        self.done.append(Write(place, entry))

    def _find(self, entry):
        found = [
            place
            for place, other in enumerate(self.places)
            if other is not None and (other.value, other.length) == (entry.value, entry.length)
        ]
        return found[0] if found else None

    def remove(self, entry):
        """Free the place of a prefix."""
        self._write(self._find(entry), None)

    def enter(self, entry):
        """Enter a prefix behind all that are longer and before all that are shorter, or give it its action."""
        place = self._find(entry)
        if place is not None:
            if self.places[place].action != entry.action:
                self._write(place, entry)
            return
        held = [(place, other.length) for place, other in enumerate(self.places) if other is not None]
        low = max((place + 1 for place, length in held if length > entry.length), default=0)
        high = min((place - 1 for place, length in held if length < entry.length), default=len(self.places) - 1)
        free = [place for place, other in enumerate(self.places) if other is None]
        inside = [place for place in free if low <= place <= high]
        if inside:
            self._write(inside[0], entry)
            return
        gap = min(free, key=lambda place: max(place - high, low - place))
        if gap > high:
            for place in range(gap, high + 1, -1):
                self._write(place, self.places[place - 1])
            self._write(high + 1, entry)
        else:
            for place in range(gap, low - 1):
                self._write(place, self.places[place + 1])
            self._write(low - 1, entry)
