"""Figures as a JSON report and as a text table, including the values that follow at a given clock."""

import json
from importlib.metadata import version

from dsnswitch.gen.version import __version__
from dsnswitch.lab.synth.libraries import PS_PER_FO4
from dsnswitch.lab.synth.passes import FRONT, GENERIC_GATES, GENERIC_MAPS, MAPS

__all__ = ["COLUMNS", "derived", "report", "rows", "table"]

#: Columns of the printed table: heading, key of a figure, format (for a flag: its two words).
COLUMNS = (
    ("block", "name", "{}"),
    ("gates", "gates", "{}"),
    ("levels", "levels", "{}"),
    ("cells", "cells", "{}"),
    ("FF", "flip_flops", "{}"),
    ("RAM bits", "memory_bits", "{}"),
    ("area {area}", "area", "{:.1f}"),
    ("static {area}", "static_area", "{:.1f}"),
    ("delay {time}", "delay", "{:.2f}"),
    ("with straps", "delay_all", "{:.2f}"),
    ("OpenSTA", "delay_opensta", "{:.2f}"),
    ("from FF", "from_registers", "{:.2f}"),
    ("period {time}", "period", "{:.2f}"),
    ("straps cut", "cut", "yes/no"),
    ("sync resets", "resets", "{}"),
    ("MHz 0.18um", "mhz", "{:.0f}"),
    ("cycles", "latency_cycles", "{}"),
    ("latency ns", "latency_ns", "{:.2f}"),
    ("M/s", "throughput", "{:.0f}"),
    ("equal", "equivalent", "yes/NO"),
)


def derived(figures, library, clock):
    """``figures`` with the values that follow at a clock of ``clock`` MHz.

    ``mhz``: the clock that ``period`` allows in 0.18 um. ``latency_ns``: the latency in cycles of the given clock.
    ``throughput``: results in 10**6 per second at that clock. ``from_registers``: the worst path that starts at a register, with
    the clock-to-output time and, if it ends at a register, the setup time.
    """
    paths = figures["paths"] or {}
    starts = [time for name, time in paths.items() if name.startswith("register") and time is not None]
    nanoseconds = figures["period"] * (PS_PER_FO4 / 1000 if library.is_model else 1)
    cycles, rate = figures["latency_cycles"], figures["results_per_cycle"]
    return figures | {
        "from_registers": max(starts, default=None),
        "mhz": 1000 / nanoseconds if nanoseconds else None,
        "latency_ns": None if cycles is None else cycles * 1000 / clock,
        "throughput": None if rate is None else rate * clock,
    }


def report(figures, library, clock):
    """The JSON report (``docs/synth.schema.json``) of a list of figures."""
    head = {
        "format": "dsnswitch-synth",
        "version": 2,
        "generator": f"dsnswitch {__version__}",
        "tools": {name: version(name) for name in ("amaranth", "pyosys")},
        "library": {
            "name": library.name,
            "area_unit": library.area_unit,
            "time_unit": library.time_unit,
            "ps_per_fo4": PS_PER_FO4,
            "left_out": "wires, input slopes of the model, clock tree",
        },
        "clock_mhz": clock,
        "recipe": {"front": list(FRONT), "generic": GENERIC_GATES, "generic_maps": GENERIC_MAPS, "maps": MAPS},
        "blocks": [derived(entry, library, clock) for entry in figures],
    }
    return json.dumps(head, indent=2) + "\n"


def rows(figures, library, clock, columns=COLUMNS):
    """Headings, and a list of texts for each entry of ``figures``. Columns without any figure are omitted."""
    entries = [derived(entry, library, clock) for entry in figures]
    kept = [column for column in columns if any(_says_something(entry[column[1]]) for entry in entries)]
    heads = [head.format(area=library.area_unit, time=library.time_unit) for head, _, _ in kept]

    def text(form, value):
        if isinstance(value, bool):
            return form.split("/")[not value]
        return "-" if value is None else form.format(value)

    return heads, [[text(form, entry[key]) for _, key, form in kept] for entry in entries]


def _says_something(value):
    return isinstance(value, bool) or value not in (None, 0)


def table(figures, library, clock):
    """The table as text, with one line per block, and the notes below it."""
    heads, body = rows(figures, library, clock)
    lines = []
    widths = [max(map(len, column)) for column in zip(heads, *body)]
    for first, *rest in (heads, *body):
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:]))]
        lines.append("  ".join(cells).rstrip())
    lines += [f"{entry['name']}: {note}" for entry in figures for note in entry.get("notes", ())]
    return "\n".join(lines) + "\n"
