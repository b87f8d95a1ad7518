"""Parses the Verilog that Yosys writes (``write_verilog -noattr``) into modules, line by line.

Yosys indents every item of a module by two spaces and the continuation of an item by more, and declares each wire on a separate
line. A line that does not match this is an error.
"""

import re
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

from dsnswitch.gen.emit.manifest import groups

_MODULE = re.compile(r"^module (\w+)\((.*?)\);\n(.*?)^endmodule\n", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^  \S.*\n(?:(?:   .*|  (?:\);|end))\n)*", re.MULTILINE)
_PORT = re.compile(r"  (input|output) (?:signed )?(?:\[.*?\] )?(\w+);")
_WIRE = re.compile(r"  (wire|reg) (signed )?(?:\[(\d+):0\] )?(\w+)( = .*?| \[\d+:0\])?;")
_INSTANCE = re.compile(r"  (\w+) (\w+) \(\n(.*)  \);\n", re.DOTALL)
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
        pins = re.findall(r"    \.(\w+)\((.*)\),?\n", instance[3])
        module.items.append(Instance(instance[1], instance[2], pins))
    # Initial zeros are omitted because no memory is read before it is written.
    elif not _ZEROS.fullmatch(item):
        # Yosys breaks the lines of long concatenations.
        module.items.append(re.sub(r"(?<!;)\n +", " ", item) if item.startswith("  assign") else item)


# Replaces unnamed wires that are read once by the expressions assigned to them.


#: Maximum number of characters of an expression, or of an element of a concatenation.
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
        value = _ASSIGN.fullmatch(items[place])["value"]
        # Yosys evaluates an expression of constants when it reads it, but not the wire that has its value.
        text = identifiers(value) and _insert(items[reader], name, value)
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
    [place] = (found.start() for found in _ANONYMOUS.finditer(match["value"]) if found[0] == name)
    before, after = match["value"][:place], match["value"][place + len(name) :]
    # An element of a list has a line of its own.
    element = before.endswith(("{ ", ", ")) and after.startswith((" }", ", "))
    text = f"{before}{inner}{after}"
    return f"{match[1]}{text};\n" if len(inner if element else text) <= LIMIT else None


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


def data_path(modules, top):
    """Names of ``modules``, depth first from ``top``. Siblings have the order in which data passes them.

    An instance follows the instances whose outputs reach it without a register in between. If this does not determine the order,
    or the dependencies form a cycle, the order of the text is kept.
    """
    found = []

    def visit(name):
        if name in modules and name not in found:
            found.append(name)
            for instance in _ordered(modules[name], modules):
                visit(instance.module)

    visit(top)
    return found


def along_the_path(module, modules):
    """Items of ``module`` with its instances reordered along the data path. The positions of other items do not change."""
    instances = iter(_ordered(module, modules))
    return [next(instances) if isinstance(item, Instance) else item for item in module.items]


def _ordered(module, modules):
    """Instances of a module, each after those that drive its inputs."""
    instances = [item for item in module.items if isinstance(item, Instance)]
    drivers = _drivers(module, modules)
    done, open_ = [], set()

    def visit(instance):
        if instance in done or id(instance) in open_:
            return
        open_.add(id(instance))
        for source in _sources(instance, drivers, modules):
            visit(source)
        done.append(instance)

    for instance in instances:
        visit(instance)
    return done


def _drivers(module, modules):
    """Drivers of each wire: instances, and the right sides of statements that assign it without a register."""
    drivers = {}
    for item in module.items:
        if isinstance(item, Instance):
            for pin, value in item.connections:
                if modules[item.module].directions[pin] == "output":
                    for name in identifiers(value):
                        drivers.setdefault(name, []).append(item)
        elif assignment := re.fullmatch(r"  assign (.*?) = (.*);\n", item):
            for name in identifiers(assignment[1]):
                drivers.setdefault(name, []).append(assignment[2])
    return drivers


def _sources(instance, drivers, modules):
    """Instances whose outputs reach ``instance`` without a register in between, nearest first."""
    inputs = [
        name
        for pin, value in instance.connections
        if modules[instance.module].directions[pin] == "input"
        for name in identifiers(value)
    ]
    found, seen = [], set(inputs)
    while inputs:
        for driver in drivers.get(inputs.pop(0), ()):
            if isinstance(driver, Instance):
                found += [driver] if driver is not instance and driver not in found else []
                continue
            more = [name for name in identifiers(driver) if name not in seen]
            seen.update(more)
            inputs += more
    return found


# Writes the text of a module: comment, ANSI port list with the roles of the ports, declarations, items; at most 120 columns.


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
    return "".join(text) + "endmodule\n"


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
    return re.sub(r"((?:=|\?|:) |\()([~&|^]) (?=[\w{(])", r"\1\2", _listed(item))


def _listed(item):
    """``item`` with one line for each element if it ends with a list of expressions and does not fit one line."""
    match = len(item) > COLUMNS and _ASSIGN.fullmatch(item)
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
