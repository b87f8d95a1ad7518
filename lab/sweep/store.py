"""Results of points, each in a file that is named after the hash of everything that the result depends on."""

import dataclasses
import hashlib
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import write_text
from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.tables.files import to_csv

__all__ = ["Store", "core_fingerprint", "point_hash"]

#: Package whose code decides what a core's simulation measures, and its files that do not.
SIMULATOR, OTHERS = "dsnswitch.sim.network", {"plots.py"}


@cache
def _simulator():
    """Hash of the simulator's sources, and the version of the generator."""
    digest = hashlib.sha256(__version__.encode())
    for root in find_spec(SIMULATOR).submodule_search_locations:
        for path in sorted(Path(root).rglob("*")):
            if path.suffix in (".py", ".cpp", ".hpp") and path.name not in OTHERS:
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def core_fingerprint(manifest):
    """Hash of a core: its manifest, its Verilog and the code of the simulator."""
    path = Path(manifest)
    about = json.loads(path.read_text(encoding="utf-8"))
    digest = hashlib.sha256(_simulator().encode())
    digest.update(path.read_bytes() + b"\0" + path.with_name(about["files"]["verilog"]).read_bytes())
    return digest.hexdigest()


def _plain(value):
    """A value that JSON spells in one way only; an array becomes its hash."""
    if isinstance(value, np.ndarray):
        found = np.ascontiguousarray(value)
        return [str(found.dtype), list(found.shape), hashlib.sha256(found.tobytes()).hexdigest()]
    if isinstance(value, Tables):
        return hashlib.sha256(to_csv(value.tables).encode()).hexdigest()
    if dataclasses.is_dataclass(value):
        return _plain(dataclasses.asdict(value))
    if isinstance(value, dict):
        return sorted([str(key), _plain(item)] for key, item in value.items())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def point_hash(core, curve, load):
    """Hash of a point's inputs: the core's fingerprint, network, traffic, failures, seed, load and rules."""
    one = curve.experiment
    links = None
    if one.network.spelling.startswith("graph:"):
        links = [[str(link.source), link.port, str(link.target)] for link in one.network.links()]
        links += map(str, one.network.host_places(1))
    inputs = [core, one.network.spelling, links, one.values, one.attributes, one.failures, one.rewrites, load, curve.rules]
    return hashlib.sha256(json.dumps(_plain(inputs)).encode()).hexdigest()[:32]


class Store:
    """The folder ``results`` of a sweep, which :meth:`put` needs."""

    def __init__(self, folder):
        self.folder = Path(folder) / "results"

    def _path(self, name):
        return self.folder / f"{name}.json"

    def get(self, name):
        """The row that is stored under a hash, or None."""
        try:
            found = json.loads(self._path(name).read_text(encoding="utf-8"))
            return found["point"] if found["hash"] == name else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, name, curve, row):
        """Store a row; other processes see the whole file or none."""
        about = {"topology": curve.experiment.network.spelling, **curve.inputs}
        found = {"format": "dsnswitch-sweep-point", "version": 1, "hash": name, "inputs": about, "point": row}
        write_text(self._path(name), json.dumps(found) + "\n")
