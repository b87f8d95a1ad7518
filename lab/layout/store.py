"""The file of figures of layouts, ``docs/layouts.json``: one line per design, with the design's fingerprint."""

import json
from pathlib import Path

from dsnswitch.gen.writing import write_text
from dsnswitch.net.errors import UsageError
from dsnswitch.net.reading import read_valid

__all__ = ["PATH", "Layouts", "load"]

#: Path of the file, relative to the repository.
PATH = "docs/layouts.json"

FORMAT, VERSION = "dsnswitch-layouts", 1

_ENTRY = {
    **{name: {"type": "string"} for name in ("name", "fingerprint")},
    **{name: {"type": "integer", "minimum": 0} for name in ("cells", "flip_flops", "nets", "pins", "rows", "vias")},
    **{name: {"type": "number", "minimum": 0} for name in ("utilisation", "wire_length", "wire_capacitance")},
    **{name: {"type": "object"} for name in ("area", "delays", "ratio")},
    **{name: {"type": "array"} for name in ("die", "densities")},
    "equivalent": {"const": True},
}

#: JSON schema of the file.
SCHEMA = {
    "type": "object",
    "required": ["format", "version", "blocks"],
    "additionalProperties": False,
    "properties": {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "blocks": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": list(_ENTRY),
                "additionalProperties": False,
                "properties": _ENTRY,
            },
        },
    },
}


class Layouts:
    """Figures of layouts: ``blocks`` by name of :data:`DESIGNS` (:func:`figures`)."""

    def __init__(self, path, blocks=None):
        self.path, self.blocks = Path(path), blocks or {}

    def of(self, name):
        """Figures of one design.

        Raises
        ------
        UsageError
            If the file has no figures of this design.
        """
        if name not in self.blocks:
            raise UsageError(f"{self.path} has no figures of {name}: run dsnswitch layout --all")
        return self.blocks[name]

    def write(self):
        """Write the file. Equal figures give equal text."""
        lines = [
            f"  {json.dumps(name)}: {json.dumps(found, sort_keys=True)}" for name, found in sorted(self.blocks.items())
        ]
        head = f' "format": {json.dumps(FORMAT)},\n "version": {VERSION},\n "blocks": {{\n'
        write_text(self.path, "{\n" + head + ",\n".join(lines) + "\n }\n}\n")


def load(path):
    """The :class:`Layouts` of the file at ``path``. If there is no file, they contain no figures.

    Raises
    ------
    UsageError
        If the file is malformed.
    """
    if not Path(path).exists():
        return Layouts(path)
    found = read_valid(path, "File of layouts", SCHEMA)
    return Layouts(path, found["blocks"])
