"""The file of measured figures, ``docs/figures.json``: a line for each block and library."""

import json
from pathlib import Path

from dsnswitch.gen.config import build
from dsnswitch.gen.writing import write_text
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_valid

#: The file, relative to the repository.
PATH = "docs/figures.json"

FORMAT, VERSION = "dsnswitch-figures", 1

_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}

#: Keys that every entry of a block has, including its fingerprint.
_ENTRY = {
    key: {"type": kind if isinstance(kind, str) else list(kind)}
    for kind, keys in {
        "number": ("area", "static_area", "delay", "delay_all", "period", "results_per_cycle"),
        "integer": ("gates", "levels", "cells", "flip_flops", "memory_bits", "resets", "latency_cycles"),
        "string": ("name", "block", "map", "netlist_hash", "rtl", "recipe"),
        "object": ("parameters", "generic"),
        ("number", "null"): ("period_cut", "period_whole", "delay_opensta"),
        ("boolean", "null"): ("cut", "equivalent"),
        ("object", "null"): ("paths",),
    }.items()
    for key in keys
}

#: JSON schema of the file.
SCHEMA = {
    "type": "object",
    "required": ["format", "version", "sources", "computed", "blocks"],
    "additionalProperties": False,
    "properties": {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "sources": _TEXTS,
        "computed": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["sources", "value"],
                "properties": {"sources": {"type": "string"}},
            },
        },
        "blocks": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "required": list(_ENTRY),
                    "additionalProperties": False,
                    "properties": _ENTRY | {"parts": {"type": "object"}},
                },
            },
        },
    },
}


class Store:
    """Figures by library and block.

    Attributes
    ----------
    sources : dict of str
        For each module of blocks, the hash of its code at the last time when all fingerprints were correct.
    blocks : dict of dict
        ``{library: {name of the block: figures}}``. Figures are those of :func:`measure_block`
        without the long ones, ``period_cut`` and ``period_whole`` (the best of all scripts with and without the strap cut),
        ``parts`` of blocks with a breakdown (:func:`breakdown`), and the fingerprint: ``rtl``
        and ``recipe``.
    computed : dict of dict
        ``{name: {"sources": hash, "value": ...}}`` of :mod:`dsnswitch.lab.figures.computed`.
    """

    def __init__(self, path=PATH, sources=None, blocks=None, computed=None):
        self.path = Path(path)
        self.sources, self.blocks, self.computed = sources or {}, blocks or {}, computed or {}

    def of(self, block, library=MODEL.name):
        """Figures of a block. ``block`` is a block, or the configuration of one.

        Raises :class:`UsageError` if they are not recorded.
        """
        name = (build(block) if isinstance(block, dict) else block).name
        try:
            return self.blocks[library][name]
        except KeyError:
            raise UsageError(f"{self.path} has no figures of {name} ({library}): run dsnswitch figures") from None

    def value(self, name):
        """A computed value.

        Raises :class:`UsageError` if it is not recorded.
        """
        try:
            return self.computed[name]["value"]
        except KeyError:
            raise UsageError(f"{self.path} has no figures of {name}: run dsnswitch figures") from None

    def put(self, library, entry):
        """Add the figures of a block."""
        self.blocks.setdefault(library, {})[entry["name"]] = plain(entry)

    def write(self):
        """Write the file. Equal figures give equal text."""
        blocks = {
            library: "{\n" + ",\n".join(f"   {_line(name)}: {_line(found[name])}" for name in sorted(found)) + "\n  }"
            for library, found in self.blocks.items()
        }
        parts = {
            "format": json.dumps(FORMAT),
            "version": json.dumps(VERSION),
            "sources": json.dumps(self.sources, indent=1, sort_keys=True),
            "computed": "{\n"
            + ",\n".join(f"  {_line(k)}: {_line(v)}" for k, v in sorted(self.computed.items()))
            + "\n }",
            "blocks": "{\n" + ",\n".join(f"  {_line(library)}: {text}" for library, text in blocks.items()) + "\n }",
        }
        write_text(self.path, "{\n" + ",\n".join(f" {_line(key)}: {text}" for key, text in parts.items()) + "\n}\n")


def plain(value):
    """A value in the form in which it is read back from JSON."""
    return json.loads(json.dumps(value))


def _line(value):
    return json.dumps(value, sort_keys=True)


def load(path):
    """The :class:`Store` of the file at ``path``; an empty one if there is none.

    Raises :class:`UsageError` if the file is malformed.
    """
    if not Path(path).exists():
        return Store(path)
    found = read_valid(path, "File of figures", SCHEMA)
    return Store(path, found["sources"], found["blocks"], found["computed"])
