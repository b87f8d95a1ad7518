"""Writes the committed files that are generated from the code: ``python -m dsnswitch.lab.regenerate [ROOT]``.

A test compares the committed files with the output of this module, so they cannot become stale.
"""

import json
import sys
import tempfile
from pathlib import Path

from dsnswitch.gen.config import build, schema
from dsnswitch.gen.emit.folder import emit
from dsnswitch.gen.writing import write_text
from dsnswitch.lab.docs.protected_format import protected_format
from dsnswitch.lab.docs.switch_header import header_page, header_svg, notice_svg
from dsnswitch.lab.pictures import pictures
from dsnswitch.net.files.export import export
from dsnswitch.net.files.parameters import network
from dsnswitch.net.tables.files import SCHEMA

__all__ = ["generated", "main"]


def generated():
    """``{path: text}`` of every generated file, relative to the repository."""
    block = build({"p": 4})
    with tempfile.TemporaryDirectory() as folder:
        constraints = emit(block, folder)[1]["sdc"].read_text(encoding="utf-8")
    return {
        "docs/config.schema.json": json.dumps(schema(), indent=2) + "\n",
        "docs/table.schema.json": json.dumps(SCHEMA, indent=2) + "\n",
        "docs/pcs260-protected.md": protected_format(),
        "docs/switch-header.md": header_page(),
        "docs/pictures/switch-header.svg": header_svg(),
        "docs/pictures/switch-notice.svg": notice_svg(),
        "docs/dsn-8x8.svg": export(network({"p": 3}), "svg"),
        "docs/pictures/dsn-f-63.svg": export(network({"topology": "dsn-f:63"}), "svg"),
        **{f"docs/pictures/{name}": text for name, text in pictures().items()},
        f"constraints/{block.name}.sdc": constraints,
    }


def main():
    """Write the generated files."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for path, text in generated().items():
        write_text(root / path, text)
        print(path)


if __name__ == "__main__":
    main()
