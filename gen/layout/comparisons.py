"""Text on layouts for the pages and the report: the table of all designs, and comparisons with and without wires."""

from .measured_set import DESIGNS

__all__ = ["COMPARED", "FROM", "comparison", "delay", "heads", "rows", "sentences"]

#: Designs whose stated delay is not that of the packet's paths, with the class of paths that is used instead. The lookup of
#: a direct table starts at the pins of its RAM.
FROM = {"direct-512": "registers"}

#: Comparisons: subject of the sentence, design, and the designs that it is compared with, each with its name in the sentence.
COMPARED = (
    ("The universal logic of 512 nodes", "universal-512", {"tcam-512": "a ternary table of the paper's size"}),
    ("The universal logic of 2,048 nodes", "universal-2048", {"tcam-2048": "a ternary table of the paper's size"}),
    ("The universal logic of 512 nodes", "universal-512", {"routes-512": "a ternary table with the same routes"}),
    ("The universal logic of 512 nodes", "universal-512", {"torus": "torus logic", "mesh": "mesh logic"}),
    ("One node's routing logic", "node-512", {"node-torus": "one node's torus logic"}),
    (
        "The SECDED encoder",
        "secded-encoder",
        {"hsiao-encoder": "a Hsiao code's", "hamming-encoder": "a Hamming code's"},
    ),
    (
        "The SECDED decoder",
        "secded-decoder",
        {"hsiao-decoder": "a Hsiao code's", "hamming-decoder": "a Hamming code's"},
    ),
)


def delay(layouts, name, condition):
    """Delay in ns of a design under one of :data:`~.timing.CONDITIONS`: its packet's paths, or those of :data:`FROM`."""
    return layouts.of(name)["delays"][condition][FROM.get(name, "packet")]


def heads():
    """Headings of :func:`rows`."""
    wires = ["wire, mm", "vias"]
    return [
        "design",
        "cells",
        "ns without wires",
        "ns with wires",
        "ratio",
        "um2 of cells",
        "um2 of rows",
        "ratio",
        *wires,
    ]


def rows(layouts):
    """Rows of the table, one per design; each cell is text."""
    found = []
    for name, (title, _) in DESIGNS.items():
        one = layouts.of(name)
        bare, wired = (delay(layouts, name, condition) for condition in ("bare", "wired"))
        areas = one["area"]
        found.append(
            [
                title,
                f"{one['cells']:,}",
                f"{bare:.3f}",
                f"{wired:.3f}",
                f"{wired / bare:.2f}",
                f"{areas['cells']:,.0f}",
                f"{areas['rows']:,.0f}",
                f"{areas['rows'] / areas['cells']:.2f}",
                f"{one['wire_length'] / 1000:.1f}",
                f"{one['vias']:,}",
            ]
        )
    return found


def comparison(layouts, ours, theirs):
    """Quotients of delay without and with wires, and of the area of the rows."""
    bare, wired = (delay(layouts, ours, name) / delay(layouts, theirs, name) for name in ("bare", "wired"))
    return bare, wired, layouts.of(ours)["area"]["rows"] / layouts.of(theirs)["area"]["rows"]


def sentences(layouts):
    """One sentence for each of :data:`COMPARED`."""
    found = []
    for subject, ours, others in COMPARED:
        parts = []
        for theirs, name in others.items():
            bare, wired, area = comparison(layouts, ours, theirs)
            share = f"{wired:.2f} {'of' if wired < 1 else 'times'} the delay ({bare:.2f} without wires)"
            parts.append(f"{share} and {area:.2f} {'of' if area < 1 else 'times'} the area of {name}")
        found.append(f"{subject} takes {', and '.join(parts)}.")
    return found
