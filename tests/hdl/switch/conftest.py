"""Tops for benches of the switch: one switch with the other end of every line, and the switches of a small network."""

import re

import pytest
from emitted.escaped import check_names
from emitted.sharing import shared

from dsnswitch.gen.blocks.port import FabricPortBlock
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.hdl.port.shape import KINDS, FabricShape, alike

NAMES = dict.fromkeys(("verilog", "template", "manifest", "file_list", "core", "sdc"), "joined")

#: Tests of the bench of one switch.
ONE = ["random_traffic", "zero_load_latency", "broken_packets", "changed_packets"]

#: Prefixes of a fabric port's ports at its core, and what they are called as ports of a switch core.
CORE_SIDE = {"core_tx_": "rx_", "core_rx_": "tx_", "core_stall": "rx_stall"}


def wrapper(parts, lines, outer, width):
    """Verilog of module ``joined``: instances with one clock and one reset, and lines between them.

    Parameters
    ----------
    parts : dict
        ``{instance: (module, ports)}``, ports as in a manifest.
    lines : dict
        ``{name: ((instance, stream), (instance, stream))}``: from an output to an input. Output ``name`` of ``joined`` has the
        codeword, input ``name_flip`` inverts bits of it on its way.
    outer : callable
        ``outer(instance, port)`` is the name that another port of an instance has in ``joined``.
    width : int
        Bits of a word of a line.
    """
    ends = {end: line for line, pair in lines.items() for end in pair}
    ports = [("input", 1, "clk"), ("input", 1, "rst")]
    ports += [port for line in lines for port in (("output", width, line), ("input", width, f"{line}_flip"))]
    text = "".join(f"  wire {line}_{part};\n" for line in lines for part in ("valid", "ready"))
    for instance, (module, own) in parts.items():
        pins = []
        speculates = any(port["name"] == "core_confirmed" for port in own)
        for port in own:
            stem, _, part = port["name"].rpartition("_")
            line = ends.get((instance, stem))
            if port["name"] in ("clk", "rst"):
                there = port["name"]
            elif port["name"] == "core_confirmed":
                there = f"{instance}_confirmed"
            elif port["name"] in ("core_rx_valid", "core_rx_flit") and speculates:
                # A core takes the flit if it is confirmed, and returns its credit later, as the bench does after a register.
                there, shown, bits = f"{instance}_{part}_offered", outer(instance, port["name"]), port["width"]
                taken = f"{there} & {{{bits}{{{instance}_confirmed}}}}" if part == "valid" else there
                text += f"  wire {instance}_confirmed;\n" if part == "valid" else ""
                text += f"  wire [{bits - 1}:0] {there};\n  reg [{bits - 1}:0] {there}_then = 0;\n"
                text += f"  always @(posedge clk) {there}_then <= {taken};\n  assign {shown} = {there}_then;\n"
                ports.append(("output", bits, shown))
            elif line is None:
                there = outer(instance, port["name"])
                ports.append((port["direction"], port["width"], there))
            elif part == "payload":
                there = line if port["direction"] == "output" else f"{line} ^ {line}_flip"
            else:
                there = f"{line}_{part}"
            pins += [f".{pin}({there}{place})" for pin, place in port.get("pins", [(port["name"], "")])]
        text += f"  {module} {instance} ({', '.join(pins)});\n"
    head = ",\n".join(f"  {way} wire [{width - 1}:0] {name}" for way, width, name in ports)
    return f"module joined(\n{head}\n);\n{text}endmodule\n"


class Parts:
    """Modules of a top: emits each block once."""

    def __init__(self):
        self.texts, self.abouts = [], {}

    def far(self, port, block, has_down):
        """``(module, ports)`` of the fabric port ``block``: the module that the first block of the top has at its port ``port``.

        ``has_down``: the module has the inputs ``down`` and ``core_empty`` as well.
        """
        if block.name not in self.abouts:
            self.abouts[block.name] = about = manifest(block, block.component(), NAMES)
            widths = {"down": 1, "core_empty": port.channels} if has_down else {}
            about["ports"] += [{"name": n, "direction": "input", "width": w, "role": n} for n, w in widths.items()]
        [module] = re.findall(rf"^  (\w+) {port.name}_fabric \(", self.texts[0], re.MULTILINE)
        head = re.search(rf"^module {module} \((.*?)^\);", self.texts[0], re.MULTILINE | re.DOTALL)[1]
        declared = re.findall(r"^  (?:input|output) +(?:wire|reg) +(?:\[(\d+):0\] )?(\w+)", head, re.MULTILINE)
        for about in self.abouts[block.name]["ports"]:
            about["pins"] = self._pins(about, {name: int(high or 0) + 1 for high, name in declared})
        return module, self.abouts[block.name]["ports"]

    @staticmethod
    def _pins(port, declared):
        """``[(pin, part of the port)]``: below a top, a structure has a pin for each field, the lowest first."""
        if port["name"] in declared:
            return [(port["name"], "")]
        found, low = [], 0
        for name, width in declared.items():
            if name.startswith(f"{port['name']}_"):
                found.append((name, f"[{low + width - 1}:{low}]"))
                low += width
        assert low == port["width"], port
        return found

    def add(self, block):
        """``(module, ports)`` of a block."""
        if block.name not in self.abouts:
            component = block.component()
            self.abouts[block.name] = manifest(block, component, NAMES)
            self.texts.append(check_names(convert(component, block.name, block.description)))
        return block.name, self.abouts[block.name]["ports"]


def alone(block):
    """One switch, and a fabric port at the other end of each line, which is a second instance of the switch's module.

    The core's side of such a port has the names of a switch core's port: ``x_forward_rx_valid`` are flits that travel to the
    switch. Its other ports begin with ``x_forward_far``.
    """
    made, shape = Parts(), block.core.shape
    parts, lines = {"device": made.add(block)}, {}
    for port in shape.ports:
        if not port.is_host:
            far = f"far_{port.name}"
            fabric = FabricShape(shape, alike(shape, port), block.round_trip, block.link_kind, block.detect)
            parts[far] = made.far(port, FabricPortBlock(block.core, fabric, block.settle), block.apb)
            lines[f"{port.name}_rx_line"] = (far, "o"), ("device", f"{port.name}_i")
            lines[f"{port.name}_tx_line"] = ("device", f"{port.name}_o"), (far, "i")

    def outer(instance, name):
        if instance == "device":
            return name
        port = instance.removeprefix("far_")
        for inner, there in CORE_SIDE.items():
            if name.startswith(inner):
                return f"{port}_{there}{name.removeprefix(inner)}"
        return f"{port}_far_{name}"

    return made, parts, lines, outer


def whole(block):
    """Every switch of the network, ``s0`` first, joined by its lines: ``s0_x_forward_line`` leaves port x_forward of s0."""
    made, network = Parts(), block.core.shape.network
    switches = list(network.switches())
    ports = {port.index: port.name for port in block.core.shape.ports if not port.is_host}
    parts = {f"s{number}": made.add(block) for number in range(len(switches))}
    lines = {}
    for number, switch in enumerate(switches):
        for index, name in ports.items():
            there, far = network.neighbour(switch, index)
            lines[f"s{number}_{name}_line"] = ((f"s{number}", f"{name}_o"), (f"s{switches.index(there)}", f"{ports[far]}_i"))
    return made, parts, lines, lambda instance, name: f"{instance}_{name}"


@pytest.fixture(scope="session")
def arranged():
    """A function that makes a top once per session: ``(block, manifest of the switch, Verilog)``."""
    kept = {}

    def make(arrange, values):
        key = arrange.__name__, str(sorted(values.items()))
        if key not in kept:
            block = build({"block": "switch", "apb": False} | values)
            made, parts, lines, outer = arrange(block)
            text = shared("\n".join([*made.texts, wrapper(parts, lines, outer, KINDS[block.link_kind].word)]))
            # ``far``: of the fabric ports at the other ends, which have one layout of status.
            about, *far = made.abouts.values()
            kept[key] = block, about | ({"far": far[0]} if far else {}), text
        return kept[key]

    return make


@pytest.fixture
def joined(lab, arranged):
    """A function that runs tests of a bench on the top that ``arrange`` (:func:`alone`, :func:`whole`) makes of a switch."""

    def run(bench, arrange, values, tests, **parameters):
        block, about, text = arranged(arrange, values)
        return lab.bench_of(text, "joined", about, bench, tests, f"-{arrange.__name__}-{block.name}", **parameters)

    return run
