"""Passes of pyosys: they list and make mutants, and prove that some have no effect.

A program, because pyosys ends its process on an error: ``python -m mutants.netlist '"JOB"'``, in the folder of the files.
"""

import json
import sys
from pathlib import Path

from dsnswitch.lab.synth.yosys import session, yosys

#: Bits of the input that selects a mutant. 0 selects none.
BITS = 16

#: Ports of cells that stay as they are: a design has one clock.
CLOCKS = {"CLK", "clk", "RD_CLK", "WR_CLK"}


class Failed(Exception):
    """Yosys failed."""


def call(folder, do, **given):
    """The result of the function ``do`` of this module, which runs in ``folder``."""
    Path(folder, "job.json").write_text(json.dumps([do, given]), encoding="utf-8")
    done = yosys("mutants.netlist", "job.json", folder)
    if done.returncode:
        raise Failed(f"{do} in {folder}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return json.loads(Path(folder, "result.json").read_text(encoding="utf-8"))


def prepare(top, modules, seed):
    """Make ``netlist.il`` of ``raw.il``, in which the names of a module's cells depend on the module alone.

    Returns mutants, as words of ``mutate``, for ``modules``: ``{name: how many}``.
    """
    _, run = session()
    run("read_rtlil raw.il")
    run("hierarchy -top", top)
    for step in ("proc -norom", "opt_expr -keepdc", "opt_clean", "rename -enumerate", "write_rtlil netlist.il"):
        run(step)
    lists = {}
    for module, count in modules.items():
        # The first words of memories are constants.
        which = (f"{module}/*", f"{module}/t:$meminit*", "%d")
        run("mutate -o list.txt", "-list", 2 * count + 4, "-seed", seed, "-module", module, *which)
        lines = [line.split() for line in Path("list.txt").read_text(encoding="utf-8").splitlines()]
        lists[module] = [words for words in lines if words[words.index("-port") + 1] not in CLOCKS][:count]
    return lists


def mutated(run, mutants, selected):
    """Apply ``mutants``: ``[module, words, number]``. If ``selected``, an input of the design selects one by its number."""
    for module, words, number in mutants:
        words[words.index("-module") + 1] = module
        run("mutate", *(("-ctrl", "mutant", BITS, number) if selected else ()), *words[1:])


def make(top, mutants, form, pick=""):
    """Write ``netlist.il`` with ``mutants`` as ``made.FORM``.

    Verilog (``v``) reads the number of the mutant from the file ``pick``. In ``json``, gates without memories and hierarchy,
    ``mutant`` is an input. RTLIL (``il``) has the mutants without a choice.
    """
    from pyosys import libyosys as ys

    design, run = session()
    run("read_rtlil netlist.il")
    run("hierarchy -top", top)
    mutated(run, mutants, form != "il")
    if form == "json":
        for step in (
            "flatten -noscopeinfo",
            "memory -nomap",
            "memory_map",
            "dffunmap",
            "pmuxtree",
            "opt_expr",
            "opt_clean",
            "write_json made.json",
        ):
            run(step)
    elif form == "il":
        run("write_rtlil made.il")
    else:
        module = design.top_module()
        if wire := module.wire(ys.IdString("\\mutant")):
            wire.port_input = False
            module.fixup_ports()
        run("write_verilog -noattr made.v")
        head, start, rest = Path("made.v").read_text(encoding="utf-8").partition(f"module {top}(")
        wire = f"wire [{BITS - 1}:0] mutant"
        chosen = f"reg [{BITS - 1}:0] pick [0:0];\n  initial $readmemh({json.dumps(pick)}, pick);\n  {wire} = pick[0];"
        Path("made.v").write_text(head + start + rest.replace(f"{wire};", chosen, 1), encoding="utf-8")


def cut(module, registers):
    """Replace instances, and flip-flops if ``registers``, by ports: their outputs have any values, their inputs are compared."""
    from pyosys import libyosys as ys

    for cell in list(module.cells_.values()):
        kind = str(cell.type)
        if kind.startswith("$") and not (registers and "dff" in kind):
            continue
        for port, value in list(cell.connections_.items()):
            wire = module.addWire(ys.IdString(f"\\{str(cell.name)[1:]}.{str(port)[1:]}"), value.size())
            wire.port_input, wire.port_output = cell.output(port), not cell.output(port)
            pair = (value, ys.SigSpec(wire))
            module.connect(*(pair if cell.output(port) else pair[::-1]))
        module.remove(cell)
    module.fixup_ports()


def equal(words, seconds, steps=6):
    """How it is proved that the module of a mutant does the same with it as without: ``state``, ``cycles``, or an empty text.

    First, next state and outputs are compared for all inputs and all states, reached or not. Then both start in their initial
    state, and k-induction proves that their outputs are equal. Instances have any outputs, so the proof holds wherever the module
    is. A mutant without a proof may have no effect where the module is used.
    """
    from pyosys import libyosys as ys

    module = words[words.index("-module") + 1]
    for way in ("state", "cycles"):
        design, run = session()
        run("read_rtlil netlist.il")
        run("rename", module, "gold")
        run("copy gold gate")
        mutated(run, [("gate", words, 1)], False)
        run("memory -nomap", "gold", "gate")
        run("memory_map", "gold", "gate")
        for name in ("gold", "gate"):
            cut(design.module(ys.IdString(f"\\{name}")), way == "state")
        run("miter -equiv -make_assert -flatten gold gate miter")
        run("hierarchy -top miter")
        for step in ("opt -full", "techmap", "opt -full"):
            run(step)
        goal = ("-tempinduct", "-maxsteps", steps) if way == "cycles" else ()
        run(f"tee -q -o {way}.log sat -timeout", seconds, *goal, "-prove-asserts", "miter")
        if "SUCCESS!" in Path(f"{way}.log").read_text(encoding="utf-8"):
            return way
    return ""


if __name__ == "__main__":
    do, given = json.loads(Path(json.loads(sys.argv[1])).read_text(encoding="utf-8"))
    Path("result.json").write_text(json.dumps(globals()[do](**given)), encoding="utf-8")
