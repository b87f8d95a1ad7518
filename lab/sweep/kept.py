"""Compiled tables in the cache: a sweep that continues needs them for the hashes of its points, and they take minutes to make."""

import hashlib
import os
import pickle
import tempfile

from dsnswitch.gen.cli.cores import sources
from dsnswitch.net.simulate.netlist import cache_folder

__all__ = ["KeptTables"]


class KeptTables:
    """What :func:`~dsnswitch.net.simulate.experiment.experiment` takes as ``known``: in memory, and tables also in the cache.

    Any change of the generator's code makes new tables.
    """

    def __init__(self):
        self._found = {}

    def _path(self, key):
        return cache_folder() / "tables" / f"{hashlib.sha256(key.encode() + sources()).hexdigest()[:24]}.pickle"

    def __contains__(self, key):
        if key not in self._found:
            try:
                self._found[key] = pickle.loads(self._path(key).read_bytes())
            except (OSError, EOFError, pickle.UnpicklingError, AttributeError):
                return False
        return True

    def __getitem__(self, key):
        return self._found[key]

    def __setitem__(self, key, lookup):
        self._found[key] = lookup
        if lookup.tables is not None:
            path = self._path(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                pickle.dump(lookup, file)
            os.replace(file.name, path)
