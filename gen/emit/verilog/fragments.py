"""The only module that uses undocumented interfaces of Amaranth: fragments, and RTLIL of one fragment with ordered ports.

Amaranth's public ``amaranth.back.rtlil.convert`` writes a whole hierarchy, and loses the names and the order of inner ports. The
interfaces used here are the same in every release of :data:`SUPPORTED`; a test compares the installed release with that range.
"""

from amaranth.back import rtlil
from amaranth.hdl import Fragment, MemoryInstance
from amaranth.lib import wiring
from amaranth.lib.wiring import In

__all__ = ["SUPPORTED", "children", "fragment", "module_text", "replace_children"]

#: First release of Amaranth that works, and the first release that has not been tried.
SUPPORTED = ("0.5.4", "0.6")


def fragment(component):
    """The elaborated fragment of ``component``."""
    return Fragment.get(component, None)


def children(parent):
    """``[(fragment, name, component)]`` of the fragments below ``parent``.

    The component is None if the fragment belongs to the module of its parent.
    """
    found = []
    for child, name, _ in parent.subfragments:
        # A memory stays in the module of the component that contains it.
        origins = () if isinstance(child, MemoryInstance) else child.origins or ()
        owner = next((origin for origin in origins if isinstance(origin, wiring.Component)), None)
        found.append((child, name, owner))
    return found


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
