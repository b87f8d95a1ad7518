"""Universal switch cores and switches for simulations: emitted once, and kept in the cache."""

import hashlib
import json
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from dsnswitch.net.cache import content_key, keep, kept

__all__ = ["core_manifest", "kept_manifest", "sources"]

#: Packages whose code decides what is emitted.
SOURCES = ("dsnswitch.hdl", "dsnswitch.gen", "dsnswitch.net")


def core_manifest(values, watch=lambda stage: None):
    """Path of the manifest of the universal switch core, or of the block in ``values``, with the configuration ``values``.

    It is emitted to the cache unless it is there; then no gateware is loaded. Any change of the generator's code makes it
    anew.
    """
    found = kept_manifest(values)
    if not found:
        from dsnswitch.gen.config import build
        from dsnswitch.gen.emit.folder import files_of

        block = build({"block": "switch-core", **values})
        watch("emitting")
        _, names, texts = files_of(block)

        def make(path):
            path.mkdir()
            for name, text in texts.items():
                (path / name).write_text(text, encoding="utf-8")

        found = keep(_name(values), make) / names["manifest"]
    return found


def kept_manifest(values):
    """Path of the manifest of a core that is in the cache, or None."""
    path = kept(_name(values))
    return path and next(path.glob("*.json"))


def _name(values):
    """Name in the cache: a hash of a configuration and of the code that emits it."""
    return f"verilog-{content_key(text=json.dumps(values, sort_keys=True) + sources())}"


@cache
def sources():
    """Hash of the code that emits cores."""
    digest = hashlib.sha256()
    for name in SOURCES:
        for root in find_spec(name).submodule_search_locations:
            for path in sorted(Path(root).rglob("*.py")):
                digest.update(os.fsencode(path.relative_to(root)) + b"\0" + path.read_bytes())
    return digest.hexdigest()
