"""Each component is a module of its own in Verilog, so a parent may read the ports of a child, and no other signal of it."""

import pytest
from amaranth.hdl import Signal
from amaranth.hdl._ast import SignalSet

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import flat_members
from dsnswitch.gen.emit.verilog import hierarchy

CORES = {
    "pool": {"topology": "torus:4", "flit": 64, "packet": 3, "depth": 4, "channels": "dim0=2", "pool": "dim0=6"},
    "detour": {"topology": "ring:8:ring-3", "flit": 96, "packet": 3, "depth": 4, "routing": "detour"},
}


def signals(value):
    """Signals in an attribute of a component."""
    if isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from signals(item)
    elif isinstance(value, Signal) and len(value):
        yield value


def read(fragment):
    """Signals that a fragment reads, without the components below it."""
    for statements in fragment.statements.values():
        for statement in statements:
            yield from statement._rhs_signals()
    for child, _, owner in hierarchy.children(fragment):
        if owner is None:
            yield from read(child)


@pytest.mark.parametrize("values", CORES.values(), ids=CORES)
def test_components_read_ports_of_others_only(monkeypatch, values):
    found, real = set(), hierarchy.fragment

    def watched(component):
        parent = real(component)
        reads = SignalSet(read(parent))
        for _, _, owner in hierarchy.children(parent):
            if owner:
                ports = SignalSet(each for _, port in flat_members(owner).values() for each in port._rhs_signals())
                inner = ((name, each) for name, value in vars(owner).items() for each in signals(value))
                found.update((type(owner).__name__, name) for name, each in inner if each in reads and each not in ports)
        return parent

    monkeypatch.setattr(hierarchy, "fragment", watched)
    hierarchy.hierarchical_rtlil(build({"block": "switch-core"} | values).component(), "core")
    assert not found
