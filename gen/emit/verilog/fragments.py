"""The only module that uses undocumented interfaces of Amaranth: fragments, and RTLIL of one fragment with ordered ports.

Amaranth's public ``amaranth.back.rtlil.convert`` writes a whole hierarchy, and loses the names and the order of inner ports. The
interfaces used here are the same in every release of :data:`SUPPORTED`; a test compares the installed release with that range.
"""

from collections.abc import Mapping
from contextlib import contextmanager
from threading import Lock

from amaranth.back import rtlil
from amaranth.hdl import Elaboratable, Fragment
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In

__all__ = ["SUPPORTED", "children", "fragment", "leave", "module_text", "replace_children", "whole_rtlil"]

#: First release of Amaranth that works, and the first release that has not been tried.
SUPPORTED = ("0.5.4", "0.6")


#: Held while ``Fragment.get`` is replaced, because figures are measured by several threads.
_replaced = Lock()


class _Below(Fragment):
    """Stands for a component below a fragment."""

    def __init__(self, component):
        super().__init__()
        self.component = component


def fragment(component):
    """The fragment of ``component`` alone: the components below it are not elaborated."""
    with _replaced, _shallow(component):
        return Fragment.get(component, None)


@contextmanager
def _shallow(component):
    """Amaranth elaborates a component together with all components below it. Here it elaborates ``component`` only.

    So a component that is equal to a converted one is not elaborated: three quarters of the components of a switch.
    """
    deep = Fragment.get

    def get(below, platform):
        # A memory stays in the module of the component that contains it.
        if below is component or isinstance(below, memory.Memory) or not isinstance(below, wiring.Component):
            return deep(below, platform)
        return _Below(below)

    Fragment.get = staticmethod(get)
    try:
        yield
    finally:
        Fragment.get = staticmethod(deep)


def leave(part):
    """Prevent Amaranth's warning that ``part`` and the components in its attributes are never elaborated."""
    if isinstance(part, Mapping):
        part = list(part.values())
    if isinstance(part, list | tuple):
        for item in part:
            leave(item)
    elif isinstance(part, Elaboratable) and not part._MustUse__used:
        part._MustUse__used = True
        leave(vars(part))


def children(parent):
    """``[(fragment, name, component)]`` of the fragments below ``parent``.

    The component is None if the fragment belongs to the module of its parent.
    """
    return [(child, name, getattr(child, "component", None)) for child, name, _ in parent.subfragments]


def replace_children(parent, named):
    """Replace the fragments below ``parent`` by those of ``[(fragment, name)]``."""
    parent.subfragments = [(child, name, None) for child, name in named]


def module_text(parent, ports, name):
    """RTLIL of one fragment as module ``name``; ``ports`` is ``{name: (signal, flow)}``."""
    directions = rtlil._ir.PortDirection
    ports = {
        port: (signal, directions.Input if flow == In else directions.Output) for port, (signal, flow) in ports.items()
    }
    return rtlil.convert_fragment(parent, ports, name=name, emit_src=False)[0]


def whole_rtlil(part, ports, name):
    """RTLIL of ``part`` and everything below it, with top module ``name``. ``ports`` are signals; their names are kept.

    It serves proofs about an elaboratable without a signature. Names and order of inner ports are lost.
    """
    return rtlil.convert(part, ports=ports, name=name)
