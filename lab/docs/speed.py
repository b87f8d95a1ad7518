"""Generated part of the page on simulations: the speed of the engine, and of Verilator's instances."""

from dsnswitch.lab.docs.markdown import paragraph, table
from dsnswitch.lab.speed.measured import PATH, load
from dsnswitch.net.simulate.compiler import FORMS

#: Columns: heading -> text of a cell of a row.
COLUMNS = {
    "network": lambda row: row["topology"].replace("grid:", "DSN ").replace(":k4x2", " of K4x2").replace("x", " x ", 1),
    "switches": lambda row: f"{row['points']} x {row['switches']:,}" if row["points"] > 1 else f"{row['switches']:,}",
    "load, accepted": lambda row: f"{row['load']:g}, {row['accepted']:.3f}",
    "form": lambda row: f"`{row['form']}`" + (f", {row['threads']} threads" if row["threads"] > 1 else ""),
    "cycles per second": lambda row: f"{row['cycles_per_second']:,.0f}",
    "Verilator": lambda row: f"{row['instances']:,.0f}" if row["instances"] else "",
    "ratio": lambda row: f"{ratio(row):.0f}" if row["instances"] else "",
    "memory, MiB": lambda row: f"{row['memory']:,.0f}",
}


def ratio(row):
    """Speed of the engine, relative to that of Verilator's instances."""
    return row["cycles_per_second"] / row["instances"]


def _measured(store):
    """Rows and machine, from the file in the folder of ``store``."""
    return load(store.path.with_name(PATH.rpartition("/")[2]))


def speeds(store):
    """The table."""
    rows = _measured(store)["rows"]
    return table(list(COLUMNS), [[text(row) for text in COLUMNS.values()] for row in rows])


def summary(store):
    """Machine and ratios."""
    found = _measured(store)
    rows, about = found["rows"], found["machine"]
    compared = [row for row in rows if row["instances"]]
    packets = sum(row["packets"] for row in compared)
    ratios = [ratio(row) for row in compared]
    sentences = [
        f"Measured on {about['date']} with {about['processor']}, {about['compiler']} and Verilator {about['verilator']}.",
        f"The engine is {min(ratios):.0f} to {max(ratios):.0f} times as fast as Verilator's instances.",
        f"All {packets:,} packets that arrived in both simulations arrived in the same cycles.",
    ]
    for row in rows:
        if row["threads"] > 1:
            sentences.append(
                f"{row['threads']} threads give {row['cycles_per_second'] / row['one_thread']:.2f} times the speed of one with"
                f" {row['switches']:,} switches."
            )
    by_form = {(row["switches"], row["load"], row["form"]): row for row in rows if row["threads"] == row["points"] == 1}
    for (switches, offered, form), row in by_form.items():
        best = by_form.get((switches, offered, next(iter(FORMS))))
        if best and best is not row:
            share = 100 * row["cycles_per_second"] / best["cycles_per_second"]
            sentences.append(f"The form `{form}` has {share:.0f} % of the speed of AVX-512 with {switches:,} switches.")
    return paragraph(" ".join(sentences))


def plain(rows):
    """Rows as a table for a terminal."""
    cells = [list(COLUMNS), *([text(row) for text in COLUMNS.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)
    return "\n".join(lines).replace("`", "") + "\n"


PARTS = {"speed": speeds, "speed-summary": summary}
