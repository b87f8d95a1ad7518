"""Writes the text of a module: comment, ANSI port list, declarations, items; at most 120 columns."""

import re
import textwrap

from dsnswitch.gen.emit.manifest import groups
from dsnswitch.gen.emit.verilog.inline import ASSIGN
from dsnswitch.gen.emit.verilog.parse import Instance

#: Maximum number of columns of a line.
COLUMNS = 120

#: Initial values of registers, separate from their declarations: Verilator warns of a declaration with a value (``PROCASSINIT``),
#: and versions that do not know this warning reject a waiver of it.
_START = "  initial begin\n{}  end\n"

#: Loads a memory from a file, with its addresses: standards differ in which word is the first one without them.
_IMAGE = """\
  generate
    if (IMAGE != "") begin : load
      initial $readmemh(IMAGE, {}, 0, {});
    end
  endgenerate
"""


def comment(text, indent=0):
    """A comment, wrapped to lines of :data:`COLUMNS`."""
    prefix = " " * indent + "// "
    return textwrap.fill(text, COLUMNS, initial_indent=prefix, subsequent_indent=prefix) + "\n"


def layout(module, about, image=None, ports=None):
    """Verilog of a parsed ``module``.

    ``about`` is the comment above the module, ``image`` the name of a memory that the parameter IMAGE loads. ``ports`` are those
    of the manifest of a top.
    """
    parameters = ' #(\n  parameter IMAGE = ""\n)' if image else ""
    wires = [_declaration(wire) for name, wire in module.wires.items() if name not in module.directions]
    items = [_instance(item) if isinstance(item, Instance) else _tidy(item) for item in module.items]
    text = [comment(about), f"module {module.name}{parameters} (\n", *_ports(module, ports), ");\n"]
    text += [_wrapped(part) for part in wires]
    starts = [f"    {wire.name}{wire.tail};\n" for wire in module.wires.values() if wire.tail.startswith(" = ")]
    text += [_START.format("".join(starts))] if starts else []
    text += [_IMAGE.format(image, _last_word(module.wires[image]))] if image else []
    text += [_wrapped(part) for part in _together(items)]
    return "".join(text) + "endmodule\n"


#: Begins the assignment of a register.
_CLOCKED = "  always @(posedge clk)\n"


def _together(items):
    """``items`` with the assignments of all registers in one block, at the place of the first one."""
    clocked = [item.removeprefix(_CLOCKED) for item in items if item.startswith(_CLOCKED)]
    if len(clocked) < 2:
        return items
    first = next(place for place, item in enumerate(items) if item.startswith(_CLOCKED))
    block = f"{_CLOCKED[:-1]} begin\n{''.join(clocked)}  end\n"
    others = [item for item in items if not item.startswith(_CLOCKED)]
    return [*others[:first], block, *others[first:]]


def _ports(module, ports):
    """Lines of the port list; in groups if the ``ports`` of a manifest are given."""
    texts = {name: f"  {module.directions[name]:<6} {_declaration(module.wires[name])[2:-2]}" for name in module.ports}
    grouped = [(sentence, [port["name"] for port in group]) for sentence, group in groups(ports or [])]
    grouped = grouped or [(None, module.ports)]
    last = grouped[-1][1][-1]
    for sentence, names in grouped:
        if sentence:
            yield comment(sentence, 2)
        yield from (f"{texts[name]}{'' if name == last else ','}\n" for name in names)


def _declaration(wire):
    signed = "signed " if wire.signed else ""
    bits = f"[{wire.width - 1}:0] " if wire.width > 1 else ""
    memory = "" if wire.tail.startswith(" = ") else wire.tail
    return f"  {wire.kind:<4} {signed}{bits}{wire.name}{memory};\n"


def _last_word(memory):
    """Address of the last word of a memory, which is declared as ``name [last:0]``."""
    return re.fullmatch(r" \[([0-9]+):0\]", memory.tail)[1]


def _instance(item):
    pins = ",\n".join(f"    .{pin}({value})" for pin, value in item.connections)
    return f"  {item.module} {item.name} (\n{pins}\n  );\n"


def _tidy(item):
    """``item`` without the blank between a unary operator and its operand."""
    return re.sub(r"((?:=|\?|:) |\()([~&|^]) (?=[\w{(])", r"\1\2", _listed(item))


def _listed(item):
    """``item`` with one line for each element if it ends with a list of expressions and does not fit one line."""
    match = len(item) > COLUMNS and ASSIGN.fullmatch(item)
    if not match or not match["value"].endswith(" }"):
        return item
    value, depth = match["value"], 0
    for start in range(len(value) - 1, -1, -1):
        depth += (value[start] == "}") - (value[start] == "{")
        if not depth:
            break
    elements = _elements(value[start + 2 : -2])
    if len(elements) < 4 or not any(element.startswith("(") for element in elements):
        return item
    inner = ",\n".join(f"      {element}" for element in elements)
    return f"{match[1]}{value[:start]}{{\n{inner}\n    }};\n"


def _elements(text):
    """Elements of the list ``text``, which are separated by a comma and a blank outside all brackets."""
    found, depth, start = [], 0, 0
    for place in re.finditer(r"[({})]|, ", text):
        if place[0] == ", ":
            if not depth:
                found.append(text[start : place.start()])
                start = place.end()
        else:
            depth += 1 if place[0] in "({" else -1
    return [*found, text[start:]]


def _wrapped(part):
    """``part`` with lines longer than :data:`COLUMNS` continued on lines that are indented by four more columns."""
    return "".join(
        line + "\n"
        if len(line) <= COLUMNS
        else textwrap.fill(
            line,
            COLUMNS,
            subsequent_indent=" " * (len(line) - len(line.lstrip()) + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
        for line in part.splitlines()
    )
