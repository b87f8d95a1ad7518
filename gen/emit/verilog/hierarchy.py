"""RTLIL from a component. The hierarchy is kept, and equal modules have one definition.

Amaranth converts each component separately, and the parent instantiates it as a black box. So every port keeps its declared name
and order. Equal components are converted once, and components with equal RTLIL share one module.
"""

import gc
import inspect
import re
from collections.abc import Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from amaranth.hdl import Cat, ClockSignal, Instance, ResetSignal, ShapeCastable, Signal, Value, ValueCastable
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.emit.manifest import flat_members
from dsnswitch.gen.emit.verilog.fragments import children, fragment, leave, module_text, replace_children
from dsnswitch.gen.fields import signals_of, structures_of

# Modules of a design and their names. Modules with equal RTLIL share one name.


#: The name of a module in the module that contains it.
_PART = re.compile(r"\\@(\d+)@(?=[ \n])")


@dataclass(frozen=True, eq=False)
class ConvertedModule:
    """The module of a component, which does not depend on the design that contains it.

    Attributes
    ----------
    text : str
        RTLIL, in which ``@`` is the module's name, and ``@0@``, ``@1@`` ... are the names of ``parts``.
    parts : tuple
        ``(name of the instance, its ConvertedModule)`` of each component below.
    stem : str
        The end of the module's name.
    about : str
        Description: the first sentence of the component's docstring.
    image : str or None
        Name of the memory of the module that a user may load from a file (attribute ``image`` of the component).
    structures : dict
        Its ports that are replaced by ports for their fields: ``{port: [Field]}``.
    clocks : tuple
        Clock and reset, if the module has them.
    """

    text: str
    parts: tuple
    stem: str
    about: str
    image: str | None
    structures: dict
    clocks: tuple


class Library:
    """Modules emitted so far, by name."""

    def __init__(self, top):
        self.top = top
        self.modules = {}
        #: Description, structures and loadable memory of each module.
        self.about, self.structures, self.images = {}, {}, {}
        # Name of each module by its text, in which ``@`` is the name; and by the object.
        self._names, self._known = {}, {}

    def _text(self, module):
        """Text of a module with the names of the modules below it, which are added to the library."""
        names = [self._add(instance, part) for instance, part in module.parts]
        return _PART.sub(lambda match: f"\\{names[int(match[1])]}", module.text)

    def _add(self, instance, module):
        """Add a module, or find the equal one; returns its name."""
        if module not in self._known:
            text = self._text(module)
            if text not in self._names:
                stem = f"{self.top}_{module.stem}"
                longer = "_".join([stem, *_without_end(instance, module.stem)])
                names = [stem, longer, *(f"{longer}_{count}" for count in range(2, 1000))]
                name = self._names[text] = next(name for name in names if name not in self.modules)
                self.modules[name] = text.replace("@", name, 1)
                self._describe(name, module)
            self._known[module] = self._names[text]
        return self._known[module]

    def _describe(self, name, module):
        self.about[name], self.structures[name] = module.about, module.structures
        if module.image:
            self.images[name] = module.image

    def fill(self, top) -> str:
        """Add the top and all modules below it; returns their RTLIL."""
        self._describe(self.top, top)
        return "".join([self._text(top).replace("@", self.top, 1), *(text for _, text in sorted(self.modules.items()))])


def _without_end(instance, stem):
    """Words of the name of an instance, without those at its end that the name of its module has."""
    words = instance.split("_")
    while words and words[-1] in stem.split("_"):
        words.pop()
    return words


# Equality of components. Equal components become the same module, so only one of them is converted.


#: Prefix of the attributes in which Amaranth records where an object was made and whether it was elaborated.
_NOTES = "_MustUse__"


def identity(component):
    """A hashable value that is equal for components that become the same module, or None if equality cannot be decided.

    It consists of the type and all attributes of the component: numbers and strings, immutable objects that have a hash, and
    collections of these. A signal is represented by its shape and initial value. These values determine a component, because a
    constructor keeps everything that ``elaborate`` uses in attributes.
    """
    try:
        return _of(component)
    except TypeError:
        return None


def _of(value):
    if isinstance(value, wiring.Component):
        attributes = ((name, item) for name, item in vars(value).items() if not name.startswith(_NOTES))
        return type(value), tuple((name, _of(item)) for name, item in attributes)
    if isinstance(value, wiring.Signature):
        # A signature may have parameters that its members do not show, such as the size of a ring.
        more = ((name, _of(item)) for name, item in vars(value).items() if not name.startswith("_Signature__"))
        return type(value), tuple((name, _member(member)) for name, member in value.members.items()), tuple(more)
    if isinstance(getattr(value, "signature", None), wiring.Signature):
        # An interface, whatever its class: streams have a class of their own.
        return _of(value.signature)
    if isinstance(value, Signal):
        return Signal, repr(value.shape()), value.init
    if isinstance(value, Value):
        raise TypeError("Expressions cannot be compared")
    return _collected(value)


def _member(member):
    inner = (repr(member.shape), repr(member.init)) if member.is_port else _of(member.signature)
    return member.flow, tuple(member.dimensions), inner


def _collected(value):
    if isinstance(value, Mapping):
        return Mapping, tuple((_of(key), _of(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(map(_of, value))
    if isinstance(value, Set):
        return Set, frozenset(map(_of, value))
    if isinstance(value, ValueCastable):
        return ValueCastable, repr(value.shape()), _of(value.as_value())
    if isinstance(value, ShapeCastable):
        return ShapeCastable, repr(value)
    hash(value)
    return value


_PORT = re.compile(r"^  wire (?:width \d+ )?(?:signed )?(?:input|output) (\d+)\s+\\(\S+)$", re.MULTILINE)

#: Name of a field of a structure or of an element of an array. Verilog could write such a name only with an escape.
_FIELD = re.compile(r"\\\w+(?:\[\d+\]|\.\w+)+")

#: Modules of components by identity, for a process that emits many tops and does not change any class. None: each top is
#: converted anew.
kept = None


def hierarchical_rtlil(component, name, library=None, fields=False):
    """RTLIL of ``component`` as top module ``name``, with one module per component, and ports named and ordered as declared.

    If ``fields`` is true, the modules below the top have one port per field of a structure. The port ``kind`` of structure
    ``flit`` is ``flit_kind``. In an array of structures, it has the fields ``kind`` of all elements.
    """
    library = library or Library(name)
    with _alone():
        top = _convert(component, flat_members(component), {}, {} if kept is None else kept, fields)
    return library.fill(top)


#: Held during a conversion, in which methods of Amaranth are replaced, because figures are measured by several threads.
_lock = Lock()


@contextmanager
def _alone():
    """One conversion at a time, without collection of cyclic garbage, which takes a third of the time for millions of objects."""
    with _lock:
        was = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was:
                gc.enable()


def summary(component) -> str:
    """Description of a component: the first line of its docstring, or the paragraph that begins with it, without markup."""
    paragraph = (inspect.getdoc(type(component)) or "").partition("\n\n")[0].split("\n")
    text = paragraph[0] if paragraph[0].endswith(".") else " ".join(paragraph)
    text = re.sub(r" Members: .*", "", text)
    text = re.sub(r":\w+:`(?:~[\w.]*\.|\.+)?([^`]*)`", r"\1", text)
    return re.sub(r"(?<![\w*])\*(\w[^*]*)\*(?![\w*])", r"\1", text.replace("``", ""))


def _convert(component, members, structures, known, fields):
    """Convert a component; returns its :class:`ConvertedModule`.

    ``members`` are those of :func:`flat_members`. Ports for their fields replace ``structures``. ``known`` are the modules of
    converted components.
    """
    parent = fragment(component)
    parts, below, owners = [], [], []
    for child, name, owner in children(parent):
        if owner:
            inner = flat_members(owner)
            part = _converted(owner, inner, known, fields)
            child = _instance(f"@{len(parts)}@", name, part, inner, parent)
            parts.append((name, part))
            owners.append((owner, [signal for _, signal in inner.values()]))
        below.append((child, name))
    replace_children(parent, below)
    ports = {}
    for name, (member, signal) in members.items():
        if name not in structures:
            ports[name] = signal, member.flow
            continue
        signals, whole = signals_of(structures[name])
        ports |= {port: (field, member.flow) for port, field in signals.items()}
        parent.add_statements("comb", signal.eq(whole) if member.flow == In else whole.eq(signal))
        # The nets of an input have the names of the fields. An output may be a register.
        signal.name = "" if member.flow == In else name
    text = module_text(parent, ports, "@", fields, owners)
    text = _FIELD.sub(lambda match: match[0].replace(".", "__").replace("[", "__").replace("]", ""), text)
    stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(component).__name__).lower()
    text, names = _order_ports(text, ["clk", "rst", *ports])
    clocks = tuple(name for name in names[:2] if name in ("clk", "rst") and name not in ports)
    image = getattr(component, "image", None)
    return ConvertedModule(text, tuple(parts), stem, summary(component), image, structures, clocks)


def _converted(component, members, known, fields):
    """The :class:`ConvertedModule` of a component; it is converted if no equal component was converted before."""
    key = identity(component)
    if key is not None and (fields, key) in known:
        leave(component)
        return known[fields, key]
    module = _convert(component, members, structures_of(members) if fields else {}, known, fields)
    if key is not None:
        known[fields, key] = module
    return module


def _instance(kind, name, module, members, parent):
    """Instance ``name`` of ``module``, whose name is ``kind``, in ``parent``; ``members`` are those of its component."""
    connections = []
    for port, (member, signal) in members.items():
        # The parent's name of a child's port is prefixed with the name of the child instance.
        signal.name = f"{name}__{port}"
        signals = {port: signal}
        if port in module.structures and member.flow == In:
            fields = module.structures[port]
            signals = {field.port: Cat(signal[start:stop] for start, stop in field.places) for field in fields}
        elif port in module.structures:
            signals, whole = signals_of(module.structures[port], signal.name)
            parent.add_statements("comb", signal.eq(whole))
            signal.name = ""  # Its nets have the names of the fields.
        if member.flow == Out:
            # Yosys keeps one name of a net: of two ports that with an attribute, which the driver therefore has.
            for each in signals.values():
                each.attrs["driver"] = 1
        connections += [("i" if member.flow == In else "o", pin, each) for pin, each in signals.items()]
    for clock in module.clocks:
        value = ClockSignal() if clock == "clk" else ResetSignal(allow_reset_less=True)
        connections.append(("i", clock, value))
    return Instance(kind, *connections)


def _order_ports(text, order):
    """``(text, names)``: an RTLIL module with ports numbered by ``order``, and their names in this order.

    Amaranth numbers ports in the order in which it finds them.
    """
    rank = {name: index for index, name in enumerate(order)}
    names = sorted((match[2] for match in _PORT.finditer(text)), key=lambda name: rank[name])
    number = {name: index for index, name in enumerate(names, 1)}

    def renumber(match):
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        return f"{match[0][:start]}{number[match[2]]}{match[0][end:]}"

    return _PORT.sub(renumber, text), names
