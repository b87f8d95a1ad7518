"""Text on layouts for the pages and the report: the table of all designs, and comparisons with and without wires."""

from dsnswitch.lab.layout.measured_set import DESIGNS

__all__ = ["COMPARED", "FROM", "comparison", "delay", "heads", "rows", "sentences"]

#: Designs whose stated delay is not that of the packet's paths, with the class of paths that is used instead. The lookup of
#: a direct table starts at the pins of its RAM.
FROM = {"direct-512": "registers"}

#: Comparisons: subject of the sentence, design, and the designs that it is compared with, each with its name in the sentence.
COMPARED = (
    ("The universal logic of 512 nodes", "universal-512", {"tcam-512": "a ternary table of the dissertation's size"}),
    (
        "The universal logic of 2,048 nodes",
        "universal-2048",
        {"tcam-2048": "a ternary table of the dissertation's size"},
    ),
    ("The universal logic of 512 nodes", "universal-512", {"routes-512": "a ternary table with the same routes"}),
    ("The universal logic of 512 nodes", "universal-512", {"torus": "torus logic", "mesh": "mesh logic"}),
    ("The routing logic of one node", "node-512", {"node-torus": "the torus logic of one node"}),
    (
        "The SECDED encoder",
        "secded-encoder",
        {"hsiao-encoder": "the encoder of a Hsiao code", "hamming-encoder": "the encoder of a Hamming code"},
    ),
    (
        "The SECDED decoder",
        "secded-decoder",
        {"hsiao-decoder": "the decoder of a Hsiao code", "hamming-decoder": "the decoder of a Hamming code"},
    ),
)


def delay(layouts, name, condition):
    """Delay in ns of a design under one of :data:`CONDITIONS`: its packet's paths, or those of :data:`FROM`."""
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
            parts.append(
                f"{wired:.2f} times the delay ({bare:.2f} without wires) and {area:.2f} times the area of {name}"
            )
        found.append(f"{subject} has {', and '.join(parts)}.")
    return found
