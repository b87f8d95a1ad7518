"""Yosys passes of the recipe. Run as ``python -m dsnswitch.gen.synth.passes JOB``: pyosys in a process of its own.

Yosys ends the process on an error and prints much; the log goes to standard output, results to the job's folder. A job is
a JSON object with ``kind`` (``measure`` or ``finish``), ``verilog``, ``top``, ``library``, ``folder``, ``straps``, ``effort``
(scripts at most) and ``buffers`` (behind registers); to finish also ``netlist`` (stem of the chosen file), ``flip_flops``
(their cell types), ``clocked`` (there are such, or RAM) and ``prove``.
"""

import json
import sys
from itertools import product
from pathlib import Path

from .buffers import buffered
from .library import RAM

__all__ = ["BUFFERED", "EFFORT", "FRONT", "FULL", "GENERIC_GATES", "GENERIC_MAPS", "MAPS", "RAM_BITS", "STATIC"]

#: Passes from Verilog to gates, for every design. Between the first two and the rest large memories become black boxes.
FRONT = (
    "hierarchy -check -top {top}",
    "synth -flatten -noabc -top {top} -run begin:fine",
    "synth -noabc -run fine:",
    "opt_clean -purge",
)

#: Memories of at least so many bits stay RAM, with the register of their read port; smaller ones become flip-flops.
RAM_BITS = 1024

#: What the stem of a netlist with buffers behind registers ends in.
BUFFERED = "b"

#: Gates of the technology-independent count: two inputs, inverters counted too.
GENERIC_GATES = "AND,NAND,OR,NOR,XOR,XNOR"

#: abc options for that count: Yosys' own script, which restructures for few gates, and one that keeps to few levels. Of the
#: two results the one with fewer levels counts, then the one with fewer gates.
GENERIC_MAPS = ("", "-script +strash;dch;map")

#: Module that holds the logic fed by straps and constants alone.
STATIC = "static_terms"

_CLEAN = {
    "scorr": "strash;ifraig;scorr;strash",
    "dch": "strash;dch;strash",
    "dc2": "strash;ifraig;scorr;dc2;strash",
}
_RESTRUCTURE = {
    "lut8": "if,-x,-K,8,-C,8;strash",
    "sop6": "if,-g,-K,6,-C,8;strash",
    "lut6": "if,-x,-K,6,-C,8;strash;dch;if,-x,-K,6,-C,8;strash",
}
_MAP = {
    "dch": "&get,-n;&dch;&nf,-F,5;&put",
    "syn2": "&get,-n;&syn2;&dch;&nf;&put",
    "st": "&get,-n;&st;&dch,-f;&nf,-R,10;&put",
}
_FANOUT = {"3": "buffer,-c,-N,3", "4": "buffer,-c,-N,4"}
_SIZE = "topo;upsize;dnsize;stime,-p"

#: These first: of all sets of so many, what was fastest over the designs of docs/synthesis.md.
_FIRST = (
    "dch/lut8/dch/3",
    "scorr/lut8/syn2/4",
    "dch/sop6/dch/3",
    "dc2/lut6/st/3",
    "scorr/sop6/syn2/4",
    "dch/lut8/st/3",
)


def _maps():
    parts = product(_CLEAN, _RESTRUCTURE, _MAP, _FANOUT)
    names = dict.fromkeys([*_FIRST, *map("/".join, parts)])
    tables = (_CLEAN, _RESTRUCTURE, _MAP, _FANOUT)
    return {name: ";".join([*(t[p] for t, p in zip(tables, name.split("/"))), _SIZE]) for name in names}


#: abc scripts of the mapping by name: every combination of how to clean up, restructure, choose and buffer.
MAPS = _maps()

#: Number of them.
FULL = len(MAPS)

#: How many of them a design gets, by its generic gates: the fastest result counts.
EFFORT = ((525, FULL), (6000, 12), (float("inf"), 2))


def measure(run, job):
    """Map with every script and count generic gates; if there are straps, also with their logic in, by the first scripts."""
    folder = job["folder"]
    _front(run, job)
    run("design -save front")
    for index, script in enumerate(GENERIC_MAPS):
        run("design -load front")
        run(f"abc {script} -g {GENERIC_GATES}")
        run("opt_clean -purge")
        run("ltp -noff")
        run(f"tee -o {folder}/generic_{index}.json stat -json")
    gates = json.loads(Path(folder, "generic_0.json").read_text())["design"]["num_cells"]
    effort = min(job["effort"], next(count for limit, count in EFFORT if gates <= limit))
    for kind in ("cut", "whole") if job["straps"] else ("cut",):
        run("design -load front")
        _prepare(run, job, cut=kind == "cut")
        run("design -save prepared")
        run(f"write_rtlil {folder}/{kind}.il")
        for index, script in list(enumerate(MAPS.values()))[: effort if kind == "cut" else min(effort, 6)]:
            run("design -load prepared")
            run(f"log @@ {kind} {index}")
            run(f"abc -liberty {job['library']} -script +{script}")
            if kind == "cut":
                run("opt_clean -purge")
                _write(run, job, index)
                if job["buffers"]:
                    _buffer(run, job, index)


def _write(run, job, name):
    folder = job["folder"]
    run(f"tee -o {folder}/{name}.stat.json stat -json -top {job['top']} -liberty {job['library']}")
    run(f"write_json {folder}/{name}.json")
    run(f"write_rtlil {folder}/{name}.il")


def _buffer(run, job, index):
    """The same netlist with buffers behind registers, if any needs some."""
    path = Path(job["folder"], f"{index}.json")
    netlist = json.loads(path.read_text())
    if buffered(netlist, job["top"]):
        path = path.with_name(f"{index}{BUFFERED}.json")
        path.write_text(json.dumps(netlist))
        run("design -reset")
        run(f"read_json {path}")
        _write(run, job, path.stem)


def finish(run, job):
    """Write ``netlist.v`` of the chosen script and, for a proof, ``gate.blif`` of it and ``gold.blif``.

    Gold is the RTL, or with flip-flops or RAM what ``FRONT`` makes of it: theirs have the same names as the netlist's.
    """
    folder, library = job["folder"], job["library"]
    if job["prove"]:
        if job["clocked"]:
            run(f"read_rtlil {folder}/cut.il")
            run(f"read_liberty -lib {library}")
            run("flatten")
        else:
            run(f"read_verilog -sv {job['verilog']}")
            for command in (f"hierarchy -check -top {job['top']}", "proc", "flatten", "opt_clean", "techmap"):
                run(command)
        _write_aig(run, f"{folder}/gold.blif")
        run("design -reset")
    run(f"read_rtlil {folder}/{job['netlist']}.il")
    run(f"write_verilog -noattr -simple-lhs {folder}/netlist.v")
    if not job["prove"]:
        return
    # Cells become what the library says they do.
    run(f"read_liberty -ignore_miss_func {library}")
    for kind in job["flip_flops"]:
        run(f"blackbox {kind}")
    run("flatten")
    run("simplemap")
    _write_aig(run, f"{folder}/gate.blif")


def _front(run, job):
    run(f"read_verilog -sv {job['verilog']}")
    for line in FRONT[:2]:
        run(line.format(top=job["top"]))
    _keep_ram(run, job)
    for line in FRONT[2:]:
        run(line)


def _keep_ram(run, job):
    """Each large memory as a black box of its own; in ``ram.json`` the bits of all and the output pins of each."""
    listed = Path(job["folder"], "memories.txt")
    run(f"tee -o {listed} select -list t:$mem_v2")
    found = {"bits": 0, "outputs": {}}
    # Without a memory nothing is touched: another order or name of cells is another throw of the mapper's die.
    if f"{job['top']}/" in listed.read_text():
        run("rename -enumerate -pattern memory_% t:$mem_v2")
        for index, (name, cell) in enumerate(_cells(run, job, "$mem_v2")):
            size = int(cell["parameters"]["SIZE"], 2) * int(cell["parameters"]["WIDTH"], 2)
            if size >= RAM_BITS:
                found["bits"] += size
                run(f"submod -name {RAM}_{index} c:{name}")
                run(f"blackbox {RAM}_{index}")
        for _, cell in _cells(run, job, RAM):
            ways = cell["port_directions"].items()
            found["outputs"][cell["type"]] = [pin for pin, way in ways if way == "output"]
    Path(job["folder"], "ram.json").write_text(json.dumps(found))


def _cells(run, job, kind):
    """Name and contents of all cells of a kind."""
    path = Path(job["folder"], "memories.json")
    run(f"write_json {path}")
    cells = json.loads(path.read_text())["modules"][job["top"]]["cells"]
    return [(name, cell) for name, cell in cells.items() if cell["type"].startswith(kind)]


def _prepare(run, job, cut):
    if cut and job["straps"]:
        packet = " ".join(f"i:* {' '.join(f'i:{name} %d' for name in job['straps'])}".split())
        run(f"select -set packet {packet} %co*")
        run(f"submod -name {STATIC} t:* @packet %d")
    run(f"dfflibmap -liberty {job['library']}")


def _write_aig(run, path):
    run("aigmap")
    run("opt_clean")
    run("rename -top m")
    run(f"write_blif -cname {path}")


if __name__ == "__main__":
    from pyosys import libyosys as ys

    design = ys.Design()
    told = json.loads(sys.argv[1])
    {"measure": measure, "finish": finish}[told["kind"]](lambda command: ys.run_pass(command, design), told)
