"""Plans the writes that turn one table into another under traffic (make before break).

Every step writes one row. *Every lookup during the change returns either the old or the new action of its key*, for any two
tables:

1. Enter the entries that are new or have another action, longest first. When all new entries down to a length have been
   entered, they contain the new match of a key, or they do not match the key.
2. Remove the entries that only the old table has, shortest first. The old match of a key is the longest of its old entries. So
   it is still in the table as long as any old entry matches the key with a longer prefix than the new match.

Rows are ordered by length, longest first. If the row that an entry needs is occupied, the neighbours move towards the nearest
free row, the last one first. Each is copied before it is overwritten, and a copy next to its original changes no lookup.
"""

from collections import namedtuple
from typing import Any

from dsnswitch.net.messages import UsageError

#: One write: ``entry`` to the row ``address``; None frees the row.
Write = namedtuple("Write", "address entry")


def empty(capacity: int) -> Any:
    """Rows of a table without entries."""
    return (None,) * capacity


def plan(rows, table) -> tuple:
    """Plan the steps from ``rows`` (an entry or None each) to ``table``: a list of :class:`Write`, and the rows after the last.

    The steps must be written in this order; the time between them is arbitrary. Raises :class:`UsageError`, and then nothing is
    to be written, if the rows are too few for the new entries, or for old and new entries together during the change.
    """
    table.check_capacity(len(rows))
    old = {(entry.value, entry.length): entry for entry in rows if entry is not None}
    wanted = {(entry.value, entry.length) for entry in table.entries}
    if len(old.keys() | wanted) > len(rows):
        raise UsageError(
            f"{table.name}: a change under traffic needs {len(old.keys() | wanted)} rows for old and new entries, "
            f"more than the {len(rows)} of the table"
        )
    steps = _Steps(rows)
    for entry in table.entries:
        steps.enter(entry)
    for entry in sorted(old.values(), key=lambda entry: entry.length):
        if (entry.value, entry.length) not in wanted:
            steps.remove(entry)
    return steps.done, tuple(steps.rows)


class _Steps:
    """Rows to which one step after another is applied, and the list of these steps."""

    def __init__(self, rows):
        self.rows, self.done = list(rows), []

    def _write(self, address, entry):
        self.rows[address] = entry
        self.done.append(Write(address, entry))

    def _find(self, entry):
        found = [
            address
            for address, other in enumerate(self.rows)
            if other is not None and (other.value, other.length) == (entry.value, entry.length)
        ]
        return found[0] if found else None

    def remove(self, entry):
        """Free the row of a prefix."""
        self._write(self._find(entry), None)

    def enter(self, entry):
        """Enter a prefix after all longer and before all shorter prefixes.

        If the prefix is already in a row, only its action is written.
        """
        address = self._find(entry)
        if address is not None:
            if self.rows[address].word != entry.word:
                self._write(address, entry)
            return
        held = [(address, other.length) for address, other in enumerate(self.rows) if other is not None]
        low = max((address + 1 for address, length in held if length > entry.length), default=0)
        high = min((address - 1 for address, length in held if length < entry.length), default=len(self.rows) - 1)
        free = [address for address, other in enumerate(self.rows) if other is None]
        inside = [address for address in free if low <= address <= high]
        if inside:
            self._write(inside[0], entry)
            return
        gap = min(free, key=lambda address: max(address - high, low - address))
        if gap > high:
            for address in range(gap, high + 1, -1):
                self._write(address, self.rows[address - 1])
            self._write(high + 1, entry)
        else:
            for address in range(gap, low - 1):
                self._write(address, self.rows[address + 1])
            self._write(low - 1, entry)
