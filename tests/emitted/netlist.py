"""Compares the netlists of two Verilog texts structurally, as Yosys reads them.

A net is identified by its driver: the name of a register, an input, an output of an instance or a memory, or a cell and its
inputs, recursively. Names of other wires, the order of items and the spelling of expressions are ignored. Every operator counts.
"""

import json
import re

from dsnswitch.lab.synth.yosys import commands

#: Names that Yosys, or :func:`named` or :func:`shared` of ``dsnswitch.gen.emit.verilog.inline``, gave.
_GIVEN = re.compile(r"_\d+_(_\d+)?|\w+_(next|term|unused|list)(_\d+)?")


def read(folder, *names):
    """Modules of Verilog files in a folder, as Yosys writes them in JSON."""
    done = commands([*(f"read_verilog {name}" for name in names), "proc -noopt", "write_json netlist.json"], folder)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Warning" not in done.stdout
    return json.loads((folder / "netlist.json").read_text())["modules"]


def netlist(module):
    """The comparable contents of a module: registers, instances, memories and outputs, each with its driver."""
    drivers, roots = {}, {}
    for name, port in module["ports"].items():
        if port["direction"] == "input":
            drivers |= {bit: f"{name}[{place}]" for place, bit in enumerate(port["bits"])}
    for name, cell in module["cells"].items():
        _drive(name, cell, module, drivers, roots)
    seen, inputs_seen = {}, {}

    def what(bit):
        if isinstance(bit, str):
            return bit
        if bit not in seen:
            driver = drivers.get(bit, "nothing")
            seen[bit] = driver if isinstance(driver, str) else hash((driver[0], what_enters(driver[1])))
        return seen[bit]

    def what_enters(inputs):
        """The inputs of a cell, once for all of its output bits, which have the same list."""
        if id(inputs) not in inputs_seen:
            inputs_seen[id(inputs)] = hash(tuple(map(what, inputs)))
        return inputs_seen[id(inputs)]

    found = {name: (kind, tuple(map(what, bits))) for name, (kind, bits) in roots.items()}
    for name, net in module["netnames"].items():
        if not _GIVEN.fullmatch(name) and not net["hide_name"]:
            found[f"net {name}"] = (str(net.get("attributes", {}).get("init")), tuple(map(what, net["bits"])))
    return found


def in_parts(before, after):
    """The contents ``before`` of a module with the parts that ``after`` has of a vector in place of the vector.

    Part ``sum_3_2`` is bits 3 to 2 of ``sum``, or bit 2 of ``sum_3``.
    """
    parts, split = {}, set()
    for name in after.keys() - before.keys():
        for form in (r"(net \w+)_(\d+)()", r"(net \w+)_(\d+)_(\d+)"):
            whole, high, low = match.groups() if (match := re.fullmatch(form, name)) else (None, 0, 0)
            init, drivers = before.get(whole, (None, ()))
            if found := drivers[int(low or high) : int(high) + 1]:
                parts[name] = init, found
                split.add(whole)
    return {name: contents for name, contents in before.items() if name not in split - after.keys()} | parts


def _drive(name, cell, module, drivers, roots):
    """Record the outputs that a cell drives, and the cell itself if it is more than an operator."""
    ways, pins = cell["port_directions"], cell["connections"]
    if cell["type"].startswith("$meminit") and set(pins["DATA"]) == {"0"}:
        return  # No memory is read before it is written, so the final text omits the initial zeros.
    inputs = [bit for pin in sorted(pins) if ways[pin] == "input" for bit in (*pins[pin], pin)]
    kind = f"{cell['type']} {sorted(cell['parameters'].items())}"
    register = cell["type"] in ("$dff", "$memrd", "$memrd_v2")
    if not cell["type"].startswith("$"):
        own = f"instance {name}"
    elif register:
        own = f"register {_name(pins['Q' if 'Q' in pins else 'DATA'], module)}"
    elif any(way == "output" for way in ways.values()):
        own = None
    else:
        own = f"sink {kind} {len(roots)}"
    if own:
        roots[own] = kind, inputs
    for pin in pins:
        if ways[pin] == "output":
            for place, bit in enumerate(pins[pin]):
                drivers[bit] = f"{own} {pin}[{place}]" if own else (f"{kind} {pin}[{place}]", inputs)


def _name(bits, module):
    """The name of a register: its place in a port, or else of the names with these bits that Yosys has not numbered, the first in
    alphabetical order.
    """
    for name, port in sorted(module["ports"].items()):
        if bits[0] in port["bits"]:
            return f"{name}[{port['bits'].index(bits[0])}]"
    names = [
        name
        for name, net in module["netnames"].items()
        if set(bits) <= set(net["bits"]) and not net["hide_name"] and not _GIVEN.fullmatch(name)
    ]
    return f"{min(names, default='unnamed')}"


def joined(module, own, inner):
    """``module`` of a netlist with structures in place of their fields.

    Parameters
    ----------
    module : dict
        A module in JSON of Yosys.
    own : dict
        Its structures: ``{port: [Field]}``.
    inner : dict
        ``{instance: (module, structures)}``: the type that the instance becomes, and the structures of its ports.
    """
    ports, nets, cells = _join(module["ports"], own, "bits"), dict(module["netnames"]), dict(module["cells"])
    for port, fields in own.items():
        nets.setdefault(port, {"hide_name": 0, "bits": ports[port]["bits"]})
        for field in fields:
            del nets[field.port]
    for name, (kind, structures) in inner.items():
        pins = {
            pin: {"bits": bits, "way": cells[name]["port_directions"][pin]} for pin, bits in cells[name]["connections"].items()
        }
        pins = _join(pins, structures, "bits")
        cells[name] = {
            "type": kind,
            "parameters": cells[name]["parameters"],
            "connections": {pin: about["bits"] for pin, about in pins.items()},
            "port_directions": {pin: about["way"] for pin, about in pins.items()},
        }
    return {"ports": ports, "netnames": nets, "cells": cells}


def _join(ports, structures, key):
    found = dict(ports)
    for port, fields in structures.items():
        places = {}
        for field in fields:
            about = found.pop(field.port)
            bits = [bit for start, stop in field.places for bit in range(start, stop)]
            assert len(bits) == len(about[key])
            places.update(zip(bits, about[key]))
        found[port] = {**about, key: [places[bit] for bit in range(len(places))]}
    return found
