"""The comparison as text, CSV and JSON."""

import json

from dsnswitch.lab.compare.rows import COLUMNS, FULL
from dsnswitch.net.printing import columns, csv_text


def heading(name, currency) -> str:
    """Heading of a column with its unit."""
    text, unit, _ = COLUMNS[name]
    unit = currency if name == "cost" else unit
    return f"{text}, {unit}" if unit else text


def shown(rows) -> list[str]:
    """Names of the columns of which any row has a figure."""
    return [name for name in COLUMNS if any(row.figures[name] is not None for row in rows)]


def as_text(rows, left, currency) -> str:
    """A table with a line for each network, a note, and a line for each that is ``left`` out."""
    names = shown(rows)
    cells = [["network", *(heading(name, currency) for name in names)]]
    cells += [[row.network, *(_cell(row.figures[name]) for name in names)] for row in rows]
    # A heading is as many lines as it has words, so that columns are narrow.
    heads = [head.split() for head in cells[0]]
    tall = max(map(len, heads))
    lines = [[head[place] if place < len(head) else "" for head in heads] for place in range(tall)] + cells[1:]
    return "\n".join([*columns(lines, right=True), FULL, *(f"left out: {one}" for one in left)]) + "\n"


def _cell(value):
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value < 1 else f"{value:.1f}"


def as_csv(rows) -> str:
    """A line for each network, with the names of :data:`~dsnswitch.lab.compare.rows.COLUMNS`."""
    head = ("topology", "network", "mapping", *COLUMNS)
    return csv_text([head, *((row.topology, row.network, row.plan.name, *map(row.figures.get, COLUMNS)) for row in rows)])


def as_json(rows, left, about) -> str:
    """An object with what was asked for, a list of the networks, and lines about those that are ``left`` out."""
    networks = [{"topology": row.topology, "network": row.network, "mapping": row.plan.name, **row.figures} for row in rows]
    return (
        json.dumps({"format": "dsnswitch-comparison", "version": 1, **about, "networks": networks, "left_out": left}, indent=1)
        + "\n"
    )
