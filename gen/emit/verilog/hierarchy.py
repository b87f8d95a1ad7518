"""RTLIL from a component. The hierarchy is kept, and equal modules have one definition.

Amaranth converts each component separately, and the parent instantiates it as a black box. So every port keeps its declared name
and order. Equal components are converted once, and components with equal RTLIL share one module.
"""

import gc
import inspect
import re
from contextlib import contextmanager

from amaranth.hdl import ClockSignal, Instance, ResetSignal
from amaranth.lib.wiring import In

from dsnswitch.gen.emit.ports import flat_ports
from dsnswitch.gen.emit.verilog.fragments import children, fragment, leave, module_text, replace_children
from dsnswitch.gen.emit.verilog.identity import identity
from dsnswitch.gen.emit.verilog.library import ConvertedModule, Library

__all__ = ["hierarchical_rtlil"]

_PORT = re.compile(r"^  wire (?:width \d+ )?(?:signed )?(?:input|output) (\d+)\s+\\(\S+)$", re.MULTILINE)

#: Name of a field of a structure or of an element of an array. Verilog could write such a name only with an escape.
_FIELD = re.compile(r"\\\w+(?:\[\d+\]|\.\w+)+")

#: Modules of components by identity, for a process that emits many tops and does not change any class. None: each top is
#: converted anew.
kept = None


def hierarchical_rtlil(component, name, library=None):
    """RTLIL of ``component`` as top module ``name``, with one module per component, and ports named and ordered as declared."""
    library = library or Library(name)
    with _uncollected():
        top = _convert(component, {} if kept is None else kept)
    return library.fill(top)


@contextmanager
def _uncollected():
    """Disable the collection of cyclic garbage, which takes a third of the time because elaboration makes millions of objects."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def summary(component):
    """Description of a component: the first line of its docstring, or the paragraph that begins with it, without markup."""
    paragraph = (inspect.getdoc(type(component)) or "").partition("\n\n")[0].split("\n")
    text = paragraph[0] if paragraph[0].endswith(".") else " ".join(paragraph)
    text = re.sub(r" Members: .*", "", text)
    text = re.sub(r":\w+:`(?:~[\w.]*\.|\.+)?([^`]*)`", r"\1", text)
    return re.sub(r"(?<![\w*])\*(\w[^*]*)\*(?![\w*])", r"\1", text.replace("``", ""))


def _convert(component, known):
    """Convert a component; returns its :class:`ConvertedModule`. ``known`` are those of converted components."""
    parent = fragment(component)
    found, parts, below = children(parent), [], []
    for child, name, owner in found:
        if owner:
            part = _converted(owner, known)
            child = _instance(f"@{len(parts)}@", part, owner)
            parts.append((name, part))
        below.append((child, name))
    replace_children(parent, below)
    for _, name, owner in found:
        # The parent's name of a child's port is prefixed with the name of the child instance.
        for port, (signal, _) in flat_ports(owner).items() if owner else ():
            signal.name = f"{name}__{port}"
    ports = flat_ports(component)
    text = module_text(parent, ports, "@")
    text = _FIELD.sub(lambda match: match[0].replace(".", "__").replace("[", "__").replace("]", ""), text)
    stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(component).__name__).lower()
    text = _order_ports(text, ["clk", "rst", *ports])
    return ConvertedModule(text, tuple(parts), stem, summary(component), getattr(component, "image", None))


def _converted(component, known):
    """The :class:`ConvertedModule` of a component; it is converted if no equal component was converted before."""
    key = identity(component)
    if key is None:
        return _convert(component, known)
    if key in known:
        leave(component)
    else:
        known[key] = _convert(component, known)
    return known[key]


def _instance(name, module, owner):
    """Instance of the module of ``owner`` under a name."""
    ports = flat_ports(owner)
    found = {match[2] for match in _PORT.finditer(module.text)}
    connections = [("i" if flow == In else "o", port, signal) for port, (signal, flow) in ports.items()]
    for clock, value in (("clk", ClockSignal()), ("rst", ResetSignal(allow_reset_less=True))):
        if clock in found and clock not in ports:
            connections.append(("i", clock, value))
    return Instance(name, *connections)


def _order_ports(text, order):
    """Renumber the port ids of an RTLIL module, because Amaranth numbers ports in the order in which it finds them."""
    rank = {name: index for index, name in enumerate(order)}
    names = sorted((match[2] for match in _PORT.finditer(text)), key=lambda name: rank[name])
    number = {name: index for index, name in enumerate(names, 1)}

    def renumber(match):
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        return f"{match[0][:start]}{number[match[2]]}{match[0][end:]}"

    return _PORT.sub(renumber, text)
