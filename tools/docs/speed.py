"""Generated parts of the page on simulations: speed of the engine and of Verilator's instances, and whole switches."""

from dsnswitch.sim.network.compile.compiler import FORMS
from dsnswitch.sim.network.compile.generate import COPIES
from tools.docs.markdown import paragraph, table
from tools.speed.measured import PATH, load


def _network(topology):
    """A topology as the page names it: a DSN by its three dimensions."""
    kind, size, *supernode = topology.split(":")
    if kind == "grid" and supernode == ["k4x2"]:
        return f"DSN {size.replace('x', ' x ')} x 8"
    return topology


#: Columns: heading -> text of a cell of a row.
COLUMNS = {
    "network": lambda row: _network(row["topology"]),
    "switches": lambda row: f"{row['points']} x {row['switches']:,}" if row["points"] > 1 else f"{row['switches']:,}",
    "load, accepted": lambda row: f"{row['load']:g}, {row['accepted']:.3f}",
    "form": lambda row: f"`{row['form']}`" + (f", {row['threads']} threads" if row["threads"] > 1 else ""),
    "cycles per second": lambda row: f"{row['cycles_per_second']:,.0f}",
    "Verilator": lambda row: f"{row['instances']:,.0f}" if row["instances"] else "",
    "ratio": lambda row: f"{ratio(row):.0f}" if row["instances"] else "",
    "memory, MiB": lambda row: f"{row['memory']:,.0f}",
}

#: The same for whole switches.
SWITCH_COLUMNS = {
    "network": lambda row: _network(row["topology"]),
    "link": lambda row: row["link"],
    "buffer": lambda row: f"{row['depth']}",
    "load": lambda row: f"{row['load']:g}",
    "accepted: cores": lambda row: f"{row['core'][0]:.4f}",
    "switches": lambda row: f"{row['switch'][0]:.4f}",
    "mean latency: cores": lambda row: f"{row['core'][1]:.2f}",
    "switches, cycles": lambda row: f"{row['switch'][1]:.2f}",
    "difference": lambda row: f"{row['switch'][1] - row['core'][1]:+.2f}",
}


def ratio(row):
    """Speed of the engine, relative to that of Verilator's instances."""
    return row["cycles_per_second"] / row["instances"]


def _measured(store):
    """Rows and machine, from the file in the folder of ``store``."""
    return load(store.path.with_name(PATH.rpartition("/")[2]))


def speeds(store):
    """The table."""
    return _table(COLUMNS, _measured(store)["rows"])


def switches(store):
    """The table of whole switches and cores."""
    return _table(SWITCH_COLUMNS, _measured(store)["switches"])


def _table(columns, rows):
    return table(list(columns), [[text(row) for text in columns.values()] for row in rows])


def summary(store):
    """Machine and ratios."""
    found = _measured(store)
    rows, about = found["rows"], found["machine"]
    compared = [row for row in rows if row["instances"]]
    packets = sum(row["packets"] for row in compared)
    ratios = [ratio(row) for row in compared if row["switches"] >= COPIES]
    sentences = [
        f"Measured on {about['date']} with {about['processor']}, {about['compiler']} and Verilator {about['verilator']}.",
        f"The engine is {_span(ratios)} times as fast as Verilator's instances with 512 switches or more.",
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


def start(store):
    """Size of the core, and how long it takes until a simulation runs."""
    found = _measured(store)["start"]
    return paragraph(
        f"The core of 8 x 8 x 8 has {found['luts']:,} LUTs, {found['flip_flops']:,} flip-flops and {found['ram_bits']:,} bits"
        f" of RAM. A cold start takes {found['cold']:.0f} s of processor time, for mapping, code, and compilation of core and"
        f" runtime; a warm start takes {found['warm']:.1f} s. The compiler uses all cores."
    )


def _span(numbers):
    """The least and the greatest number, or the one if they are equal."""
    least, greatest = (f"{number:.0f}" for number in (min(numbers), max(numbers)))
    return least if least == greatest else f"{least} to {greatest}"


def plain(columns, rows):
    """Rows as a table for a terminal."""
    cells = [list(columns), *([text(row) for text in columns.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)
    return "\n".join(lines).replace("`", "") + "\n"


def sample(store):
    """Output of the command that the page shows."""
    return "\n".join(f"    {line}".rstrip() for line in _measured(store)["sample"].splitlines())


PARTS = {
    "speed-sample": sample,
    "speed": speeds,
    "speed-summary": summary,
    "speed-start": start,
    "whole-switches": switches,
}
