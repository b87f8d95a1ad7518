"""Replaces unnamed wires that are read once by the expressions assigned to them, and names the others."""

import re
from collections import Counter
from itertools import count

from dsnswitch.gen.emit.verilog.parse import Instance, Wire, identifiers

#: Maximum number of characters of an expression, or of an element of a concatenation.
LIMIT = 200

#: The same of a chain of operands of one operator.
CHAIN = 1500

_ANONYMOUS = re.compile(r"(?<!\w)_\d+_(?!\w)")
_PRIMARY = r"(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\d+'\w+|\w+(?:\[[\d:]+\])?)"
_FORMS = [
    re.compile(rf"(?P<operator>[~&|^]|~\^) (?P<a>{_PRIMARY})"),
    re.compile(rf"(?P<a>{_PRIMARY}) (?P<operator>[&|^+-]|==|!=|[<>]=?) (?P<b>{_PRIMARY})"),
    re.compile(rf"(?P<condition>{_PRIMARY}) \? (?P<a>{_PRIMARY}) : (?P<b>{_PRIMARY})"),
    re.compile(rf"(?P<a>{_PRIMARY})"),
]
#: An assignment to a wire or register.
ASSIGN = re.compile(r"(  assign (?P<target>.*?) = |  always @\(posedge clk\)\n    .*? <= )(?P<value>.*);\n")
_ONE_BIT = ("==", "!=", "<", ">", "<=", ">=")


def inline(module):
    """Insert expressions in the items of ``module`` where possible, and remove the declarations of the inserted wires."""
    _narrow(module)
    module.items, values = _inserted(module)
    for name in values | _unread(module):
        del module.wires[name]


def _narrow(module):
    """Remove the upper bits of unnamed wires that are neither assigned nor read, such as a carry that Yosys has cut off."""
    texts = [item for item in module.items if not isinstance(item, Instance)]
    texts += [value for item in module.items if isinstance(item, Instance) for _, value in item.connections]
    uses = {}
    for name, high in re.findall(r"(?<!\w)(_\d+_)(?!\w)(?:\[(\d+)(?=:0\]))?", "\n".join(texts)):
        uses.setdefault(name, set()).add(high)
    narrow = {name: int(min(highs)) for name, highs in uses.items() if len(highs) == 1 and "" not in highs}
    if not narrow:
        return
    bits = re.compile(r"(?<!\w)(_\d+_)\[\d+:0\]")
    whole = lambda text: bits.sub(lambda match: match[1] if match[1] in narrow else match[0], text)  # noqa: E731
    for place, item in enumerate(module.items):
        if isinstance(item, Instance):
            item.connections = [(pin, whole(value)) for pin, value in item.connections]
        else:
            module.items[place] = whole(item)
    for name, high in narrow.items():
        module.wires[name].width = high + 1


def _unread(module):
    """Disconnect outputs of instances that nothing reads; returns the names of their wires."""
    texts = ([value for _, value in item.connections] if isinstance(item, Instance) else [item] for item in module.items)
    reads = Counter(name for text in texts for part in text for name in _ANONYMOUS.findall(part))
    gone = set()
    for item in module.items:
        if isinstance(item, Instance):
            alone = {value for _, value in item.connections if reads[value] == 1}
            item.connections = [(pin, "" if value in alone else value) for pin, value in item.connections]
            gone |= alone
    return gone


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
    operator, [operands] = parts.setdefault("operator", None), widths
    one_bit = operator in _ONE_BIT or (operator not in (None, "~") and "b" not in parts)
    return parts, 1 if one_bit else operands


def _inserted(module):
    """The items after insertion, and the names of the wires that are no longer used."""
    items = list(module.items)
    matches = [None if isinstance(item, Instance) else ASSIGN.fullmatch(item) for item in items]
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
        value = ASSIGN.fullmatch(items[place])["value"]
        # Yosys evaluates an expression of constants when it reads it, but not the wire that has its value.
        text = identifiers(value) and _insert(items[reader], name, value, _goes_on(forms[readers[name]], forms[place], name))
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


def _goes_on(reader, inserted, name):
    """Whether the operator of the unnamed wire ``name`` is that with which its reader goes on: ``a & b`` in ``name & c``."""
    (outer, _), (inner, _) = reader, inserted
    return "b" in outer and "b" in inner and outer["a"] == name and outer["operator"] == inner["operator"] in tuple("&|^")


def _insert(reader, name, value, goes_on):
    """``reader`` with ``value`` in place of ``name``, or None if the result is too long."""
    match = ASSIGN.fullmatch(reader)
    bare = goes_on or re.fullmatch(_PRIMARY, value) or match["value"] == name
    inner = value if bare else f"({value})"
    [place] = (found.start() for found in _ANONYMOUS.finditer(match["value"]) if found[0] == name)
    before, after = match["value"][:place], match["value"][place + len(name) :]
    # An element of a list has a line of its own.
    element = before.endswith(("{ ", ", ")) and after.startswith((" }", ", "))
    text = f"{before}{inner}{after}"
    limit = CHAIN if goes_on else LIMIT
    return f"{match[1]}{text};\n" if len(inner if element else text) <= limit else None


_TARGET = re.compile(r"  assign (?P<assigned>.*?) = |  [^=]*?(?P<stored>\w+)(?:\[[^=]*\])? <= ")


def named(module):
    """Name the unnamed wires of ``module`` after the register or wire that they determine.

    The input of register ``count`` is ``count_next``, a part of its expression ``count_term``, a carry that nothing reads
    ``count_unused``.
    """
    if not any(map(_ANONYMOUS.fullmatch, module.wires)):
        return
    uses = _uses(module)
    names = {}
    taken = module.wires.keys() | {item.name for item in module.items if isinstance(item, Instance)}
    for wire in filter(_ANONYMOUS.fullmatch, module.wires):
        stem, kind = _stem(wire, uses)
        if stem:
            names[wire] = next(name for name in _numbered(f"{stem}_{kind}") if name not in taken)
            taken |= {names[wire]}
    rename = lambda text: _ANONYMOUS.sub(lambda match: names.get(match[0], match[0]), text)  # noqa: E731
    for place, item in enumerate(module.items):
        if isinstance(item, Instance):
            item.connections = [(pin, rename(value)) for pin, value in item.connections]
        else:
            module.items[place] = rename(item)
    for wire in module.wires.values():
        wire.name = names.get(wire.name, wire.name)
    module.wires = {wire.name: wire for _, wire in sorted((wire.name, wire) for wire in module.wires.values())}


def _uses(module):
    """``{unnamed wire: (what it determines, kind of its name)}`` by the first statement that reads it."""
    uses = {}
    for item in module.items:
        if isinstance(item, Instance):
            for pin, value in item.connections:
                for wire in _ANONYMOUS.findall(value):
                    uses.setdefault(wire, (f"{item.name}__{pin}", "term"))
        elif target := _TARGET.match(item):
            value = item[target.end() :]
            kind = "next" if target["stored"] and _ANONYMOUS.fullmatch(value[:-2]) else "term"
            first = _first(target["stored"] or target["assigned"])
            for wire in _ANONYMOUS.findall(value if target["assigned"] else item):
                uses.setdefault(wire, (first, kind))
    for item in module.items:
        target = None if isinstance(item, Instance) else _TARGET.match(item)
        if target and target["assigned"]:
            for wire in _ANONYMOUS.findall(target["assigned"]):
                uses.setdefault(wire, (_first(target["assigned"]), "unused"))
    return uses


def _first(text):
    """The first named wire of ``text``, or the first one if all are unnamed."""
    wires = identifiers(text)
    return next((wire for wire in wires if not _ANONYMOUS.fullmatch(wire)), wires[0])


def _stem(wire, uses):
    """The named register or wire that ``wire`` determines, through other unnamed wires, and the kind of its name."""
    stem, kind = uses.get(wire, (None, None))
    seen = {wire}
    while stem and _ANONYMOUS.fullmatch(stem):
        if stem in seen:
            return None, None
        seen.add(stem)
        stem = uses.get(stem, (None, None))[0]
    return stem, kind


#: Fewest characters of a list that gets a name if several instances have it as an input.
SHARED = 60


def shared(module):
    """Give names to long lists that several inputs of instances have. The name of that of the input ``tail`` is ``tail_list``."""
    instances = [item for item in module.items if isinstance(item, Instance)]
    counts = Counter(value for item in instances for _, value in item.connections if len(value) > SHARED)
    names, assigned = {}, []
    taken = module.wires.keys() | {item.name for item in instances}
    for item in instances:
        for place, (pin, value) in enumerate(item.connections):
            if counts[value] < 2 or not value.startswith("{"):
                continue
            if value not in names:
                name = names[value] = next(name for name in _numbered(f"{pin}_list") if name not in taken)
                taken |= {name}
                module.wires[name] = Wire("wire", False, width(value, module.wires), name, "")
                assigned.append(f"  assign {name} = {value};\n")
            item.connections[place] = pin, names[value]
    first = next((place for place, item in enumerate(module.items) if isinstance(item, Instance)), 0)
    module.items[first:first] = assigned
    module.wires = dict(sorted(module.wires.items()))


def _numbered(stem):
    """``stem``, ``stem_2``, ``stem_3`` and so on."""
    yield stem
    yield from (f"{stem}_{number}" for number in count(2))
