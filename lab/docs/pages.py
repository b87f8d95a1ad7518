"""The pages with generated parts, and the functions that write these parts."""

from pathlib import Path

from dsnswitch.gen.writing import write_files
from dsnswitch.lab.docs import (
    detours,
    layout,
    link_analysis,
    links,
    readme,
    reed_solomon,
    routes,
    secded,
    switch,
    synthesis,
    tables,
)
from dsnswitch.lab.docs import port as fabric
from dsnswitch.lab.docs.markdown import filled, parts
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_text

__all__ = ["PAGES", "read_pages", "rewrite", "stale_parts"]

#: Page -> name of a part -> function that makes the part from a :class:`Store`.
PAGES = {
    "README.md": readme.PARTS,
    "docs/figures.md": readme.FIGURES_PARTS,
    "docs/synthesis.md": synthesis.PARTS | routes.STRAPS_PARTS,
    "docs/growth.md": routes.GROWTH_PARTS,
    "docs/layout.md": layout.PARTS,
    "docs/secded.md": secded.PARTS,
    "docs/reed-solomon.md": reed_solomon.PARTS,
    "docs/pcs.md": links.PCS_PARTS,
    "docs/strict-link.md": links.STRICT_PARTS,
    "docs/tables.md": tables.PARTS,
    "docs/switch.md": switch.PARTS,
    "docs/fabric-port.md": fabric.PARTS,
    "docs/minimal.md": routes.NEAR_MINIMAL_PARTS,
    "docs/papers.md": links.PAPERS_PARTS | detours.PAPERS_PARTS,
    "docs/detours.md": detours.PARTS,
    "docs/link-analysis.md": link_analysis.PARTS,
}


def read_pages(root):
    """Text of every page.

    Raises
    ------
    UsageError
        If a page cannot be read, or its markers do not match its parts.
    """
    return {page: _page(root, page, functions) for page, functions in PAGES.items()}


def rewrite(root, store):
    """Write the pages whose generated parts differ from the figures in ``store``; returns their names.

    Raises
    ------
    UsageError
        If a figure is missing, or the markers of a page do not match its parts.
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
