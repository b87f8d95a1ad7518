"""The pages with generated parts."""

from pathlib import Path

from ..errors import UsageError
from ..reading import read_text
from ..writing import write_files
from . import layout, links, readme, reed_solomon, secded, synthesis, tables
from .markdown import filled, parts

__all__ = ["PAGES", "read_pages", "rewrite", "stale_parts"]

#: Page: the functions that make its parts from a :class:`~dsnswitch.gen.figures.store.Store`, by name.
PAGES = {
    "README.md": readme.PARTS | layout.README_PARTS,
    "docs/synthesis.md": synthesis.PARTS,
    "docs/layout.md": layout.PARTS,
    "docs/secded.md": secded.PARTS,
    "docs/reed-solomon.md": reed_solomon.PARTS,
    "docs/pcs.md": links.PCS_PARTS,
    "docs/strict-link.md": links.STRICT_PARTS,
    "docs/tables.md": tables.PARTS,
}


def read_pages(root):
    """Text of every page.

    Raises
    ------
    UsageError
        If a page cannot be read, or its markers are not those of its parts.
    """
    return {page: _page(root, page, functions) for page, functions in PAGES.items()}


def rewrite(root, store):
    """Write the pages whose generated parts differ from the figures in ``store``; returns their names.

    Raises
    ------
    UsageError
        If a figure is missing, or the markers of a page are not those of its parts.
    """
    new = {}
    for page, text in read_pages(root).items():
        rendered = filled(text, {name: function(store) for name, function in PAGES[page].items()})
        if rendered != text:
            new[page] = rendered
    write_files(Path(root), new)
    return list(new)


def stale_parts(root, store):
    """A line for each generated part of a page that differs from the figures in ``store``."""
    lines = []
    for page, text in read_pages(root).items():
        found = parts(text, page)
        for name, function in PAGES[page].items():
            try:
                if function(store) != found[name]:
                    lines.append(f"{page}, {name}: the page states other figures")
            except UsageError as error:
                lines.append(f"{page}, {name}: {error}")
    return lines


def _page(root, page, functions):
    text = read_text(Path(root, page), "Page")
    names = set(parts(text, page))
    if names != set(functions):
        raise UsageError(f"{page} must have markers for {', '.join(sorted(functions))}, not {', '.join(sorted(names))}")
    return text
