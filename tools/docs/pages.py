"""The pages with generated parts, and the functions that write these parts."""

from pathlib import Path

from dsnswitch.gen.writing import write_files
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_text
from tools.docs import figures, links, mutants, network, opensm, options, papers, topologies
from tools.docs.markdown import filled, parts

#: Page -> name of a part -> function that makes the part from a :class:`Store`. Only the first five pages state measured figures.
PAGES = {
    "README.md": figures.README,
    "docs/figures.md": figures.FIGURES,
    "docs/network.md": network.PARTS | papers.NETWORK_PARTS,
    "docs/papers.md": papers.PAPERS_PARTS,
    "docs/tables.md": opensm.PARTS,
    "docs/switch.md": options.SWITCH | links.SWITCH,
    "docs/fabric-port.md": options.PORT | links.FABRIC_PORT,
    "docs/simulate.md": options.SIMULATE,
    "docs/sweep.md": options.SWEEP,
    "docs/topologies.md": topologies.PARTS,
    "CONTRIBUTING.md": mutants.PARTS,
}


def read_pages(root):
    """Text of every page.

    Raises :class:`UsageError` if a page cannot be read, or its markers do not match its parts.
    """
    found = {page: read_text(Path(root, page), "Page") for page in PAGES}
    for page, text in found.items():
        names, functions = sorted(parts(text, page)), sorted(PAGES[page])
        if names != functions:
            raise UsageError(f"{page} must have markers for {', '.join(functions)}, not {', '.join(names)}")
    return found


def rewrite(root, store):
    """Write the pages whose generated parts differ from the figures in ``store``; returns their names.

    Raises :class:`UsageError` if a figure is missing, or the markers of a page do not match its parts.
    """
    new = {}
    for page, text in read_pages(root).items():
        rendered = filled(text, {name: function(store) for name, function in PAGES[page].items()})
        if rendered != text:
            new[page] = rendered
    write_files(Path(root), new)
    return list(new)


def differing(root, store):
    """``(page, part)`` of each generated part of a page that differs from the figures in ``store``.

    A part whose figures are missing does not count: these figures are stale, and ``make figures`` measures them.
    """
    found = []
    for page, text in read_pages(root).items():
        present = parts(text, page)
        for name, function in PAGES[page].items():
            try:
                if function(store) != present[name]:
                    found.append((page, name))
            except UsageError:
                continue
    return found
