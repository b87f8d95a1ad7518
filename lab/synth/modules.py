"""The modules in the top of a user's design, each measured alone: a breakdown of its area."""

import json
import re
import tempfile
from collections import Counter
from pathlib import Path

from dsnswitch.lab.synth.elaborate import ELABORATED
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.source import Source
from dsnswitch.lab.synth.yosys import process_source
from dsnswitch.net.messages import unwatched

# The parts of a block's area: each module in its top, mapped alone.


#: Scripts to try for each module. Large modules get no more in the recipe either.
EFFORT = 2


def instances(text, top):
    """``{module: number}`` of the instances in module ``top`` of emitted Verilog."""
    body = re.search(rf"^module {re.escape(top)} .*?^endmodule", text, re.MULTILINE | re.DOTALL)[0]
    modules = set(re.findall(r"^module (\S+)", text, re.MULTILINE))
    names = re.findall(r"^  (\S+) \S+ \($", body, re.MULTILINE)
    return Counter(name for name in names if name in modules)


def breakdown(design, measure, library=MODEL, bar=unwatched):
    """Area and number of each module that a :class:`Design` has in its top.

    The sum is not the area of the whole: the mapper also works across modules, and buffers between them are in none.

    Parameters
    ----------
    design : Design
    measure : callable
        :func:`measure_source`.
    bar : callable
        ``bar(items, label)`` returns an iterator over ``items``, which may show progress.

    Returns
    -------
    dict
        ``{module: {"number": of instances, "area": of one, "period": of one}}``; names are without that of the top.
    """
    text, top = design.verilog(), design.about["top"]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "design.v")
        path.write_text(text, encoding="utf-8")
        for module, number in bar(sorted(instances(text, top).items()), "modules"):
            figures = measure(Source((path,), module, ()), library, effort=EFFORT)
            one = {key: round(figures[key], 2) for key in ("area", "period")}
            found[module.removeprefix(f"{top}_")] = {"number": number, **one}
    return found


def breakdown_of_source(source, measure, library=MODEL, bar=unwatched):
    """Area, number and period of each module in the top of ``source``, like :func:`breakdown`."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        process_source(source.job | {"kind": "modules", "folder": folder}, source)
        top = json.loads(Path(folder, ELABORATED).read_text())["top"]
        netlist = json.loads(Path(folder, "modules.json").read_text())
        for label, (module, number) in bar(instances_of(netlist, top).items(), "modules"):
            part = Source((Path(folder, "elaborated.il"),), module, foreign=True)
            figures = measure(part, library, effort=EFFORT)
            found[label] = {"number": number, **{key: round(figures[key], 2) for key in ("area", "period")}}
    return found


def instances_of(netlist, top):
    """``{label: (module, number)}`` of the instances in module ``top`` of a hierarchical netlist of ``write_json``.

    A reader makes a module for each instance, or for each set of parameters. Modules with the same contents count as one. If
    modules of one name in the source differ, their labels have the name of the first instance, too.
    """
    modules = netlist["modules"]
    contents, numbers = {}, Counter()
    for instance, cell in sorted(modules[top]["cells"].items()):
        if cell["type"] in modules:
            key = _contents(modules, cell["type"])
            contents.setdefault(key, (instance, cell["type"]))
            numbers[key] += 1
    names = Counter(_name(modules, module) for _, module in contents.values())
    found = {}
    for key, (instance, module) in contents.items():
        name = _name(modules, module)
        found[name if names[name] == 1 else f"{name} ({instance})"] = module, numbers[key]
    return dict(sorted(found.items()))


def _name(modules, module):
    """Name of a module in the source: slang appends the instance, and Yosys keeps the name in an attribute."""
    return modules[module]["attributes"].get("hdlname", module.partition("$")[0] or module)


def _contents(modules, module):
    """Text that is the same for modules with the same contents. Nets are numbered in each module anew."""
    cells = [
        (
            name,
            cell["connections"],
            cell["parameters"],
            _contents(modules, kind) if (kind := cell["type"]) in modules else kind,
        )
        for name, cell in modules[module]["cells"].items()
    ]
    return json.dumps([_name(modules, module), modules[module]["ports"], cells])
