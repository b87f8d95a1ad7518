"""The one synthesis recipe: pyosys and abc, the same passes for every design. Runs in a process of its own.

Yosys ends the process on an error and prints much, so :func:`run` starts ``python -m dsnswitch.gen.synth.recipe`` and reads
what it leaves behind.

Static logic (fed by straps and constants alone) becomes a module of its own before mapping. Its outputs have settled when a
packet comes, so they are inputs at time 0 to the rest, and no path through it is timed or optimised as if it mattered. The
figure with those paths in comes from a second run without the cut.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ..errors import UsageError
from .library import liberty

__all__ = ["ABC_MAP", "FRONT", "GENERIC_GATES", "Mapping", "run"]

#: Passes from Verilog to gates, for every design.
FRONT = ("hierarchy -check -top {top}", "synth -flatten -noabc -top {top}", "opt_clean -purge")

#: abc script of the mapping. Others were tried and are slower or larger by factors; it is fixed so that figures compare.
ABC_MAP = "strash;ifraig;scorr;dc2;strash;&get,-n;&dch,-f;&nf;&put;buffer,-c;topo;upsize;dnsize;stime,-p"

#: Gates of the technology-independent count: two inputs, inverters counted too.
GENERIC_GATES = "AND,NAND,OR,NOR,XOR,XNOR"

STATIC = "static_terms"


class Mapping(dict):
    """Figures of one run: ``cells`` (by type), ``area``, ``static_area``, ``delay``, ``generic``, ``netlist_hash``."""


def run(verilog, top, straps=(), library=None):
    """Synthesize module ``top`` of the file ``verilog``.

    Parameters
    ----------
    verilog : path
        Source, Verilog or SystemVerilog.
    top : str
        Its top module.
    straps : sequence of str
        Static inputs.
    library : path or None
        Liberty file; the model library by default.

    Returns
    -------
    Mapping
        ``area`` and ``static_area`` (part of it) in the library's unit, ``delay`` from packet inputs and ``delay_all`` with
        the straps' paths, in the library's unit of time / 1000 (FO4, or ns), ``flip_flops``, ``cells`` by type, ``generic``
        with ``gates``, ``levels`` of two-input gates, and ``netlist_hash`` (sha256 of the mapped Verilog).

    Raises
    ------
    UsageError
        If Yosys refuses the design.
    """
    with tempfile.TemporaryDirectory() as folder:
        lib = Path(folder, "model.lib")
        lib.write_text(liberty(), encoding="utf-8")
        job = {"verilog": str(Path(verilog).resolve()), "top": top, "library": str(library or lib), "folder": folder}
        timed = _map(job | {"straps": list(straps)})
        timed["delay_all"] = _map(job | {"straps": []})["delay"] if straps else timed["delay"]
        timed["generic"] = _generic(job)
    return timed


def _map(job):
    log = _process(job | {"kind": "map"})
    folder = Path(job["folder"])
    stat = json.loads((folder / "stat.json").read_text())["modules"]
    # Yosys extracts every module first and then maps them in that order; a module without logic reports no delay.
    modules = re.findall(r"Extracting gate netlist of module `\\(\S+)'", log)
    times = [float(found) / 1000 for found in re.findall(r"^ABC:.*\bDelay =\s*([\d.]+) ps", log, re.MULTILINE)]
    delays = dict(zip(modules, times))
    cells = {}
    for figures in stat.values():
        for kind, count in figures["num_cells_by_type"].items():
            if "\\" + kind not in stat and kind not in stat:
                cells[kind] = cells.get(kind, 0) + count
    static = next((figures["area"] for name, figures in stat.items() if name.strip("\\") == STATIC), 0.0)
    # Yosys adds the areas of instantiated modules to their parent.
    area = next(figures for name, figures in stat.items() if name.strip("\\") == job["top"])["area"]
    return Mapping(
        area=round(area, 4),
        static_area=round(static, 4),
        delay=round(delays.get(job["top"], 0.0), 4),
        flip_flops=sum(count for kind, count in cells.items() if "DFF" in kind),
        cells=dict(sorted(cells.items())),
        netlist_hash=hashlib.sha256((folder / "netlist.v").read_bytes()).hexdigest(),
    )


def _generic(job):
    log = _process(job | {"kind": "generic", "straps": []})
    stat = json.loads((Path(job["folder"]) / "stat.json").read_text())["design"]["num_cells_by_type"]
    levels = re.findall(r"Longest topological path in \S+ \(length=(\d+)\)", log)
    gates = sum(count for kind, count in stat.items() if not re.search("DFF|LATCH|scopeinfo", kind))
    return {"gates": gates, "levels": int(levels[-1]) if levels else 0}


def _process(job):
    command = [sys.executable, "-m", "dsnswitch.gen.synth.recipe", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = re.findall(r"ERROR: .*", done.stdout + done.stderr)
        raise UsageError(
            f"Yosys cannot synthesize {job['top']}: {errors[0][7:] if errors else done.stderr.strip()[-200:]}"
        )
    return done.stdout


def passes(job):
    """Every pass of a job, in order."""
    yield f"read_verilog -sv {job['verilog']}"
    yield from (line.format(top=job["top"]) for line in FRONT)
    if job["kind"] == "generic":
        yield f"abc -g {GENERIC_GATES}"
        yield "opt_clean -purge"
        yield "ltp -noff"
        yield f"tee -o {job['folder']}/stat.json stat -json"
        return
    if job["straps"]:
        packet = " ".join(f"i:* {' '.join(f'i:{name} %d' for name in job['straps'])}".split())
        yield f"select -set packet {packet} %co*"
        yield f"submod -name {STATIC} t:* @packet %d"
    yield f"dfflibmap -liberty {job['library']}"
    yield f"abc -liberty {job['library']} -script +{ABC_MAP}"
    yield "opt_clean -purge"
    yield f"tee -o {job['folder']}/stat.json stat -json -top {job['top']} -liberty {job['library']}"
    yield f"write_verilog -noattr {job['folder']}/netlist.v"


if __name__ == "__main__":
    from pyosys import libyosys as ys

    design = ys.Design()
    for command in passes(json.loads(sys.argv[1])):
        ys.run_pass(command, design)
