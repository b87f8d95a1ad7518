"""Writes the text of a module: comment, ANSI port list with the roles of the ports, declarations, items; at most 120 columns."""

import re
import textwrap

from dsnswitch.gen.emit.roles import groups
from dsnswitch.gen.emit.verilog.parse import Instance

__all__ = ["comment", "layout"]

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


def layout(module, about, image=None, roles=None):
    """Verilog of a parsed ``module``.

    ``about`` is the comment above the module, ``image`` the name of a memory that the parameter IMAGE loads. ``roles`` are the
    attributes of its ports, from which the comments in the port list are made.
    """
    parameters = ' #(\n  parameter IMAGE = ""\n)' if image else ""
    wires = [_declaration(wire) for name, wire in module.wires.items() if name not in module.directions]
    items = [_instance(item) if isinstance(item, Instance) else _tidy(item) for item in module.items]
    text = [comment(about), f"module {module.name}{parameters} (\n", *_ports(module, roles), ");\n"]
    text += [_wrapped(part) for part in wires]
    starts = [f"    {wire.name}{wire.tail};\n" for wire in module.wires.values() if wire.tail.startswith(" = ")]
    text += [_START.format("".join(starts))] if starts else []
    text += [_IMAGE.format(image, _last_word(module.wires[image]))] if image else []
    text += [_wrapped(part) for part in items]
    return re.sub(r"'h0+\b", "'h0", "".join(text)) + "endmodule\n"


def _ports(module, roles):
    """Lines of the port list, grouped by role if roles are given."""
    texts = {name: f"  {module.directions[name]:<6} {_declaration(module.wires[name])[2:-2]}" for name in module.ports}
    last = module.ports[-1]
    lines = {name: f"{text}{'' if name == last else ','}\n" for name, text in texts.items()}
    for sentence, names in groups(module.ports, roles) if roles else [(None, module.ports)]:
        if sentence:
            yield comment(sentence, 2)
        yield from (lines[name] for name in names)


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
    return re.sub(r"((?:=|\?|:) |\()([~&|^]) (?=[\w{(])", r"\1\2", item)


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
