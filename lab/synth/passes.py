"""Yosys passes of the recipe: a program of its own, ``python -m dsnswitch.lab.synth.passes JOB``, called by :mod:`recipe`.

The passes run in a process of their own, because Yosys ends the process on an error and prints a long log. The log is written
to standard output. Results are written to the job's folder, which contains the cell library as ``cells.lib``.

A job is a JSON object with ``kind`` (``measure`` or ``finish``), ``top``, ``straps`` and ``folder``. A job of the kind
``measure`` has the keys of a :class:`Source`, too, ``effort`` (most scripts) and ``buffers`` (after registers). A job of the
kind ``finish`` also has ``netlist`` (stem of the chosen file), ``flip_flops`` (their cell types), ``front`` (the proof starts
after ``FRONT``), ``flat`` (write ``flat.json``, the netlist without hierarchy) and ``prove``.
"""

import json
import os
import sys
from itertools import product
from pathlib import Path

from dsnswitch.lab.synth.elaborate import elaborate
from dsnswitch.lab.synth.library import RAM
from dsnswitch.lab.synth.memory import keep_ram
from dsnswitch.lab.synth.netlist import balance, buffered
from dsnswitch.lab.synth.yosys import STAGE, session

#: Passes from an elaborated design to gates. After the first large memories become black boxes.
FRONT = ("synth -flatten -noabc -run begin:fine", "synth -noabc -run fine:", "opt_clean -purge")

#: Stems of netlists in which static logic is a module of its own, and in which it is mapped with the rest.
CUT, WHOLE = "cut", "whole"

#: Suffix of the stem of a netlist with buffers after registers.
BUFFERED = "b"

#: Gates of the technology-independent count: two inputs, inverters counted too.
GENERIC_GATES = "AND,NAND,OR,NOR,XOR,XNOR"

#: abc options for that count by name: Yosys' own script, which restructures for few gates, and one that keeps to few levels. Of
#: the two results the one with fewer levels counts, then the one with fewer gates.
GENERIC_MAPS = {"yosys": "", "dch": "-script +strash;dch;map"}

#: Most rounds of balancing.
ROUNDS = 4

#: Module that holds the logic fed by straps and constants alone.
STATIC = "static_terms"

_CLEAN = {"scorr": "strash;ifraig;scorr;strash", "dch": "strash;dch;strash", "dc2": "strash;ifraig;scorr;dc2;strash"}
_RESTRUCTURE = {
    "lut8": "if,-x,-K,8,-C,8;strash",
    "sop6": "if,-g,-K,6,-C,8;strash",
    "lut6": "if,-x,-K,6,-C,8;strash;dch;if,-x,-K,6,-C,8;strash",
}
_MAP = {"dch": "&get,-n;&dch;&nf,-F,5;&put", "syn2": "&get,-n;&syn2;&dch;&nf;&put", "st": "&get,-n;&st;&dch,-f;&nf,-R,10;&put"}
_FANOUT = {"3": "buffer,-c,-N,3", "4": "buffer,-c,-N,4"}
_SIZE = "topo;upsize;dnsize;stime,-p"

#: The scripts that run first: of all sets of this size, the fastest over the designs of docs/synthesis.md.
_FIRST = ("dch/lut8/dch/3", "scorr/lut8/syn2/4", "dch/sop6/dch/3", "dc2/lut6/st/3", "scorr/sop6/syn2/4", "dch/lut8/st/3")


def _maps():
    parts = product(_CLEAN, _RESTRUCTURE, _MAP, _FANOUT)
    names = dict.fromkeys([*_FIRST, *map("/".join, parts)])
    tables = (_CLEAN, _RESTRUCTURE, _MAP, _FANOUT)
    return {name: ";".join([*(t[p] for t, p in zip(tables, name.split("/"))), _SIZE]) for name in names}


#: abc scripts of the mapping by name: every combination of how to clean up, restructure, choose and buffer.
MAPS = _maps()

#: Number of these scripts.
FULL = len(MAPS)

#: Number of scripts by the number of generic gates of a design. The fastest result counts.
EFFORT = ((525, FULL), (6000, 12), (float("inf"), 2))


def measure(run, job) -> None:
    """Map with every script and count generic gates; if there are straps, with and without a cut around their logic."""
    _stage(run, "front end")
    _front(run, job)
    _refuse_large(run, job)
    if job["foreign"]:
        _balance(run, job)
    run("design -save front")
    _stage(run, "count of gates")
    for index, script in enumerate(GENERIC_MAPS.values()):
        run("design -load front")
        run("abc", *script.split(), "-g", GENERIC_GATES)
        run("opt_clean -purge")
        # A RAM ends a path, like a flip-flop.
        run("ltp -noff", "*", f"t:{RAM}_*", "%d")
        run("tee -o", f"generic_{index}.json", "stat", "-json")
    gates = json.loads(Path("generic_0.json").read_text())["design"]["num_cells"]
    effort = min(job["effort"], next(count for limit, count in EFFORT if gates <= limit))
    kinds = (CUT, WHOLE) if job["straps"] else (WHOLE,)
    for part, kind in enumerate(kinds):
        run("design -load front")
        _prepare(run, job, cut=kind == CUT)
        run("design -save prepared")
        run("write_rtlil", f"{kind}.il")
        for index, script in list(enumerate(MAPS.values()))[:effort]:
            run("design -load prepared")
            _stage(run, f"script {part * effort + index + 1} of {len(kinds) * effort}")
            run("log", f"@@ {kind} {index}")
            run("abc -liberty cells.lib -script", f"+{script}")
            run("opt_clean -purge")
            _write(run, job, f"{kind}_{index}")
            if job["buffers"]:
                _buffer(run, job, f"{kind}_{index}")


def _stage(run, text):
    run("log", f"{STAGE}{text}")


def _write(run, job, stem):
    run("tee -o", f"{stem}.stat.json", "stat", "-json", "-top", job["top"], "-liberty", "cells.lib")
    run("write_json", f"{stem}.json")
    run("write_rtlil", f"{stem}.il")


def _buffer(run, job, stem):
    """The same netlist with buffers after registers, if any needs some."""
    netlist = json.loads(Path(f"{stem}.json").read_text())
    if buffered(netlist, job["top"]):
        stem = f"{stem}{BUFFERED}"
        Path(f"{stem}.json").write_text(json.dumps(netlist))
        run("design -reset")
        run("read_json", f"{stem}.json")
        _write(run, job, stem)


def finish(run, job) -> None:
    """Write ``netlist.v`` and ``static.json`` of the chosen netlist and, for a proof, ``gate.blif`` of it and ``gold.blif``.

    Gold is the elaborated design. With ``front``, it is the result of ``FRONT``: flip-flops and RAM have the names of the
    netlist, and XOR networks are balanced, which the solver could not prove, and :func:`balance` has.
    """
    if job["prove"]:
        if job["front"]:
            run("read_rtlil", f"{job['netlist'].partition('_')[0]}.il")
            run("read_liberty -lib cells.lib")
            run("flatten")
        else:
            run("read_rtlil elaborated.il")
            for command in ("flatten", "opt_clean", "memory -nomap", "memory_map", "techmap"):
                run(command)
        _write_aig(run, "gold.blif")
        run("design -reset")
    run("read_rtlil", f"{job['netlist']}.il")
    run("write_verilog -noattr -simple-lhs netlist.v")
    _static_cells(run, job)
    if job["flat"]:
        run("design -save netlist")
        run("flatten")
        run("opt_clean -purge")
        run("write_json flat.json")
        run("design -load netlist")
    if not job["prove"]:
        return
    # Cells are replaced by their functions in the library.
    run("read_liberty -ignore_miss_func cells.lib")
    for kind in job["flip_flops"]:
        run("blackbox", kind)
    run("flatten")
    run("simplemap")
    _write_aig(run, "gate.blif")


def _static_cells(run, job):
    """Area of the cells that no input but straps reaches, of a netlist without the cut, in ``static.json``."""
    run("design -save netlist")
    # The library's cells as black boxes, which state the directions of their pins.
    run("read_liberty -lib cells.lib")
    _select_packet(run, job)
    run("select -set static t:* @packet %d")
    run("tee -o static.json stat -json -liberty cells.lib @static")
    run("design -load netlist")


def _select_packet(run, job):
    """Name the logic that the packet's inputs reach ``@packet``."""
    straps = [word for name in job["straps"] for word in (f"i:{name}", "%d")]
    run("select -set packet i:*", *straps, "%co*")


def _front(run, job):
    run(FRONT[0], "-top", job["top"])
    keep_ram(run, job)
    for line in FRONT[1:]:
        run(line)
    run("scc -expect 0")


def _refuse_large(run, job):
    """End with an error before the mapping if there are too many gates."""
    run("tee -o front.json stat -json")
    cells = json.loads(Path("front.json").read_text())["design"]["num_cells"]
    if cells > job["most_cells"]:
        raise SystemExit(f"ERROR: It must have at most {job['most_cells']} gates before mapping, not {cells}")


def _balance(run, job):
    """Balance XOR networks of a user's design (:mod:`netlist`); the result is in ``balanced.json``."""
    found = {"balanced": [], "large": 0}
    # A balanced network makes networks that depend on it less deep, and may so make others worth balancing.
    for _ in range(ROUNDS):
        run("write_json front_gates.json")
        netlist = json.loads(Path("front_gates.json").read_text())
        one = balance(netlist, job["top"])
        found = {"balanced": found["balanced"] + one["balanced"], "large": one["large"]}
        if not one["balanced"]:
            break
        Path("front_gates.json").write_text(json.dumps(netlist))
        run("design -reset")
        run("read_json front_gates.json")
        run("opt_clean -purge")
    Path("balanced.json").write_text(json.dumps(found))


def _prepare(run, job, cut):
    if cut:
        _select_packet(run, job)
        run("submod -name", STATIC, "t:*", "@packet", "%d")
    run("dfflibmap -liberty cells.lib")


def _write_aig(run, path):
    run("aigmap")
    run("opt_clean")
    run("rename -top m")
    run("write_blif -cname", path)


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    design, run = session()
    if job["kind"] == "measure":
        _stage(run, "reading")
        measure(run, elaborate(design, run, job))
    else:
        os.chdir(job["folder"])
        finish(run, job)
