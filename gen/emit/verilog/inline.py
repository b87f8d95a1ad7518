"""Replaces unnamed wires that are read once by the expressions assigned to them.

Yosys writes one operator per assignment and names the intermediate wires ``_012_``. An expression is inserted only if its width
cannot change: every operand is as wide as the wire (:mod:`widths` ensures that), so the width that Verilog takes from the
context is the width of the wire. A wire that is read in parts, shifted or signed is kept.
"""

import re
from collections import Counter

from dsnswitch.gen.emit.verilog.parse import Instance

__all__ = ["inline", "width"]

#: Maximum number of characters of an expression.
LIMIT = 100

_ANONYMOUS = re.compile(r"(?<!\w)_\d+_(?!\w)")
_PRIMARY = r"(?:\{(?:[^{}]|\{[^{}]*\})*\}|\d+'\w+|\w+(?:\[[\d:]+\])?)"
_FORMS = [
    re.compile(rf"(?P<operator>[~&|^]|~\^) (?P<a>{_PRIMARY})"),
    re.compile(rf"(?P<a>{_PRIMARY}) (?P<operator>[&|^+-]|==|!=|[<>]=?) (?P<b>{_PRIMARY})"),
    re.compile(rf"(?P<condition>{_PRIMARY}) \? (?P<a>{_PRIMARY}) : (?P<b>{_PRIMARY})"),
    re.compile(rf"(?P<a>{_PRIMARY})"),
]
_ASSIGN = re.compile(r"(  assign (?P<target>.*?) = |  always @\(posedge clk\)\n    .*? <= )(?P<value>.*);\n")
_ONE_BIT = ("==", "!=", "<", ">", "<=", ">=")


def inline(module):
    """Insert expressions in the items of ``module`` where possible, and remove the declarations of the inserted wires."""
    module.items, values = _inserted(module)
    for name in values:
        del module.wires[name]


def width(text, wires):
    """Bits of a primary: a constant, a wire or its bits, or a concatenation. None for any other text."""
    if constant := re.fullmatch(r"(\d+)'\w+", text):
        return int(constant[1])
    if text.startswith("{"):
        repeated = re.fullmatch(r"\{(\d+)\{(.*)\}\}", text.replace(" ", ""))
        parts = [repeated[2]] * int(repeated[1]) if repeated else text[1:-1].strip().split(", ")
        widths = [width(part, wires) for part in parts]
        return None if None in widths else sum(widths)
    if bits := re.fullmatch(r"\w+\[(\d+)(?::(\d+))?\]", text):
        return int(bits[1]) - int(bits[2] or bits[1]) + 1
    return wires[text].width if text in wires and not wires[text].signed else None


def _form(value, wires):
    """``(parts, width)`` of a value whose operands all have the same width, with the width of its result; else None."""
    found = next((match for form in _FORMS if (match := form.fullmatch(value))), None)
    if not found:
        return None
    parts = found.groupdict()
    widths = {width(parts[name], wires) for name in "ab" if name in parts}
    if len(widths) != 1 or None in widths or ("condition" in parts and width(parts["condition"], wires) != 1):
        return None
    operator, [operands] = parts.get("operator"), widths
    one_bit = operator in _ONE_BIT or (operator not in (None, "~") and "b" not in parts)
    return parts, 1 if one_bit else operands


def _inserted(module):
    """The items after insertion, and the names of the wires that are no longer used."""
    items = list(module.items)
    matches = [None if isinstance(item, Instance) else _ASSIGN.fullmatch(item) for item in items]
    forms = [match and _form(match["value"], module.wires) for match in matches]
    reads, readers = _reads(items, matches)
    gone = set()
    for place, match in enumerate(matches):
        name = match and match["target"]
        if not name or not _ANONYMOUS.fullmatch(name) or reads[name] != 1 or not forms[place]:
            continue
        if name not in readers or not forms[readers[name]] or forms[place][1] != module.wires[name].width:
            continue
        reader = readers[name]
        while items[reader] is None:  # The reader has been inserted into another item.
            reader = readers[matches[reader]["target"]]
        text = _insert(items[reader], name, _ASSIGN.fullmatch(items[place])["value"])
        if text:
            items[reader], items[place] = text, None
            gone.add(name)
    return [item for item in items if item is not None], gone


def _reads(items, matches):
    """How often each unnamed wire is read, and which item reads the whole wire outside an instance."""
    reads, readers = Counter(), {}
    for place, (item, match) in enumerate(zip(items, matches)):
        if isinstance(item, Instance):
            reads.update(_ANONYMOUS.findall(" ".join(value for _, value in item.connections)))
            continue
        # A wire that is assigned in parts must be kept. Its target is not a plain name, so the assignment counts as a read.
        plain = match and match["target"] and _ANONYMOUS.fullmatch(match["target"])
        text = match["value"] if plain else item
        reads.update(_ANONYMOUS.findall(text))
        if match:
            readers |= {
                found[0]: place
                for found in _ANONYMOUS.finditer(match["value"])
                if not match["value"].startswith("[", found.end())
            }
    return reads, readers


def _insert(reader, name, value):
    """``reader`` with ``value`` in place of ``name``, or None if the result is too long."""
    match = _ASSIGN.fullmatch(reader)
    inner = value if re.fullmatch(_PRIMARY, value) or match["value"] == name else f"({value})"
    text = re.sub(rf"(?<!\w){name}(?!\w)", lambda _: inner, match["value"])
    return f"{match[1]}{text};\n" if len(text) <= LIMIT else None
