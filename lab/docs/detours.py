"""Generated parts of the page about detours, and of the page about the papers that refers to them."""

from dsnswitch.lab.docs.markdown import paragraph, table
from dsnswitch.lab.figures.computed import FAULTS

__all__ = ["PAPERS_PARTS", "PARTS"]

#: Heading, field of a row of :mod:`measure`, factor, and digits after the point.
_COLUMNS = (
    ("delivered pairs, %", "delivered", 100, 3),
    ("average path", "average_path", 1, 3),
    ("growth, %", "growth", 100, 2),
    ("shortest path, growth, %", "shortest_growth", 100, 2),
    ("pairs that need tables, %", "tables", 100, 3),
    ("entries per switch", "entries", 1, 2),
)


def faults(store):
    """Mean and range over the seeds, for each share of failed links."""
    body = []
    for found in store.value("faults"):
        cells = [[f"{factor * row[field]:.{digits}f}" for row in found] for _, field, factor, digits in _COLUMNS]
        body.append(
            [f"{100 * found[0]['rate']:.0f} %", *(f"{mean} ({least} to {largest})" for mean, least, largest in cells)]
        )
    return table(["failed links", *(heading for heading, *_ in _COLUMNS)], body)


def paper(store):
    """Our growths where D Fig. 4.10 states its own."""
    rows = [found[0] for found in store.value("faults") if found[0]["rate"] in (0.1, 0.2)]
    ours, shortest = (" and ".join(f"{row[name]:.2%}" for row in rows) for name in ("growth", "shortest_growth"))
    return paragraph(
        f"With local knowledge and random links of 8 x 16 x 8, the average path grows by {ours} with detours, and by {shortest} "
        f"for shortest paths (means over {len(FAULTS[2])} seeds, [detours.md](detours.md#random-failures))."
    ).replace("%", " %")


PARTS = {"faults": faults}
PAPERS_PARTS = {"fig-4-10": paper}
