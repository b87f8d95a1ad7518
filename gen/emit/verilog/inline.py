"""Unnamed wires that are read once become part of the expression that reads them.

Yosys writes one operator an assignment and calls what lies between ``_012_``. An expression is inserted only where its
width cannot change: every operand is as wide as the wire was (:mod:`.widths` sees to that), so that what Verilog takes from
the context is the width that the wire had. Whatever is read in bits, shifted or signed stays a wire.
"""

import re
from collections import Counter

from .parse import Instance

__all__ = ["inline", "width"]

#: An expression grows no longer than that.
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
    """Insert what can be inserted in the items of ``module``, and drop the declarations of what is gone."""
    module.items, values = _inserted(module)
    for name in values:
        del module.wires[name]


def width(text, wires):
    """Bits of a primary: a constant, a wire or its bits, or a concatenation. None for what is not known to be one."""
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
    """The match of a value all of whose operands have one width, and that width and the value's own; else None."""
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
    """Items after insertion, and the names that are gone."""
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
        while items[reader] is None:  # It went into another one already.
            reader = readers[matches[reader]["target"]]
        text = _insert(items[reader], name, _ASSIGN.fullmatch(items[place])["value"])
        if text:
            items[reader], items[place] = text, None
            gone.add(name)
    return [item for item in items if item is not None], gone


def _reads(items, matches):
    """How often each unnamed wire is read, and the item that reads it whole and outside an instance."""
    reads, readers = Counter(), {}
    for place, (item, match) in enumerate(zip(items, matches)):
        if isinstance(item, Instance):
            reads.update(_ANONYMOUS.findall(" ".join(value for _, value in item.connections)))
            continue
        # A wire that is assigned in parts is no candidate: its target is no plain name, and counts as a reading.
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
    """``reader`` with ``value`` in place of ``name``, or None if that would be too long."""
    match = _ASSIGN.fullmatch(reader)
    inner = value if re.fullmatch(_PRIMARY, value) or match["value"] == name else f"({value})"
    text = re.sub(rf"(?<!\w){name}(?!\w)", lambda _: inner, match["value"])
    return f"{match[1]}{text};\n" if len(text) <= LIMIT else None
