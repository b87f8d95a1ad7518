"""Each component is a module of its own in Verilog, so a parent may read the ports of a child, and no other signal of it."""

import pytest
from amaranth.hdl import Signal

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import flat_members
from dsnswitch.gen.emit.verilog import hierarchy
from dsnswitch.gen.emit.verilog.fragments import signals_read

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


@pytest.mark.parametrize("values", CORES.values(), ids=CORES)
def test_components_read_ports_of_others_only(monkeypatch, values):
    found, real = set(), hierarchy.fragment

    def watched(component):
        parent = real(component)
        reads = signals_read(parent)
        for _, _, owner in hierarchy.children(parent):
            if owner:
                ports = [port.name for _, port in flat_members(owner).values()]
                inner = ((name, each) for name, value in vars(owner).items() for each in signals(value) if name not in ports)
                found.update((type(owner).__name__, name) for name, each in inner if each in reads)
        return parent

    monkeypatch.setattr(hierarchy, "fragment", watched)
    hierarchy.hierarchical_rtlil(build({"block": "switch-core"} | values).component(), "core")
    assert not found
