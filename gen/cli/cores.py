"""Universal switch cores for simulations: emitted once, and kept in the cache."""

import hashlib
import json
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from dsnswitch.net.simulate.netlist import cache_folder

__all__ = ["core_manifest", "kept_manifest"]

#: Packages whose code decides what is emitted.
SOURCES = ("dsnswitch.hdl", "dsnswitch.gen", "dsnswitch.net")


def core_manifest(values, watch=lambda stage: None):
    """Path of the manifest of the universal switch core with the configuration ``values``.

    The core is emitted to the cache unless it is there; then no gateware is loaded. Any change of the generator's code makes it
    anew.

    Raises
    ------
    UsageError
        If there is no such core.
    """
    kept = kept_manifest(values)
    if not kept:
        from dsnswitch.gen.config import build
        from dsnswitch.gen.emit.folder import emit

        block = build({**values, "block": "switch-core"})
        watch("emitting")
        kept = emit(block, _folder(values))[1]["manifest"]
    return kept


def kept_manifest(values):
    """Path of the manifest of a core that is in the cache, or None."""
    return next(_folder(values).glob("*.json"), None)


def _folder(values):
    return cache_folder() / "verilog" / _key(values)


def _key(values):
    """A hash of a configuration and of the code that emits it."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode() + _sources()).hexdigest()[:24]


@cache
def _sources():
    """Hash of the code that emits cores."""
    digest = hashlib.sha256()
    for name in SOURCES:
        for root in find_spec(name).submodule_search_locations:
            for path in sorted(Path(root).rglob("*.py")):
                digest.update(os.fsencode(path.relative_to(root)) + b"\0" + path.read_bytes())
    return digest.digest()
