"""The netlist of a universal core: LUTs of three inputs, flip-flops and RAMs, in the modules that occur several times.

It is read from Verilog by Yosys and abc (the package pyosys) once, and kept in the cache.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dsnswitch.net.cache import content_key, keep, kept
from dsnswitch.net.extras import need
from dsnswitch.net.messages import UsageError

__all__ = ["Cell", "Netlist", "Ram", "Unit", "read_netlist"]

#: Bits of logic that a module kept as such must save; ``none`` keeps none.
HIERARCHY = "400"

#: Nets of constants. All others are numbers from 2.
ZERO, ONE = 0, 1


@dataclass
class Ram:
    """A memory with one port that writes whole words and one that reads into a register; it reads before it writes.

    All attributes but ``words`` and ``content`` are nets, buses from bit 0. ``content`` has the bits of each word at the start.
    """

    words: int
    read: int
    read_address: list
    read_data: list
    write: int
    write_address: list
    write_data: list
    content: list


@dataclass
class Cell:
    """A unit within another one; ``nets`` are ``{port: nets}``."""

    name: str
    unit: str
    nets: dict


@dataclass
class Unit:
    """A module of the netlist. A net is a number; :data:`ZERO` and :data:`ONE` are constants.

    Attributes
    ----------
    inputs, outputs : dict
        ``{port: nets}``.
    luts : list of tuple
        ``(output, table, inputs)``: bit i of the table is the output for the inputs that spell i, the first from bit 0. In
        topological order.
    flops : list of tuple
        ``(q, d, value at the start)``.
    rams : list of Ram
    cells : list of Cell
    names : dict
        ``{name: nets}`` of the vectors that have outputs of flip-flops.
    """

    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    luts: list = field(default_factory=list)
    flops: list = field(default_factory=list)
    rams: list = field(default_factory=list)
    cells: list = field(default_factory=list)
    names: dict = field(default_factory=dict)


@dataclass
class Netlist:
    """Units by name; ``top`` is the name of the core, ``key`` a hash of what the netlist was made from."""

    top: str
    units: dict
    key: str


def read_netlist(
    verilog: Path, top: str, hierarchy: str = HIERARCHY, watch: Callable[[str], object] = lambda stage: None
) -> Netlist:
    """The :class:`Netlist` of module ``top`` in a Verilog file.

    ``watch`` is called with ``mapping`` if the netlist is not in the cache. Raises :class:`UsageError` if pyosys is missing, or
    Yosys cannot map the module.
    """
    recipe = Path(__file__).with_name("mapping.py")
    try:
        release = version("pyosys")
    except PackageNotFoundError:
        release = "none"
    key = content_key(recipe, Path(__file__), Path(verilog), text=f"{top} {release} {hierarchy}")
    name = f"netlist-{key}.json"
    path = kept(name)
    if not path:
        need("A simulation", "synth", "pyosys")
        watch("mapping")
        units = _of_json(_mapped(Path(verilog).resolve(), top, hierarchy))
        text = json.dumps({name: _as_dict(unit) for name, unit in units.items()})
        path = keep(name, lambda path: path.write_text(text))
    units = {name: _of_dict(unit) for name, unit in json.loads(path.read_text()).items()}
    return Netlist(top, units, key)


def _mapped(verilog, top, hierarchy):
    """Modules of Yosys' JSON after mapping."""
    with tempfile.TemporaryDirectory() as folder:
        # With more threads the names of nets differ from run to run. abc passes names of files to a shell.
        environment = os.environ | {"YOSYS_MAX_THREADS": "1", "TMPDIR": "."}
        words = [sys.executable, "-P", "-m", "dsnswitch.sim.network.compile.mapping", str(verilog), top, "mapped.json", hierarchy]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
        if done.returncode:
            lines = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
            raise UsageError(f"Yosys cannot map {top}: {(lines or ['no message'])[-1][:300]}")
        return json.loads(Path(folder, "mapped.json").read_text())["modules"]


def _of_json(modules):
    """Units of the modules that Yosys has written."""
    return {name: _unit(module, modules) for name, module in modules.items()}


def _unit(module, modules):
    constants = {"0": ZERO, "1": ONE, "x": ZERO, "z": ZERO}

    def nets(bits):
        return [constants.get(bit, bit) for bit in bits]

    unit = Unit()
    for name, port in module["ports"].items():
        (unit.inputs if port["direction"] == "input" else unit.outputs)[name] = nets(port["bits"])
    starts = {}
    for name, net in module["netnames"].items():
        if not net.get("hide_name"):
            unit.names[name] = nets(net["bits"])
        for place, bit in enumerate(net["bits"]):
            start = net["attributes"].get("init", "")
            if place < len(start) and start[-1 - place] in "01":
                starts[bit] = int(start[-1 - place])
    luts = []
    for name, cell in module["cells"].items():
        kind, pins = cell["type"], {pin: nets(bits) for pin, bits in cell["connections"].items()}
        if kind == "$lut":
            luts.append((pins["Y"][0], int(cell["parameters"]["LUT"], 2), tuple(pins["A"])))
        elif kind == "$_DFF_P_":
            unit.flops.append((pins["Q"][0], pins["D"][0], starts.get(pins["Q"][0], 0)))
        elif kind == "$mem_v2":
            unit.rams.append(_ram(cell["parameters"], pins))
        elif kind in modules:
            unit.cells.append(Cell(name, kind, pins))
        else:
            raise UsageError(f"A simulated core must have one clock edge and no latches, not a cell {kind}")
    unit.luts = _in_order(luts)
    outputs = {q for q, _, _ in unit.flops}
    unit.names = {name: bits for name, bits in unit.names.items() if not outputs.isdisjoint(bits)}
    return unit


def _ram(parameters, pins):
    words, width = int(parameters["SIZE"], 2), int(parameters["WIDTH"], 2)
    start = parameters["INIT"][::-1].ljust(words * width, "x")
    content = [[int(bit == "1") for bit in start[word * width :][:width]] for word in range(words)]
    return Ram(
        words,
        pins["RD_EN"][0],
        pins["RD_ADDR"],
        pins["RD_DATA"],
        pins["WR_EN"][0],
        pins["WR_ADDR"],
        pins["WR_DATA"],
        content if any(map(any, content)) else [],
    )


def _in_order(luts):
    """LUTs, each after those that drive its inputs."""
    by_output = {lut[0]: lut for lut in luts}
    found, state = [], {}
    for root in by_output:
        stack = [root]
        while stack:
            net = stack[-1]
            if state.get(net) == "done" or net not in by_output:
                stack.pop()
                continue
            if state.get(net) == "open":
                state[net] = "done"
                found.append(by_output[net])
                stack.pop()
                continue
            state[net] = "open"
            for other in by_output[net][2]:
                if state.get(other) == "open":
                    raise UsageError("A simulated core must have no combinational loop")
                stack.append(other)
    return found


def _as_dict(unit):
    return {
        **{name: getattr(unit, name) for name in ("inputs", "outputs", "luts", "flops", "names")},
        "rams": [vars(ram) for ram in unit.rams],
        "cells": [vars(cell) for cell in unit.cells],
    }


def _of_dict(values):
    unit = Unit(values["inputs"], values["outputs"])
    unit.luts = [(output, table, tuple(inputs)) for output, table, inputs in values["luts"]]
    unit.flops = [tuple(flop) for flop in values["flops"]]
    unit.rams = [Ram(**ram) for ram in values["rams"]]
    unit.cells = [Cell(**cell) for cell in values["cells"]]
    unit.names = values["names"]
    return unit
