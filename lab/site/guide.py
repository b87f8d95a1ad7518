"""The guide: README, CONTRIBUTING, CHANGELOG, examples/README and docs/ as pages of one folder, with adapted links."""

import re
from pathlib import Path

from dsnswitch.net.reading import read_text

__all__ = ["guide_pages"]

#: Pages outside docs/, and their names in the site.
TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
}

_LINK = re.compile(r"(!?\[[^\]\n]*\])\(([^)\s]+)\)")


def guide_pages(root):
    """``{name: text}`` of every page, picture and schema of the guide; of a PNG picture its bytes."""
    root = Path(root)
    found = {new: _linked(read_text(root / old, "Page"), "") for old, new in TOP.items()}
    for path in sorted((root / "docs").rglob("*")):
        name = path.relative_to(root / "docs").as_posix()
        if path.suffix == ".md":
            found[name] = _linked(read_text(path, "Page"), "docs/")
        elif path.suffix in (".svg", ".json"):
            found[name] = path.read_text(encoding="utf-8")
        elif path.suffix == ".png":
            found[name] = path.read_bytes()
    return found


def _linked(text, folder):
    """The text of a page with links adapted to the site. A link to a file that is not in the site becomes the name of the file.

    ``folder`` is the folder of the page in the repository.
    """

    def link(match):
        label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, mark, anchor = target.partition("#")
        path = path.removeprefix("../") if path.startswith("../") else folder + path
        if path in TOP:
            return f"{label}({TOP[path]}{mark}{anchor})"
        if path.startswith("docs/"):
            return f"{label}({path.removeprefix('docs/')}{mark}{anchor})"
        return f"`{path}`"

    return _LINK.sub(link, text)
