"""``python -m dsnswitch.lab.site FOLDER``: writes the sources of the site for the repository in the working directory.

``FOLDER/mkdocs.yml`` is the repository's ``mkdocs.yml`` with folders and navigation. ``FOLDER/pages`` contains the pages that
mkdocs reads. ``FOLDER/sources`` contains the Python files from which mkdocs makes the reference.
"""

import json
import sys
from pathlib import Path

from dsnswitch.gen.writing import write_files
from dsnswitch.lab.docs.readme import CLOCK
from dsnswitch.lab.figures.store import PATH, load
from dsnswitch.lab.site.pages import block_pages, guide_pages, reference_pages, sources


def navigation(pages):
    """The navigation of the site: guide, blocks and reference, with the title of each page."""
    found = {"Guide": ["index.md"], "Blocks": ["blocks/index.md"], "Reference": ["reference/index.md"]}
    parts = {"blocks": "Blocks", "reference": "Reference"}
    for name in sorted(pages):
        part = found[parts.get(name.partition("/")[0], "Guide")]
        if name.endswith(".md") and name not in part:
            part.append(name)
    return [{title: names} for title, names in found.items()]


def main(folder, root="."):
    """Write all sources of the site of the repository ``root``."""
    store = load(Path(root, PATH))
    pages = guide_pages(root) | block_pages(store, CLOCK) | reference_pages()
    for place, texts in (("pages", pages), ("sources", sources(root))):
        folders = {}
        for name, text in texts.items():
            path = Path(folder, place, name)
            folders.setdefault(path.parent, {})[path.name] = text
        for path, found in folders.items():
            write_files(path, found)
    settings = {
        "INHERIT": str(Path(root, "mkdocs.yml").resolve()),
        "docs_dir": "pages",
        "site_dir": "html",
        "nav": navigation(pages),
    }
    write_files(Path(folder), {"mkdocs.yml": json.dumps(settings, indent=1) + "\n"})
    print(f"wrote {len(pages)} pages to {Path(folder, 'pages')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
