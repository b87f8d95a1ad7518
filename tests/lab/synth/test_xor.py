"""XOR networks of a user's Verilog are balanced: depth, function, limits, and the note beside the figures."""

import json
import random

import pytest

from dsnswitch.lab.synth import netlist as xor
from dsnswitch.lab.synth import passes
from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.netlist import balance
from dsnswitch.lab.synth.source import Source, source
from dsnswitch.lab.synth.yosys import commands

CRC = """
module t(input [{last}:0] d, input [15:0] c, output reg [15:0] y);
  integer i;
  always @* begin
    y = c;
    for (i = 0; i <= {last}; i = i + 1)
      {step}
  end
endmodule
"""
STEPS = {
    "mask": "y = {y[14:0], 1'b0} ^ ({16{y[15] ^ d[i]}} & 16'h1021);",
    "if": "if (y[15] ^ d[i]) y = {y[14:0], 1'b0} ^ 16'h1021; else y = {y[14:0], 1'b0};",
}


@pytest.mark.parametrize("step", STEPS)
def test_serial_crc(tmp_path, step):
    """A CRC that is computed bit by bit is as fast as its sums are: 48 steps become 5 levels."""
    path = tmp_path / "t.v"
    path.write_text(CRC.replace("{step}", STEPS[step]).replace("{last}", "47"))
    found = measure_source(source([path], "t"), effort=1, prove=True)
    (note,) = found["notes"]
    assert note.startswith("XOR networks balanced: 1; the deepest had ")
    assert note.endswith(" gates, and has 5")
    assert (found["levels"], found["equivalent"]) == (5, True)
    before = measure_source(Source((path,), "t"), effort=1)
    assert before["levels"] > 12
    assert found["period"] < 0.6 * before["period"]
    assert found["area"] < 1.3 * before["area"]


def netlist(tmp_path, text):
    (tmp_path / "t.v").write_text(text)
    steps = ["read_verilog -sv t.v", "hierarchy -top t", "proc", *passes.FRONT, "write_json t.json"]
    done = commands(steps, tmp_path)
    assert not done.returncode, done.stderr
    return json.loads((tmp_path / "t.json").read_text())


def evaluated(module, values):
    """Values of the outputs of a netlist of gates, from those of its inputs."""
    nets = {"0": 0, "1": 1}
    for name, value in values.items():
        nets |= {bit: value >> index & 1 for index, bit in enumerate(module["ports"][name]["bits"])}
    cells = {cell["connections"]["Y"][0]: cell for cell in module["cells"].values()}
    functions = {
        "$_NOT_": lambda a: 1 - a,
        "$_BUF_": lambda a: a,
        "$_XOR_": lambda a, b: a ^ b,
        "$_XNOR_": lambda a, b: 1 - (a ^ b),
        "$_AND_": lambda a, b: a & b,
        "$_OR_": lambda a, b: a | b,
        "$_MUX_": lambda a, b, s: b if s else a,
    }

    def value(net):
        if net not in nets:
            cell = cells[net]
            nets[net] = functions[cell["type"]](
                *(value(cell["connections"][pin][0]) for pin in "ABS" if pin in cell["connections"])
            )
        return nets[net]

    outputs = (port for port in module["ports"].values() if port["direction"] == "output")
    return [value(bit) for port in outputs for bit in port["bits"]]


MIXED = """
module t(input [39:0] a, output [3:0] y, output [39:0] z);
  wire [39:0] c, e;
  assign c = {c[38:0], 1'b1} ^ ~a;
  assign y = {c[39], ~c[20], c[39] & c[7], c[13] ? ~c[9] : c[9]};
  assign e = {e[38:0], c[39] & a[0]} ^ {a[0] ^ a[0], a[39:1]};
  assign z = e;
endmodule
"""


def test_function_is_kept(tmp_path):
    """Inverters, constants, multiplexers, terms that cancel, and a network whose term is the product of another's output."""
    found = netlist(tmp_path, MIXED)
    module = found["modules"]["t"]
    draw = random.Random(1)
    cases = [draw.getrandbits(40) for _ in range(50)]
    before = [evaluated(module, {"a": case}) for case in cases]
    assert len(balance(found, "t")["balanced"]) == 2
    assert [evaluated(module, {"a": case}) for case in cases] == before
    # Balancing again changes nothing.
    assert balance(found, "t")["balanced"] == []


def test_short_networks_stay(tmp_path):
    """An adder's sums have two or three terms."""
    found = netlist(tmp_path, "module t(input [15:0] a, b, c, output [15:0] y); assign y = a + b ^ c; endmodule")
    before = json.dumps(found)
    assert balance(found, "t") == {"balanced": [], "large": 0}
    assert json.dumps(found) == before


def test_late_terms_are_added_last(tmp_path):
    text = "module t(input [15:0] a, b, output y); assign y = {}&a{}; endmodule"
    found = netlist(tmp_path, text.format("(" * 8, "".join(f" ^ b[{index}])" for index in range(8))))
    ((before, after),) = balance(found, "t")["balanced"]
    assert before > after == 5


@pytest.mark.parametrize("limit", ["MOST_TERMS", "MOST_DIFFERENT"])
def test_large_networks_are_named(tmp_path, monkeypatch, limit):
    found = netlist(tmp_path, MIXED)
    monkeypatch.setattr(xor, limit, 20)
    assert balance(found, "t") == {"balanced": [], "large": 2}
