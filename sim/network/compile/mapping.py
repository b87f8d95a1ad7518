"""Maps Verilog to LUTs of three inputs, flip-flops and RAMs with Yosys. A program of its own, because pyosys ends its process on
an error and prints a lot.

    python -m dsnswitch.sim.network.compile.mapping VERILOG TOP RESULT HIERARCHY

A module that occurs several times stays a module, so that its logic is mapped, compiled, and kept in the processor's instruction
cache once. HIERARCHY is the least number of bits of logic that this must save; ``none`` flattens everything.
"""

import json
import sys
from pathlib import Path

from pyosys import libyosys as ys

#: Area counts, and not depth: the logic is evaluated one LUT after the other.
SCRIPT = "+strash;dch;if,-K,3,-a"


def main(verilog: str, top: str, result: str, hierarchy: str) -> None:
    """Map module ``top`` of a file, and write it to ``result`` as JSON of Yosys."""
    design = ys.Design()

    def run(command, *words):
        ys.Pass.call(design, [*command.split(), *words])

    def modules():
        run("write_json", "design.json")
        return json.loads(Path("design.json").read_text())["modules"]

    run("read_verilog", verilog)
    run("hierarchy -check -top", top)
    run("proc")
    run("opt_clean")
    read = modules()
    for name, module in read.items():
        # The simulation begins after a reset, in the state that flip-flops are initialised with.
        if "rst" in module["ports"]:
            run("select -module", name)
            run("connect -set rst 1'0")
            run("select -clear")
    if hierarchy != "none":
        for name in repeated(read, top, int(hierarchy)):
            run("setattr -mod -set keep_hierarchy 1", name)
    run("flatten -noscopeinfo")
    run("hierarchy -top", top)
    run("opt -full")
    run("memory -nomap")
    run("opt -full")
    for name, module in modules().items():
        for cell, about in module["cells"].items():
            if about["type"] == "$mem_v2" and not is_simple(about):
                run("memory_map", f"{name}/{cell}")
    run("opt -full")
    run("techmap")
    run("dfflegalize -cell $_DFF_P_ 01 -mince 0")
    run("simplemap")
    run("opt_expr")
    run("opt_merge")
    run("opt_clean")
    run("abc -lut 3 -script", SCRIPT)
    run("opt_clean")
    run("write_json", result)


def repeated(modules, top, least) -> list[str]:
    """Modules to keep: those with several places in the hierarchy, if all places but one have ``least`` bits of logic or more."""
    children, own = {}, {}
    for name, module in modules.items():
        children[name], own[name] = {}, 0
        for cell in module["cells"].values():
            if cell["type"] in modules:
                children[name][cell["type"]] = children[name].get(cell["type"], 0) + 1
            else:
                outputs = [port for port, direction in cell["port_directions"].items() if direction == "output"]
                own[name] += max((len(cell["connections"][port]) for port in outputs), default=0)
    order = []

    def visit(name):
        if name not in order:
            for child in children[name]:
                visit(child)
            order.append(name)

    visit(top)
    size, places, kept = {}, {top: 1}, []
    for name in order:
        size[name] = own[name] + sum(size[child] * count for child, count in children[name].items())
    for name in reversed(order):
        if name != top and (places[name] - 1) * size[name] >= least:
            kept.append(name)
        once = name == top or name in kept
        for child, count in children[name].items():
            places[child] = places.get(child, 0) + count * (1 if once else places[name])
    return kept


def is_simple(memory) -> bool:
    """Whether a memory is a RAM as :mod:`generate` knows it: one port that writes whole words, one registered port that reads."""
    parameters = memory["parameters"]
    number = {name: int(value, 2) for name, value in parameters.items() if set(value) <= {"0", "1"} and value}
    return (
        number["RD_PORTS"] == number["WR_PORTS"] == 1
        and all(number[f"{side}_CLK_{what}"] == 1 for side in ("RD", "WR") for what in ("ENABLE", "POLARITY"))
        and not number["RD_TRANSPARENCY_MASK"]
        and not number["RD_WIDE_CONTINUATION"]
        and not number["WR_WIDE_CONTINUATION"]
        and memory["connections"]["RD_ARST"] in (["0"], ["x"])
        and memory["connections"]["RD_SRST"] in (["0"], ["x"])
        and set(parameters["RD_INIT_VALUE"]) == {"x"}
        and len(set(memory["connections"]["WR_EN"])) == 1
        and not number["OFFSET"]
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
