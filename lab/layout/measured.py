"""Figures of a layout, as JSON and as a table."""

import json
from typing import Any

from dsnswitch.gen.version import __version__
from dsnswitch.lab.layout.flow import DENSITIES
from dsnswitch.lab.layout.parasitics import VIA_RESISTANCE
from dsnswitch.lab.layout.timing import DRIVER, LOAD
from dsnswitch.lab.layout.tools import LAYERS

#: Parts of a chip that the layouts leave out.
LEFT_OUT = "clock tree, power grid, capacitance between neighbouring wires, transistors of the cells"


def figures(layout) -> dict[str, Any]:
    """Figures of a :class:`Layout`: lengths in um, areas in um2, delays in ns.

    ``delays`` are listed by condition (:mod:`timing`) and class of paths. ``area`` has the area of the ``cells``, and that of
    the ``rows`` with the free sites. ``ratio`` has the delay of the packet's paths with wires relative to that without wires,
    and the area of the rows relative to that of the cells.
    """
    technology, plan = layout.technology, layout.plan
    macros = [technology.macros[cell.kind] for cell in layout.netlist.cells.values()]
    cells = sum(macro.width * macro.height for macro in macros) / 1e6
    wires = layout.parasitics.values()
    bare, wired = (layout.delays[name]["packet"] or layout.delays[name]["period"] for name in ("bare", "wired"))
    return {
        "name": layout.subject.name,
        "cells": len(macros),
        "flip_flops": sum("CLK" in macro.pins for macro in macros),
        "nets": len(layout.parasitics),
        "pins": len(plan.pins),
        "rows": len({place.y for place in plan.cells.values()}),
        "die": [plan.width / 1000, plan.height / 1000],
        "area": {"cells": round(cells, 1), "rows": round(plan.core_area, 1)},
        "utilisation": round(plan.utilisation, 4),
        "densities": [{"density": density, "failed": reason} for density, reason in layout.densities],
        "wire_length": round(sum(one.length for one in wires) / 1000, 1),
        "wire_capacitance": round(sum(one.capacitance for one in wires), 4),
        "vias": sum(one.vias for one in wires),
        "delays": {
            condition: {name: None if time is None else round(time, 4) for name, time in found.items()}
            for condition, found in layout.delays.items()
        },
        "ratio": {"delay": round(wired / bare, 4), "area": round(plan.core_area / cells, 4)},
        "equivalent": layout.equivalent,
    }


def conditions() -> dict[str, float | int | list[float] | str]:
    """Conditions under which all figures hold."""
    return {
        "library": "osu018",
        "layers": LAYERS,
        "densities": list(DENSITIES),
        "input_driver": DRIVER,
        "output_load_pf": LOAD,
        "via_ohm": VIA_RESISTANCE,
        "left_out": LEFT_OUT,
    }


def report(found) -> str:
    """JSON text of a list of :func:`figures`."""
    head = {"format": "dsnswitch-layout", "version": 1, "generator": f"dsnswitch {__version__}"}
    return json.dumps(head | {"conditions": conditions(), "blocks": found}, indent=2) + "\n"


def table(entry) -> str:
    """Lines of text with the figures of one layout."""
    bare, wired = entry["delays"]["bare"], entry["delays"]["wired"]
    tried = ", ".join(f"{one['density']:.2f} ({one['failed']})" for one in entry["densities"][:-1])

    def both(name):
        return f"{bare[name]:.3f} ns without wires, {wired[name]:.3f} ns with wires, ratio {wired[name] / bare[name]:.2f}"

    rows = [("block", entry["name"])]
    rows += [(f"from {name}", both(name)) for name in ("packet", "straps", "registers") if bare[name]]
    rows += [
        ("period", both("period")),
        ("area", f"{entry['area']['cells']:,.0f} um2 of cells, {entry['area']['rows']:,.0f} um2 of rows"),
        ("density", f"{entry['utilisation']:.2f}" + (f"; failed: {tried}" if tried else "")),
        ("cells", f"{entry['cells']:,}, {entry['flip_flops']:,} of them flip-flops"),
        ("wires", f"{entry['wire_length'] / 1000:.2f} mm, {entry['vias']:,} vias, {entry['nets']:,} nets"),
        ("equal", "the layout is proved equal to the RTL"),
    ]
    return "".join(f"{name:<15} {value}\n" for name, value in rows)
