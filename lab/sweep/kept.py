"""Compiled tables in the cache: a sweep that continues needs them for the hashes of its points, and they take minutes to make."""

import pickle

from dsnswitch.gen.cli.cores import sources
from dsnswitch.net.cache import content_key, keep, kept

__all__ = ["KeptTables"]


class KeptTables:
    """What ``experiment`` takes as ``known``: in memory, and tables also in the cache.

    Any change of the generator's code makes new tables.
    """

    def __init__(self):
        self._found = {}

    def _name(self, key):
        return f"tables-{content_key(text=key + sources())}.pickle"

    def __contains__(self, key):
        if key not in self._found and (path := kept(self._name(key))):
            self._found[key] = pickle.loads(path.read_bytes())
        return key in self._found

    def __getitem__(self, key):
        return self._found[key]

    def __setitem__(self, key, lookup):
        self._found[key] = lookup
        if lookup.tables is not None:
            keep(self._name(key), lambda path: path.write_bytes(pickle.dumps(lookup)))
