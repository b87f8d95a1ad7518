"""JSON manifest of an emitted top: everything that another testbench needs to drive it (``docs/manifest.schema.json``)."""

import json

from amaranth.lib.wiring import In

from dsnswitch.gen.emit.port_roles import port_roles
from dsnswitch.gen.emit.ports import flat_ports
from dsnswitch.gen.version import __version__

__all__ = ["manifest", "render"]


def manifest(block, component, files):
    """Manifest of ``component`` as a dictionary.

    ``block`` is the configured block that made the component (an instance of a class in :data:`BLOCKS`).
    ``files`` maps a kind of file (``verilog``, ``sdc``, ...) to its name in the manifest's folder.
    """
    roles, (_, interface) = port_roles(block, component), block.interface()
    clocked = getattr(component, "clocked", component.latency > 0)
    entries = []
    if clocked:
        entries += [
            {"name": name, "direction": "input", "width": 1, "role": role, "static": False}
            for name, role in (("clk", "clock"), ("rst", "reset"))
        ]
    for name, (value, flow) in flat_ports(component).items():
        direction = "input" if flow == In else "output"
        entries.append({"name": name, "direction": direction, "width": len(value), **roles[name]})
    return {
        "format": "dsnswitch-manifest",
        "version": 1,
        "generator": f"dsnswitch {__version__}",
        "block": block.block,
        "top": block.name,
        "files": files,
        "parameters": block.parameters,
        "clock": {"port": "clk", "edge": "rising"} if clocked else None,
        "reset": {"port": "rst", "active": "high", "kind": "synchronous"} if clocked else None,
        "latency_cycles": component.latency,
        "results_per_cycle": _number(getattr(component, "results_per_cycle", 1)),
        "ports": entries,
        **interface,
    }


def _number(fraction):
    return fraction.numerator if fraction.denominator == 1 else float(fraction)


def render(value):
    """JSON text with one entry per line if the entry fits one line."""
    lines = []
    for key, item in value.items():
        if isinstance(item, list) and item and isinstance(item[0], dict):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in item)
            lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(item)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
