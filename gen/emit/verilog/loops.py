"""Splits vectors whose bits depend on each other.

Verilator and other tools follow whole vectors. A bit that depends on another bit of its own vector is a combinational loop to
them, although no bit depends on itself. Yosys makes such vectors when it chooses one of several names of a net.
"""

import re
from graphlib import TopologicalSorter
from itertools import pairwise

from dsnswitch.gen.emit.verilog.parse import Instance, Wire, identifiers

_ASSIGN = re.compile(r"  assign (.*?) = (.*);\n")


def split_loops(modules):
    """Replace the vectors in combinational loops of ``modules``, a dictionary by name, by a wire for each part that is used."""
    for name, names in loops(modules).items():
        _split(modules[name], names)


def loops(modules):
    """``{module: names of the wires in combinational loops of whole wires}`` of the modules that have some."""
    paths, found = {}, {}
    below = {name: {item.module for item in module.items if isinstance(item, Instance)} for name, module in modules.items()}
    for name in TopologicalSorter(below).static_order():
        module = modules[name]
        after = _dependents(module, modules, paths)
        paths[name] = {
            port: [end for end in reached if module.directions.get(end) == "output"]
            for port, reached in ((port, _reached(after, port)) for port in _ports(module, "input"))
        }
        if names := _on_cycles(after) & module.wires.keys():
            found[name] = names
    return found


def _ports(module, direction):
    return [name for name in module.ports if module.directions[name] == direction]


def _dependents(module, modules, paths):
    """``{wire: wires that change with it in the same cycle}``; an input or output of an instance is a wire ``instance.pin``."""
    after = {}

    def add(sources, targets):
        for source in sources:
            after.setdefault(source, set()).update(targets)

    for item in module.items:
        if not isinstance(item, Instance):
            if match := _ASSIGN.fullmatch(item):
                add(identifiers(match[2]), identifiers(match[1]))
            continue
        for pin, value in item.connections:
            ends = [f"{item.name}.{pin}"], identifiers(value)
            add(*(reversed(ends) if modules[item.module].directions[pin] == "input" else ends))
        for pin, outputs in paths[item.module].items():
            add([f"{item.name}.{pin}"], [f"{item.name}.{output}" for output in outputs])
    return after


def _reached(after, start):
    """Everything that depends on ``start``."""
    found, waiting = set(), [start]
    while waiting:
        new = after.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _on_cycles(after):
    """Wires that depend on themselves."""
    # Wires before and after all cycles are removed first, which leaves few.
    after = {name: set(targets) for name, targets in after.items()}
    while True:
        targets = set().union(*after.values())
        kept = {name: ends & after.keys() for name, ends in after.items() if name in targets}
        kept = {name: ends for name, ends in kept.items() if ends}
        if kept == after:
            return {name for name in after if name in _reached(after, name)}
        after = kept


def _split(module, names):
    """Replace each of ``names`` of which parts are used by a wire for each part."""
    texts = [text for item in module.items for text in _texts(item)]
    parts = {}
    for name in sorted(names):
        cuts = {0, module.wires[name].width}
        for high, low in re.findall(rf"(?<!\w){name}\[(\d+)(?::(\d+))?\]", "\n".join(texts)):
            cuts |= {int(low or high), int(high) + 1}
        if len(cuts) > 2 and not module.wires[name].signed:
            parts[name] = _parts(module, name, sorted(cuts))
    if not parts:
        return
    pattern = re.compile(rf"(?<![\w.])({'|'.join(parts)})(?:\[(\d+)(?::(\d+))?\])?(?!\w)")

    def replaced(text):
        return pattern.sub(lambda match: _joined(match, parts[match[1]]), text)

    for place, item in enumerate(module.items):
        if isinstance(item, Instance):
            item.connections = [(pin, replaced(value)) for pin, value in item.connections]
        else:
            module.items[place] = replaced(item)
    for name, found in parts.items():
        if name in module.directions:
            module.items.append(f"  assign {name} = {{ {', '.join(wire for _, _, wire in reversed(found))} }};\n")
        else:
            del module.wires[name]
    module.wires = dict(sorted(module.wires.items()))


def _texts(item):
    return [value for _, value in item.connections] if isinstance(item, Instance) else [item]


def _parts(module, name, cuts):
    """``[(first bit, bit after the last, wire)]`` of the parts of a vector, whose wires are declared."""
    found = []
    for low, high in pairwise(cuts):
        wire = f"{name}_{low}" if high == low + 1 else f"{name}_{high - 1}_{low}"
        while wire in module.wires:
            wire += "_part"
        module.wires[wire] = Wire("wire", False, high - low, wire, "")
        found.append((low, high, wire))
    return found


def _joined(match, parts):
    """The wires in place of a vector or its bits, highest first."""
    low = 0 if match[2] is None else int(match[3] or match[2])
    high = parts[-1][1] if match[2] is None else int(match[2]) + 1
    wires = [wire for first, end, wire in reversed(parts) if low <= first and end <= high]
    text = ", ".join(wires)
    before, behind = match.string[: match.start()], match.string[match.end() :]
    # An element of a list, whose braces already surround it.
    element = before.endswith(("{ ", ", ")) and behind.startswith((" }", ", "))
    return text if len(wires) == 1 or element else f"{{ {text} }}"
