"""RTLIL from a component. The hierarchy is kept, and equal modules have one definition.

Amaranth converts each component separately, and the parent instantiates it as a black box. So every port keeps its declared name
and order. Components with equal RTLIL share one module.
"""

import gc
import inspect
import re
from contextlib import contextmanager

from amaranth.hdl import ClockSignal, Instance, ResetSignal
from amaranth.lib.wiring import In

from ..ports import flat_ports
from .fragments import children, fragment, module_text, replace_children
from .identity import identity

__all__ = ["Library", "hierarchical_rtlil"]

_PORT = re.compile(r"^  wire (?:width \d+ )?(?:signed )?(?:input|output) (\d+)\s+\\(\S+)$", re.MULTILINE)

#: Name of a field of a structure or of an element of an array. Verilog could write such a name only with an escape.
_FIELD = re.compile(r"\\\w+(?:\[\d+\]|\.\w+)+")


#: RTLIL of components without children, by identity, for a process that emits many tops and does not change any class. None:
#: each top is converted anew.
kept = None


class Library:
    """Modules emitted so far, by name."""

    def __init__(self, top):
        self.top = top
        self.modules = {}
        self.names = {}
        #: Description of each module: the first sentence of its component's docstring.
        self.about = {}
        #: Name of the memory of a module that a user may load from a file (attribute ``image`` of its component).
        self.images = {}
        #: Name of the module of each component, by its identity.
        self.known = {}

    def add(self, component, instance, text):
        """Add a module with ``text``, in which ``@`` is its name, or find the equal module; returns the name of the module."""
        base = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(component).__name__).lower()
        if text not in self.names:
            stem = f"{self.top}_{base}"
            names = [stem, f"{stem}_{instance}", *(f"{stem}_{instance}_{count}" for count in range(2, 1000))]
            self.names[text] = next(name for name in names if name not in self.modules)
            self.modules[self.names[text]] = text
            self.describe(self.names[text], component)
        return self.names[text]

    def describe(self, module, component):
        """Record the attributes of ``component`` that the Verilog of ``module`` needs."""
        self.about[module] = summary(component)
        if getattr(component, "image", None):
            self.images[module] = component.image


def hierarchical_rtlil(component, name, library=None):
    """RTLIL of ``component`` as top module ``name``, with one module per component, and ports named and ordered as declared."""
    library = library or Library(name)
    library.describe(name, component)
    with _uncollected():
        top = _emit(fragment(component), component, library)
    bodies = [top.replace("@", name, 1)]
    bodies += [text.replace("@", module, 1) for module, text in sorted(library.modules.items())]
    return "".join(bodies)


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


def _emit(parent, component, library):
    """RTLIL module of one component, with ``@`` as its name. The components below it are added to the library."""
    found = children(parent)
    replace_children(
        parent, [(_instance(child, name, owner, library) if owner else child, name) for child, name, owner in found]
    )
    for _, name, owner in found:
        # The parent's name of a child's port is prefixed with the name of the child instance.
        for port, (signal, _) in flat_ports(owner).items() if owner else ():
            signal.name = f"{name}__{port}"
    ports = flat_ports(component)
    text = module_text(parent, ports, "@")
    text = _FIELD.sub(lambda match: match[0].replace(".", "__").replace("[", "__").replace("]", ""), text)
    return _order_ports(text, ["clk", "rst", *ports])


def _module(child, name, owner, library):
    """Name of the module of the component ``owner``. The component is converted if no equal component has been."""
    key = identity(owner)
    if key is None or key not in library.known:
        module = library.add(owner, name, _text(child, owner, library, key))
        if key is None:
            return module
        library.known[key] = module
    return library.known[key]


def _text(child, owner, library, key):
    """RTLIL of the component ``owner``, which is taken from :data:`kept` if the module names no other."""
    if kept is None or key is None or children(child):
        return _emit(child, owner, library)
    if key not in kept:
        kept[key] = _emit(child, owner, library)
    return kept[key]


def _instance(child, name, owner, library):
    module = _module(child, name, owner, library)
    found = {match[2] for match in _PORT.finditer(library.modules[module])}
    connections = [("i" if flow == In else "o", port, signal) for port, (signal, flow) in flat_ports(owner).items()]
    for clock, value in (("clk", ClockSignal()), ("rst", ResetSignal(allow_reset_less=True))):
        if clock in found and clock not in flat_ports(owner):
            connections.append(("i", clock, value))
    return Instance(module, *connections)


def _order_ports(text, order):
    """Renumber the port ids of an RTLIL module, because Amaranth numbers ports in the order in which it finds them."""
    rank = {name: index for index, name in enumerate(order)}
    names = sorted((match[2] for match in _PORT.finditer(text)), key=lambda name: rank[name])
    number = {name: index for index, name in enumerate(names, 1)}

    def renumber(match):
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        return f"{match[0][:start]}{number[match[2]]}{match[0][end:]}"

    return _PORT.sub(renumber, text)
