"""Delays of a layout by OpenSTA, and the proof that it is equal to the RTL.

The worst path of each class is stated without wires and with the wires of a SPEF file.

There are three conditions. ``ideal`` is the condition of the figures without a layout: inputs without resistance, outputs
without load, no wires. ``bare`` has drivers at the inputs and loads at the outputs, and no wires. ``wired`` is ``bare`` with
the wires. The clock is ideal, and paths from clock and reset are not timed.
"""

import json
import re
import subprocess
from pathlib import Path

from dsnswitch.lab.synth.equivalence import equivalent
from dsnswitch.lab.synth.timing import PERIOD
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import last_line

#: Starting points of paths: the packet's inputs; straps and other settled inputs; registers, with their clock-to-output time.
CLASSES = ("packet", "straps", "registers")

CONDITIONS = ("ideal", "bare", "wired")

#: Cell that drives every input, and load of every output in pF. The load is that of four inputs of INVX1.
DRIVER, LOAD = "BUFX4", 0.0373

_FILES = ("cells.lib", "layout.v", "wires.spef")


def delays(netlist, groups, clock, sta, folder):
    """``{condition: {class: ns or None}}``. None means that there is no such path.

    A delay is the arrival time at the end of the path, without the setup time of a register there. In addition to the classes,
    ``period`` is the worst delay of all paths, with the setup time.

    ``groups`` has plain names of ports by class: ``packet``, ``straps``, and ``registers`` for outputs of RAM. ``clock`` is its
    port, or None, and ``sta`` the path of OpenSTA. ``folder`` has the cells' Liberty file, the netlist (:func:`verilog`) and the
    SPEF file.
    """
    script = [f"read_liberty {_FILES[0]}", f"read_verilog {_FILES[1]}", "link_design layout"]
    script.append(f"create_clock -name clock -period {PERIOD} {f'[get_ports {clock}]' if clock else ''}")
    ports = " ".join(name for name, port in netlist.ports.items() if port.direction == "input" and name != clock)
    script += [f"set inputs [get_ports {{{ports}}}]", "set_input_delay 0 -clock clock $inputs"]
    script.append("set_output_delay 0 -clock clock [all_outputs]")
    steps = {
        "ideal": [],
        "bare": [f"set_driving_cell -lib_cell {DRIVER} $inputs", f"set_load {LOAD} [all_outputs]"],
        "wired": [f"read_spef {_FILES[2]}"],
    }
    starts = {name: f"[get_ports {{{' '.join(ports)}}}]" for name, ports in groups.items() if ports}
    if clock:
        starts["registers"] = f"[concat [all_registers -clock_pins] {starts.get('registers', '')}]"
    for condition in CONDITIONS:
        script += steps[condition]
        for name, start in starts.items():
            script += [f'puts "@@ {condition} {name}"', f"report_checks -from {start} -digits 5 -format end"]
    Path(folder, "timing.tcl").write_text("\n".join([*script, "exit"]) + "\n", encoding="ascii")
    done = subprocess.run([sta, "-no_splash", "-exit", "timing.tcl"], capture_output=True, text=True, cwd=folder)
    Path(folder, "timing.log").write_text(done.stdout + done.stderr)
    found = {condition: dict.fromkeys((*CLASSES, "period")) for condition in CONDITIONS}
    parts = re.findall(r"^@@ (\w+) (\w+)$(.*?)(?=^@@|\Z)", done.stdout, re.MULTILINE | re.DOTALL)
    if len(parts) != len(starts) * len(CONDITIONS) or re.search(r"^(Error|Warning)", done.stdout + done.stderr, re.MULTILINE):
        lines = [line for line in (done.stdout + done.stderr).splitlines() if re.match("Error|Warning", line)]
        raise UsageError(f"OpenSTA fails on {netlist.top}: {(lines or ['no message'])[0]}")
    for condition, name, text in parts:
        # Endpoint (kind), required time, arrival time, slack.
        path = re.search(r"\S+ \(\S+\)\s+([\d.]+)\s+([\d.]+)\s+(-?[\d.]+) \(\w+\)", text)
        if path:
            found[condition][name] = float(path[2])
            found[condition]["period"] = max(found[condition]["period"] or 0, PERIOD - float(path[3]))
    return found


def verilog(netlist) -> str:
    """The netlist as Verilog, module ``layout``, with plain names and a port for every bit."""
    ports = netlist.ports
    lines = [f"module layout ({', '.join(ports)});"]
    lines += [f"  {port.direction} {name};" for name, port in ports.items()]
    nets = {net for cell in netlist.cells.values() for net in cell.pins.values() if "'" not in net}
    lines += [f"  wire {net};" for net in sorted(nets - set(ports))]
    # The net of an output can have the name of another port.
    lines += [f"  assign {name} = {port.net};" for name, port in ports.items() if port.net != name]
    for name, cell in netlist.cells.items():
        pins = ", ".join(f".{pin}({net})" for pin, net in cell.pins.items())
        lines.append(f"  {cell.kind} {name} ({pins});")
    return "\n".join([*lines, "endmodule"]) + "\n"


def extracted(netlist, connections):
    """The layout as ``write_json`` would write it: module ``layout``, whose nets have the numbers of ``connections``."""
    # Bits 0 and 1 are reserved, as in Yosys.
    free = iter(range(2 + len(connections), 2 + 3 * (len(connections) + len(netlist.ports) + 1)))
    numbers = {}
    bits = {end: 2 + numbers.setdefault(group, len(numbers)) for end, group in connections.items()}
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


def _bit(net, bits, end, free):
    if "'" in net:
        return net[-1]
    return bits[end] if end in bits else next(free)


def proved(netlist, connections, flip_flops, folder) -> bool:
    """Whether the layout is equal to the RTL. ``folder`` contains ``cells.lib`` and ``gold.blif`` of :mod:`recipe`."""
    Path(folder, "extracted.json").write_text(json.dumps(extracted(netlist, connections)), encoding="utf-8")
    done = commands(
        [
            *("read_json extracted.json", "read_liberty -ignore_miss_func cells.lib"),
            *(("blackbox", kind) for kind in flip_flops),
            *("hierarchy -top layout", "flatten", "simplemap", "aigmap", "opt_clean", "rename -top m"),
            "write_blif -cname layout.blif",
        ],
        folder,
    )
    if done.returncode:
        raise UsageError(f"Yosys cannot read the layout of {netlist.top}: {last_line(done.stderr)}")
    outputs = {
        kind: [pin for pin, port in module["ports"].items() if port["direction"] == "output"]
        for kind, module in netlist.modules.items()
    }
    return equivalent(Path(folder, "gold.blif"), Path(folder, "layout.blif"), outputs)
