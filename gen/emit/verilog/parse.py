"""Parses the Verilog that Yosys writes (``write_verilog -noattr``) into modules, line by line.

Yosys indents every item of a module by two spaces and the continuation of an item by more, and declares each wire on a separate
line. A line that does not match this is an error.
"""

import re
from dataclasses import dataclass, field
from itertools import groupby

_MODULE = re.compile(r"^module (\w+)\((.*?)\);\n(.*?)^endmodule\n", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^  \S.*\n(?:(?:   .*|  (?:\);|end))\n)*", re.MULTILINE)
_PORT = re.compile(r"  (input|output) (?:signed )?(?:\[.*?\] )?(\w+);")
_WIRE = re.compile(r"  (wire|reg) (signed )?(?:\[(\d+):0\] )?(\w+)( = .*?| \[\d+:0\])?;")
_INSTANCE = re.compile(r"  (\w+) (\w+) \(\n(.*)  \);\n", re.DOTALL)
_RAM_REGISTER = re.compile(r"  assign (\w+) = (_\d+_);\n")
_ZEROS = re.compile(r"  initial begin\n(?:    \w+\[\d+\] = \d+'(?:h0+|d0);\n)+  end\n")


@dataclass
class Wire:
    """A declaration; ``tail`` is an initial value or the range of a memory."""

    kind: str
    signed: bool
    width: int
    name: str
    tail: str


@dataclass(eq=False)
class Instance:
    """An instance of another module: ``[(port, expression)]``."""

    module: str
    name: str
    connections: list


@dataclass
class Module:
    """A module; items are :class:`Instance` or the text of a statement."""

    name: str
    ports: list
    directions: dict = field(default_factory=dict)
    wires: dict = field(default_factory=dict)
    items: list = field(default_factory=list)


def identifiers(text):
    """Names in an expression or statement, in order. It may include keywords, but these are never names of wires."""
    return re.findall(r"(?<![\w'.$])[A-Za-z_]\w*", text)


def parse(text):
    """Modules of ``text`` by name. Initial zeros of memories are omitted."""
    found = {}
    for name, ports, body in _MODULE.findall(re.sub(r"'h0+\b", "'h0", text)):
        module = found[name] = Module(name, re.findall(r"\w+", ports))
        items = _ITEM.findall(body)
        if "".join(items) != body:
            raise ValueError(f"Module {name} has a line that Yosys is not known to write")
        for item in items:
            _read(module, item)
        _name_ram_registers(module)
        if sorted(module.directions) != sorted(module.ports):
            raise ValueError(f"Module {name} does not declare what its list of ports names")
    return found


def _read(module, item):
    port, wire, instance = _PORT.fullmatch(item[:-1]), _WIRE.fullmatch(item[:-1]), _INSTANCE.fullmatch(item)
    if port:
        module.directions[port[2]] = port[1]
    elif wire:
        kind, signed, high, name, tail = wire.groups()
        module.wires[name] = Wire(kind, bool(signed), int(high or 0) + 1, name, tail or "")
    elif instance:
        pins = re.findall(r"    \.(\w+)\((.*)\),?\n", _repeated(instance[3]))
        module.items.append(Instance(instance[1], instance[2], pins))
    # Initial zeros are omitted because no memory is read before it is written.
    elif not _ZEROS.fullmatch(item):
        # Yosys breaks the lines of long concatenations.
        module.items.append(_repeated(re.sub(r"(?<!;)\n +", " ", item) if item.startswith("  assign") else item))


def _name_ram_registers(module):
    """Give the read register of a RAM, which Yosys numbers, the name of the wire that it drives."""
    for place, item in enumerate(module.items):
        if isinstance(item, str) and (match := _RAM_REGISTER.fullmatch(item)) and module.wires[match[2]].kind == "reg":
            register, wire = match[2], match[1]
            del module.items[place], module.wires[register]
            module.wires[wire].kind = "reg"
            module.items = [
                re.sub(rf"(?<!\w){register}(?!\w)", wire, each) if isinstance(each, str) else each for each in module.items
            ]
            return _name_ram_registers(module)
    return None


def _repeated(text):
    """``text`` with ``{3{bit}}`` in place of equal neighbours in concatenations."""

    def shorter(match):
        runs = [(element, len(list(same))) for element, same in groupby(match[1].split(", "))]
        parts = [f"{{{length}{{{element}}}}}" if length > 2 else ", ".join([element] * length) for element, length in runs]
        return parts[0] if len(parts) == 1 and runs[0][1] > 2 else f"{{ {', '.join(parts)} }}"

    return re.sub(r"\{ ([^{}]*) \}", shorter, text)
