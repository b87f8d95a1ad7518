"""Two fabric ports in one top, each with a reset of its own, and perhaps a receiver of 256b/260b that listens to the first."""

from unittest.mock import patch

import pytest
from emitted.escaped import check_names
from emitted.sharing import shared

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog import hierarchy
from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.hdl.port import session
from dsnswitch.hdl.port.port import FabricPort
from dsnswitch.hdl.port.shape import VERSION

#: Two classes, small packets and buffers.
SMALL = {"block": "fabric-port", "topology": "ring:5:ring-3", "packet": 5, "depth": 12}
#: Receiver of each kind of line, and blocks on the cables of the benches.
READERS = {"light": "pcs260-rx", "strict": "strict-link-rx", "selected": "selected-link-rx"}
WAIT = 50
NAMES = dict.fromkeys(("verilog", "template", "manifest", "file_list", "core", "sdc"), "joined")


def wrapper(parts):
    """Verilog of module ``joined``: instances ``{name: (module, ports)}`` whose ports have its name first, and one clock."""
    ports = [
        (f"{name}_{port['name']}", port["direction"], port["width"])
        for name, (_, ports) in parts.items()
        for port in ports
        if port["name"] != "clk"
    ]
    lines = [f"  {way} wire [{width - 1}:0] {name}" for name, way, width in [("clk", "input", 1), *ports]]
    text = "module joined(\n" + ",\n".join(lines) + "\n);\n"
    for name, (module, own) in parts.items():
        pins = (f".{port['name']}({'' if port['name'] == 'clk' else name + '_'}{port['name']})" for port in own)
        text += f"  {module} {name} ({', '.join(pins)});\n"
    return text + "endmodule\n"


def two_ports(values, other, reader=True, version=VERSION, **component):
    """``(manifest of the first port, Verilog)`` of two ports and, with ``reader``, a receiver.

    The second port differs in ``other``, and says that its line format has ``version``.
    """
    parts, texts, abouts = {}, [], []
    for name, more in (("a", {}), ("b", other)):
        block = build(SMALL | values | more)
        port = FabricPort(block.shape, wait=WAIT + block.shape.kind.blocks(block.shape.kind.ends), **component)
        abouts.append(manifest(block, port, NAMES))
        parts[name] = block.name, abouts[-1]["ports"]
        if other or not texts:
            spoken = version if other and name == "b" else VERSION
            with (
                patch.object(session, "VERSION", spoken),
                patch.object(hierarchy, "kept", hierarchy.kept if spoken == VERSION else None),
            ):
                texts.append(convert(port, block.name, [f"{block.name}: end of a fabric link."]))
    named = []
    if reader:
        block = build({"block": READERS[values.get("link", "light")]})
        component = block.component()
        parts["reader"] = block.name, manifest(block, component, NAMES)["ports"]
        texts.append(convert(component, block.name, [f"{block.name}: reads the line."]))
        named = [port["name"] for port in parts["reader"][1]]
    second = {"second": abouts[1]} if other else {}
    return abouts[0] | second | {"reader": named}, shared(check_names("\n".join([*texts, wrapper(parts)])))


@pytest.fixture
def joined(lab):
    """A function that runs tests of a bench on two ports; ``other``: what differs in the second."""

    def run(
        tests,
        label="",
        other=None,
        values=None,
        bench="port_bench",
        patience=512,
        reader=True,
        version=VERSION,
        optimise="-O0",
        **parameters,
    ):
        key = str((values, other, reader, version, patience))
        if key not in lab.kept:
            lab.kept[key] = two_ports(values or {}, other or {}, reader, version, patience=patience)
        about, text = lab.kept[key]
        label = f"-{about['top']}{label}"
        return lab.bench_of(text, "joined", about, bench, tests, label, optimise, patience=patience, **parameters)

    return run
