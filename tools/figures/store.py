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


def entries(properties, **optional):
    """JSON schema of a dictionary of objects with ``properties``, all of which are required, and those that are ``optional``."""
    closed = {"type": "object", "additionalProperties": False}
    return {
        "type": "object",
        "additionalProperties": {**closed, "required": list(properties), "properties": properties | optional},
    }


def file_schema(form, version, **parts):
    """JSON schema of a file with a format, a version and ``parts``."""
    properties = {"format": {"const": form}, "version": {"const": version}, **parts}
    return {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}


#: JSON schema of the file.
SCHEMA = file_schema(
    FORMAT,
    VERSION,
    sources={"type": "object", "additionalProperties": {"type": "string"}},
    blocks={"type": "object", "additionalProperties": entries(_ENTRY, parts={"type": "object"}, luts={"type": "object"})},
)


class Store:
    """Figures by library and block.

    ``sources`` has, for each module of blocks, the hash of its code at the last time when all fingerprints were correct.
    ``blocks`` is ``{library: {name of the block: figures}}``. Figures are those of :func:`measure_block` without the long ones,
    ``period_cut`` and ``period_whole`` (the best of all scripts with and without the strap cut), ``parts`` of blocks with a
    breakdown (:func:`breakdown`), ``luts`` of those on an FPGA, and the fingerprint: ``rtl`` and ``recipe``.
    """

    def __init__(self, path=PATH, sources=None, blocks=None):
        self.path = Path(path)
        self.sources, self.blocks = sources or {}, blocks or {}

    def of(self, block, library=MODEL.name):
        """Figures of a block. ``block`` is a block, or the configuration of one.

        Raises :class:`UsageError` if they are not recorded.
        """
        name = (build(block) if isinstance(block, dict) else block).name
        try:
            return self.blocks[library][name]
        except KeyError:
            raise UsageError(f"{self.path} has no figures of {name} ({library}): run make figures") from None

    def put(self, library, entry):
        """Add the figures of a block."""
        self.blocks.setdefault(library, {})[entry["name"]] = plain(entry)

    def write(self):
        """Write the file."""
        write_parts(
            self.path,
            FORMAT,
            VERSION,
            sources=json.dumps(self.sources, indent=1, sort_keys=True),
            blocks=joined({library: lines(found, "  ") for library, found in self.blocks.items()}, " "),
        )


def plain(value):
    """A value in the form in which it is read back from JSON."""
    return json.loads(json.dumps(value))


def lines(values, indent):
    """JSON text of a dictionary with a line for each key, in order. The lines are indented by ``indent`` and a space."""
    return joined({key: json.dumps(value, sort_keys=True) for key, value in sorted(values.items())}, indent)


def joined(texts, indent=""):
    """JSON text of an object whose values are given as JSON text."""
    return "{\n" + ",\n".join(f"{indent} {json.dumps(key)}: {text}" for key, text in texts.items()) + f"\n{indent}}}"


def write_parts(path, form, version, **texts):
    """Write a file of :func:`file_schema`; ``texts`` are the JSON texts of its parts. Equal figures give equal text."""
    parts = {"format": json.dumps(form), "version": json.dumps(version), **texts}
    write_text(path, joined(parts) + "\n")


def read_parts(kind, path, what, schema, *parts):
    """The ``kind`` of store of the file at ``path``, made of its path and ``parts``; an empty one if there is no file.

    Raises :class:`UsageError`, which calls the file ``what``, if it does not have the ``schema``.
    """
    path = Path(path)
    found = read_valid(path, what, schema) if path.exists() else {}
    return kind(path, **{part: found[part] for part in parts if found})


def load(path):
    """The :class:`Store` of the file at ``path``; an empty one if there is none."""
    return read_parts(Store, path, "File of figures", SCHEMA, "sources", "blocks")
