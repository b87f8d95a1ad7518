"""The one synthesis recipe: pyosys and abc, the same passes for every design (:mod:`passes`).

Static logic depends on straps and constants alone. Its outputs have settled before a packet arrives, so no path through it is
timed. Each script maps a design with static inputs twice, with and without a cut. With the cut, static logic is a separate
module, whose outputs are inputs of the rest at time 0. Without it, static logic is mapped with the rest. The cut prevents the
mapper from optimising paths that do not matter. Without it, the mapper may move gates across the border. For some designs the
cut gives the faster netlist, for others it does not.

Mappers are noisy: two scripts that are equally good on average differ by 10 % on one small design. So a fixed list of
scripts is run on every design, and the fastest result counts.
"""

import hashlib
import json
import re
import shutil
import tempfile
from pathlib import Path

from dsnswitch.lab.synth import timing as opensta
from dsnswitch.lab.synth.elaborate import ELABORATED
from dsnswitch.lab.synth.equivalence import equivalent
from dsnswitch.lab.synth.library import FLIP_FLOP, FO4, MODEL, RAM
from dsnswitch.lab.synth.memory import remark
from dsnswitch.lab.synth.passes import BUFFERED, CUT, FULL, GENERIC_MAPS, MAPS, STATIC, WHOLE
from dsnswitch.lab.synth.timing import timing
from dsnswitch.lab.synth.yosys import process, process_source
from dsnswitch.net import limits
from dsnswitch.net.messages import UsageError

#: Seconds after which the proof of a user's design is given up. XOR networks that the mapper restructured can take for ever.
PROOF_SECONDS = 300

#: Files of a synthesis that can be kept: the mapped netlist without hierarchy, the source as the proof takes it, the cell
#: library, and names.
KEPT = ("flat.json", "gold.blif", "cells.lib", ELABORATED)


def synthesize(source, library=MODEL, prove=False, effort=FULL, keep=None, most=None, watch=lambda stage: None):
    """Synthesize a :class:`Source`.

    With ``prove``, the mapped netlist is also proved equal to the source. ``effort`` is the most scripts to try: a low number is
    for quick estimates, and figures are comparable only at the same effort. ``keep`` is a folder that receives the files
    :data:`KEPT`; it needs ``prove``. ``most`` gates before the mapping are accepted, by default :data:`MOST_CELLS`. ``watch`` is
    called with the name of each stage when it begins.

    Returns
    -------
    dict
        ``area`` and ``static_area`` (part of it) in the library's unit. ``delay``: the worst path from the packet's
        inputs, in the library's unit of time (FO4, or ns); of a library that is not the model, the worst path of all.
        ``delay_all``: the worst path where straps and their logic count too. Both without flip-flops' own times.
        ``paths`` by class (:mod:`timing`) and ``period``, the worst of them, with these times; on another library
        None and ``delay``. ``flip_flops``, ``cells`` by type, ``gates`` and ``levels`` of two-input gates;
        ``generic``: both by each script of :data:`GENERIC_MAPS`. ``memory_bits``: of memories that stay RAM,
        in no other figure. ``resets``: flip-flops of the source, of any width, whose asynchronous reset was made
        synchronous. ``map``: name of the fastest script; ``cut``: whether its netlist is one with the cut, None
        without straps; ``tried``: ``period`` and ``area`` of each by name, without the cut by ``NAME whole`` where
        there are straps. ``netlist_hash``: sha256 of the mapped Verilog. ``equivalent``: None without ``prove``,
        or if the solver reaches no verdict on a user's design.
        ``delay_opensta``: from the packet's inputs, None on the model or without OpenSTA. ``notes``: sentences about what
        the figures do not say.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = library.text()
        Path(folder, "cells.lib").write_text(text, encoding="utf-8")
        job = source.job | {"folder": folder, "effort": effort, "buffers": library.is_model, "kind": "measure"}
        job["most_cells"] = most or limits.MOST_CELLS
        log = process_source(job, source, watch)
        elaborated = json.loads(Path(folder, ELABORATED).read_text())
        job |= {key: elaborated[key] for key in ("top", "straps")}
        kinds = (CUT, WHOLE) if source.straps else (WHOLE,)
        watch("timing")
        tried = [_best(job, kind, mapped, library) for kind in kinds for mapped in _mapped(log, kind)]
        found = min(tried, key=_fastest)
        _refuse_foreign_cells(found["cells"], text, source.top)
        found["tried"] = {_label(one): {"period": one["period"], "area": one["area"]} for one in tried}
        found["delay_all"] = min(delay for _, delay in _mapped(log, WHOLE)) if source.straps else found["delay"]
        found["resets"] = elaborated["resets"]
        found |= _generic(job, log)
        ram = json.loads(Path(folder, "ram.json").read_text())
        found["memory_bits"] = ram["bits"]
        flip_flops = [kind for kind in found["cells"] if "DFF" in kind]
        found["notes"] = _notes(job, ram["memories"])
        front = bool(flip_flops or ram["outputs"] or found["notes"] or elaborated["undefined"])
        job |= {"netlist": found.pop("netlist"), "flip_flops": flip_flops, "front": front, "prove": prove}
        found["notes"] = [*source.notes, *found["notes"]]
        job["flat"] = keep is not None
        process(job | {"kind": "finish"}, source.top)
        if not found["cut"]:
            static = json.loads(Path(folder, "static.json").read_text())["modules"]
            found["static_area"] = round(sum(module.get("area", 0.0) for module in static.values()), 4)
        found["netlist_hash"] = hashlib.sha256(Path(folder, "netlist.v").read_bytes()).hexdigest()
        found["equivalent"] = None
        if prove:
            watch("proof")
            seconds = PROOF_SECONDS if source.foreign else None
            try:
                found["equivalent"] = equivalent(Path(folder, "gold.blif"), Path(folder, "gate.blif"), ram["outputs"], seconds)
            except UsageError as error:
                # A user wants the other figures all the same. The netlists of this project's own blocks must be proved.
                if not source.foreign:
                    raise
                found["notes"].append(f"not proved: {error}")
        found["delay_opensta"] = None if library.is_model else _cross_check(job, found)
        for name in KEPT if keep else ():
            shutil.copy(Path(folder, name), Path(keep, name))
    return found


def _notes(job, memories):
    """Sentences about RAM with many ports, and about XOR networks of a user's design."""
    notes = [text for text in map(remark, memories) if text]
    if job["foreign"]:
        xors = json.loads(Path(job["folder"], "balanced.json").read_text())
        if xors["balanced"]:
            before, after = max(xors["balanced"])
            notes.append(f"XOR networks balanced: {len(xors['balanced'])}; the deepest had {before} gates, and has {after}")
        if xors["large"]:
            notes.append(f"XOR networks too large to balance, whose delay is that of the source's shape: {xors['large']}")
    return notes


def _fastest(found):
    return found["period"], found["delay"], found["area"], found["map"]


def _label(found):
    """Name of a script in ``tried``."""
    return found["map"] + " whole" * (found["cut"] is False)


def _refuse_foreign_cells(cells, library, top):
    """Raise a :class:`UsageError` if there is a cell that the Liberty text ``library`` does not have."""
    known = set(re.findall(r'^\s*cell\s*\(\s*"?(\w+)', library, re.MULTILINE))
    foreign = [kind.removeprefix("\\") for kind in cells if kind.removeprefix("\\") not in known]
    if foreign:
        raise UsageError(f"{top} needs {foreign[0]}, which the cell library does not have")


def _mapped(log, kind):
    """``(index, delay by stime)`` of every script that ran on ``kind`` of a netlist."""
    for index, part in re.findall(rf"@@ {kind} (\d+)\n(.*?)(?=@@|\Z)", log, re.DOTALL):
        # A module without logic reports no delay, and the static module is not timed.
        modules = re.findall(r"Extracting gate netlist of module `\\(\S+)'", part)
        times = re.findall(r"^ABC:.*\bDelay =\s*([\d.]+) ps", part, re.MULTILINE)
        delays = [float(time) / 1000 for name, time in zip(modules, times) if name != STATIC]
        yield int(index), max(delays, default=0.0)


def _best(job, kind, mapped, library):
    """Figures of a script: of its netlist as it is, or with buffers after registers."""
    index, delay = mapped
    stem = f"{kind}_{index}"
    stems = [name for name in (stem, f"{stem}{BUFFERED}") if Path(job["folder"], f"{name}.json").exists()]
    return min((_figures(job, kind, name, index, delay, library) for name in stems), key=_fastest)


def _figures(job, kind, name, index, delay, library):
    stem = f"{job['folder']}/{name}"
    stat = json.loads(Path(f"{stem}.stat.json").read_text())["modules"]
    stat = {name.removeprefix("\\"): figures for name, figures in stat.items()}
    cells = {}
    for figures in stat.values():
        for cell, count in figures["num_cells_by_type"].items():
            if cell.removeprefix("\\") not in stat and not cell.removeprefix("\\").startswith(RAM):
                cells[cell] = cells.get(cell, 0) + count
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
        "cut": kind == CUT if job["straps"] else None,
        "netlist": name,
    }


def _cross_check(job, found):
    """The delay by OpenSTA; None also for a design with several clocks, or one whose clock is not an input."""
    module = json.loads(Path(job["folder"], f"{job['netlist']}.json").read_text())["modules"][job["top"]]
    inputs = {name: port["bits"] for name, port in module["ports"].items() if port["direction"] == "input"}
    bits = {bit for cell in module["cells"].values() for bit in cell["connections"].get("CLK", ())}
    clocks = [name for name, pins in inputs.items() if bits & set(pins)]
    if (found["flip_flops"] and len(bits) != 1) or len(clocks) != len(bits):
        return None
    ports = [
        f"{name}[*]" if len(pins) > 1 else name
        for name, pins in inputs.items()
        if name not in (*job["straps"], *clocks, "clk", "rst")
    ]
    return opensta.delay(job["folder"], job["top"], ports, clocks)


def _generic(job, log):
    counts = {}
    levels = re.findall(r"Longest topological path in \S+ \(length=(\d+)\)", log)
    for index, name in enumerate(GENERIC_MAPS):
        stat = json.loads(Path(job["folder"], f"generic_{index}.json").read_text())["design"]["num_cells_by_type"]
        gates = sum(count for kind, count in stat.items() if not re.search("DFF|LATCH|scopeinfo", kind))
        counts[name] = {"levels": int(levels[index]) if levels else 0, "gates": gates}
    return min(counts.values(), key=lambda count: (count["levels"], count["gates"])) | {"generic": counts}
