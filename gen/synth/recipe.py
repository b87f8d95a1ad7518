"""The one synthesis recipe: pyosys and abc, the same passes for every design (:mod:`.passes`).

Static logic (fed by straps and constants alone) becomes a module of its own before mapping. Its outputs have settled when a
packet comes, so they are inputs at time 0 to the rest, and no path through it is timed or optimised as if it mattered. The
figure with those paths in comes from mappings without the cut.

Mappers are noisy: two scripts that are equally good on average differ by 10 % on one small design. So a fixed list of
scripts is run on every design, and the fastest result counts.
"""

import hashlib
import json
import re
import tempfile
from pathlib import Path

from ..errors import UsageError
from ..yosys import yosys
from . import opensta
from .equivalence import equivalent
from .library import FLIP_FLOP, FO4, MODEL, RAM
from .passes import BUFFERED, FULL, GENERIC_MAPS, MAPS, STATIC
from .timing import timing

__all__ = ["run"]


def run(verilog, top, straps=(), library=MODEL, prove=False, effort=FULL):
    """Synthesize module ``top`` of the file ``verilog``.

    Parameters
    ----------
    verilog : path
        Source, Verilog or SystemVerilog.
    top : str
        Its top module.
    straps : sequence of str
        Static inputs.
    library : Library
        Cell library; the model by default.
    prove : bool
        Also prove the mapped netlist equal to the source.
    effort : int
        Scripts to try at most, for a quick look; figures compare only at the same effort.

    Returns
    -------
    dict
        ``area`` and ``static_area`` (part of it) in the library's unit. ``delay``: the worst path from the packet's
        inputs, in the library's unit of time (FO4, or ns); of a library that is not the model, the worst path of all.
        ``delay_all``: the worst path where straps and their logic count too. Both without flip-flops' own times.
        ``paths`` by class (:mod:`.timing`) and ``period``, the worst of them, with these times; on another library None
        and ``delay``. ``flip_flops``, ``cells`` by type, ``gates`` and ``levels`` of two-input gates. ``memory_bits``: of
        memories that stay RAM, in no other figure. ``map``: name of the fastest script;
        ``tried``: ``period`` and ``area`` of each by name. ``netlist_hash``: sha256 of the mapped Verilog.
        ``equivalent``: None without ``prove``. ``delay_opensta``: from the packet's inputs, None on the model or without
        OpenSTA.

    Raises
    ------
    UsageError
        If Yosys refuses the design.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cells.lib")
        path.write_text(library.text(), encoding="utf-8")
        job = {
            "verilog": str(Path(verilog).resolve()),
            "top": top,
            "library": str(path),
            "folder": folder,
            "straps": list(straps),
            "effort": effort,
            "buffers": library.is_model,
        }
        log = _process(job | {"kind": "measure"})
        tried = [_best(job, mapped, library) for mapped in _mapped(log, "cut")]
        found = min(tried, key=_fastest)
        found["tried"] = {one["map"]: {"period": one["period"], "area": one["area"]} for one in tried}
        found["delay_all"] = min(delay for _, delay in _mapped(log, "whole")) if straps else found["delay"]
        found |= _generic(job, log)
        ram = json.loads(Path(folder, "ram.json").read_text())
        found["memory_bits"] = ram["bits"]
        flip_flops = [kind for kind in found["cells"] if "DFF" in kind]
        clocked = bool(flip_flops or ram["outputs"])
        job |= {"netlist": found.pop("netlist"), "flip_flops": flip_flops, "clocked": clocked, "prove": prove}
        _process(job | {"kind": "finish"})
        found["netlist_hash"] = hashlib.sha256(Path(folder, "netlist.v").read_bytes()).hexdigest()
        found["equivalent"] = None
        if prove:
            found["equivalent"] = equivalent(Path(folder, "gold.blif"), Path(folder, "gate.blif"), ram["outputs"])
        found["delay_opensta"] = None if library.is_model else _cross_check(job, found)
    return found


def _fastest(found):
    return found["period"], found["delay"], found["area"], found["map"]


def _mapped(log, kind):
    """``(index, delay by stime)`` of every script that ran on ``kind`` of a netlist."""
    for index, part in re.findall(rf"@@ {kind} (\d+)\n(.*?)(?=@@|\Z)", log, re.DOTALL):
        # A module without logic reports no delay; the static module is not asked.
        modules = re.findall(r"Extracting gate netlist of module `\\(\S+)'", part)
        times = re.findall(r"^ABC:.*\bDelay =\s*([\d.]+) ps", part, re.MULTILINE)
        delays = [float(time) / 1000 for name, time in zip(modules, times) if name != STATIC]
        yield int(index), max(delays, default=0.0)


def _best(job, mapped, library):
    """Figures of a script: of its netlist as it is, or with buffers behind registers."""
    index, delay = mapped
    stems = [stem for stem in (f"{index}", f"{index}{BUFFERED}") if Path(job["folder"], f"{stem}.json").exists()]
    return min((_figures(job, stem, index, delay, library) for stem in stems), key=_fastest)


def _figures(job, name, index, delay, library):
    stem = f"{job['folder']}/{name}"
    stat = json.loads(Path(f"{stem}.stat.json").read_text())["modules"]
    stat = {name.removeprefix("\\"): figures for name, figures in stat.items()}
    cells = {}
    for figures in stat.values():
        for kind, count in figures["num_cells_by_type"].items():
            if kind.removeprefix("\\") not in stat and not kind.removeprefix("\\").startswith(RAM):
                cells[kind] = cells.get(kind, 0) + count
    flip_flops = sum(count for kind, count in cells.items() if "DFF" in kind)
    paths, period = None, delay
    if library.is_model:
        paths = timing(json.loads(Path(f"{stem}.json").read_text()), job["top"], job["straps"])
        period = max((time for time in paths.values() if time is not None), default=0.0)
        # From the packet's inputs alone, without the setup time.
        into = paths["input_to_register"]
        starts = (paths["input_to_output"], None if into is None else into - FLIP_FLOP["setup"] / FO4)
        delay = max((time for time in starts if time is not None), default=0.0)
    return {
        # Yosys adds the areas of instantiated modules to their parent.
        "area": round(stat[job["top"]].get("area", 0.0), 4),
        "static_area": round(stat[STATIC]["area"], 4) if STATIC in stat else 0.0,
        "delay": round(delay, 4),
        "paths": paths,
        "period": round(period, 4),
        "flip_flops": flip_flops,
        "cells": dict(sorted(cells.items())),
        "map": list(MAPS)[index],
        "netlist": name,
    }


def _cross_check(job, found):
    netlist = Path(job["folder"], f"{job['netlist']}.json")
    ports = json.loads(netlist.read_text())["modules"][job["top"]]["ports"]
    inputs = [
        f"{name}[*]" if len(port["bits"]) > 1 else name
        for name, port in ports.items()
        if port["direction"] == "input" and name not in (*job["straps"], "clk", "rst")
    ]
    return opensta.delay(f"{job['folder']}/netlist.v", job["top"], job["library"], inputs, found["flip_flops"] > 0)


def _generic(job, log):
    counts = []
    levels = re.findall(r"Longest topological path in \S+ \(length=(\d+)\)", log)
    for index in range(len(GENERIC_MAPS)):
        stat = json.loads(Path(job["folder"], f"generic_{index}.json").read_text())["design"]["num_cells_by_type"]
        gates = sum(count for kind, count in stat.items() if not re.search("DFF|LATCH|scopeinfo", kind))
        counts.append((int(levels[index]) if levels else 0, gates))
    return dict(zip(("levels", "gates"), min(counts)))


def _process(job):
    done = yosys("-m", "dsnswitch.gen.synth.passes", json.dumps(job))
    if done.returncode:
        errors = re.findall(r"ERROR: .*", done.stdout + done.stderr)
        reason = errors[0][7:] if errors else done.stderr.strip()[-200:]
        raise UsageError(f"Yosys cannot synthesize {job['top']}: {reason}")
    return done.stdout
