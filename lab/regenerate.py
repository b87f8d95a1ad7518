"""Writes the committed files that are generated: ``python -m dsnswitch.lab.regenerate [ROOT]``, ``make schemas``.

The schemas, samples and pictures follow from the code; the generated parts of pages follow from the recorded figures, without
measuring. ``make stale`` compares the committed files with the output of this module.
"""

import json
import sys
import tempfile
from pathlib import Path

from dsnswitch.gen.config import build, schema
from dsnswitch.gen.emit.folder import emit
from dsnswitch.gen.writing import write_text
from dsnswitch.lab.docs.formats import header_page, header_svg, notice_svg, protected_format
from dsnswitch.lab.docs.pages import rewrite
from dsnswitch.lab.figures.store import PATH, load
from dsnswitch.lab.pictures import pictures
from dsnswitch.net.files.export import export
from dsnswitch.net.files.parameters import network
from dsnswitch.net.messages import UsageError
from dsnswitch.net.simulate.results import SCHEMA as SIMULATION
from dsnswitch.net.tables.files import SCHEMA


def generated():
    """``{path: text}`` of every generated file, relative to the repository."""
    block = build({"p": 4})
    with tempfile.TemporaryDirectory() as folder:
        constraints = emit(block, folder)[1]["sdc"].read_text(encoding="utf-8")
    return {
        "docs/config.schema.json": json.dumps(schema(), indent=2) + "\n",
        "docs/table.schema.json": json.dumps(SCHEMA, indent=2) + "\n",
        "docs/simulate.schema.json": json.dumps(SIMULATION, indent=2) + "\n",
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
    """Write the generated files, and the pages whose recorded figures are not those that they state."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    files = generated()
    try:
        pages = rewrite(root, load(root / PATH))
    except UsageError as error:
        print(f"dsnswitch: error: {error}", file=sys.stderr)
        sys.exit(2)
    for path, text in files.items():
        write_text(root / path, text)
    print("\n".join([*pages, *files]))


if __name__ == "__main__":
    main()
