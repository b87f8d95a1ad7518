"""Figures of a block: what the recipe gives, with what the manifest knows (latency, throughput)."""

import json
import tempfile
from importlib.metadata import version

from ..emit import emit
from ..version import __version__
from .library import FLIP_FLOP, FO4
from .recipe import ABC_MAP, FRONT, GENERIC_GATES, run

__all__ = ["COLUMNS", "measure_block", "measure_verilog", "report", "table"]

#: Columns of the printed table: heading, key of a figure, format.
COLUMNS = (
    ("block", "name", "{}"),
    ("gates", "gates", "{}"),
    ("levels", "levels", "{}"),
    ("cells", "cells", "{}"),
    ("FF", "flip_flops", "{}"),
    ("area GE", "area", "{:.1f}"),
    ("static GE", "static_area", "{:.1f}"),
    ("delay FO4", "delay", "{:.2f}"),
    ("with straps", "delay_all", "{:.2f}"),
    ("cycles", "latency_cycles", "{}"),
)


def measure_block(block):
    """Figures of ``block`` (an entry of the registry), as a dictionary."""
    with tempfile.TemporaryDirectory() as folder:
        manifest, paths = emit(block, folder)
        straps = [port["name"] for port in manifest["ports"] if port["static"]]
        figures = measure_verilog(paths["verilog"], block.name, straps)
    return figures | {
        "parameters": manifest["parameters"],
        "latency_cycles": manifest["latency_cycles"],
        "results_per_cycle": manifest["results_per_cycle"],
    }


def measure_verilog(path, top, straps=()):
    """Figures of any Verilog top, by the same recipe. Latency is not known: None."""
    found = run(path, top, straps)
    clocked = found["flip_flops"] > 0
    return {
        "name": top,
        "gates": found["generic"]["gates"],
        "levels": found["generic"]["levels"],
        "cells": sum(found["cells"].values()),
        "cells_by_type": found["cells"],
        "flip_flops": found["flip_flops"],
        "memory_bits": 0,
        "area": found["area"],
        "static_area": found["static_area"],
        "delay": found["delay"],
        "delay_all": found["delay_all"],
        "clk_to_q": FLIP_FLOP["clk_to_q"] / FO4 if clocked else None,
        "setup": FLIP_FLOP["setup"] / FO4 if clocked else None,
        "netlist_hash": found["netlist_hash"],
        "parameters": None,
        "latency_cycles": None,
        "results_per_cycle": None,
    }


def report(figures):
    """The JSON report (``docs/synth.schema.json``) of a list of figures."""
    head = {
        "format": "dsnswitch-synth",
        "version": 1,
        "generator": f"dsnswitch {__version__}",
        "tools": {name: version(name) for name in ("amaranth", "pyosys")},
        "library": "dsnswitch_model: logical effort, no wires; area in NAND2 equivalents, delay in FO4",
        "recipe": {"front": list(FRONT), "generic": GENERIC_GATES, "map": ABC_MAP},
        "blocks": figures,
    }
    return json.dumps(head, indent=2) + "\n"


def table(figures):
    """The same as text, a line a block."""
    rows = [[heading for heading, _, _ in COLUMNS]]
    for entry in figures:
        rows.append(["-" if entry[key] is None else form.format(entry[key]) for _, key, form in COLUMNS])
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:]))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
