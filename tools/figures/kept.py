"""What follows from code alone, kept under the hash of that code, so that an unchanged repository is checked in seconds."""

import json
from pathlib import Path

from dsnswitch.gen.writing import write_text


class Kept:
    """Values by text keys, in a file or, without a ``path``, in memory. A file that is damaged counts as empty.

    A value must be one that JSON can state.
    """

    def __init__(self, path=None):
        self._path = path and Path(path)
        self._known, self._used = self._read(), {}

    def _read(self):
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (AttributeError, OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def of(self, key, make):
        """The value under ``key``; ``make()`` makes it if it is not known."""
        if key not in self._used:
            self._used[key] = self._known[key] if key in self._known else make()
        return self._used[key]

    def write(self):
        """Write the file, without the values that were not asked for."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_text(self._path, json.dumps(self._used, sort_keys=True) + "\n")
