"""Proof that a routed layout is equal to the RTL.

The proof extracts a netlist from the shapes of the layout (:mod:`extract`), with the source's names of registers. Yosys and
abc compare it with the RTL, as every mapped netlist (:mod:`equivalence`).
"""

import json
from pathlib import Path

from dsnswitch.lab.synth.equivalence import equivalent
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.net.errors import UsageError

__all__ = ["extracted", "proved"]


def extracted(netlist, connections):
    """The layout as ``write_json`` would write it: module ``layout``, whose nets have the numbers of ``connections``."""
    # Bits 0 and 1 are reserved, as in Yosys.
    free = iter(range(2 + len(connections), 2 + 3 * (len(connections) + len(netlist.ports) + 1)))
    bits = {end: 2 + number for end, number in _dense(connections).items()}
    ports = {vector: {"direction": "", "bits": ["0"] * width} for vector, width in netlist.widths.items()}
    cells = {}
    for source, (kind, pins) in netlist.rams.items():
        connected = {pin: ["0"] * width for pin, width in pins.items()}
        cells[source] = {"type": kind, "parameters": {}, "attributes": {}, "connections": connected}
    for name, port in netlist.ports.items():
        bit = _bit(port.net, bits, (None, name), free)
        if isinstance(port.vector, tuple):
            source, pin = port.vector
            cells[source]["connections"][pin][port.index] = bit
        else:
            ports[port.vector]["direction"] = port.direction
            ports[port.vector]["bits"][port.index] = bit
    for name, cell in netlist.cells.items():
        pins = {pin: [_bit(net, bits, (name, pin), free)] for pin, net in cell.pins.items()}
        cells[cell.source] = {"type": cell.kind, "parameters": {}, "attributes": {}, "connections": pins}
    layout = {"attributes": {}, "ports": ports, "cells": cells, "netnames": {}}
    return {"modules": {"layout": layout, **netlist.modules}}


def _dense(connections):
    numbers = {}
    return {end: numbers.setdefault(group, len(numbers)) for end, group in connections.items()}


def _bit(net, bits, end, free):
    if "'" in net:
        return net[-1]
    return bits[end] if end in bits else next(free)


def proved(netlist, connections, flip_flops, folder):
    """Whether the layout is equal to the RTL. ``folder`` contains ``cells.lib`` and ``gold.blif`` of :mod:`recipe`.

    Raises
    ------
    UsageError
        If Yosys or abc cannot compare them.
    """
    Path(folder, "extracted.json").write_text(json.dumps(extracted(netlist, connections)), encoding="utf-8")
    done = commands(
        [
            "read_json extracted.json",
            "read_liberty -ignore_miss_func cells.lib",
            *(("blackbox", kind) for kind in flip_flops),
            "hierarchy -top layout",
            "flatten",
            "simplemap",
            "aigmap",
            "opt_clean",
            "rename -top m",
            "write_blif -cname layout.blif",
        ],
        folder,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise UsageError(f"Yosys cannot read the layout of {netlist.top}: {lines[-1]}")
    outputs = {
        kind: [pin for pin, port in module["ports"].items() if port["direction"] == "output"]
        for kind, module in netlist.modules.items()
    }
    return equivalent(Path(folder, "gold.blif"), Path(folder, "layout.blif"), outputs)
