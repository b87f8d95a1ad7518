"""Memories of a user's Verilog: what stays RAM, and that a RAM ends a path."""

import json

import pytest

from dsnswitch.lab.synth import recipe
from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.source import source


@pytest.fixture
def measured(tmp_path):
    def call(text, **values):
        path = tmp_path / "t.sv"
        path.write_text(text)
        return measure_source(source([path], "t", **values), effort=1, prove=True)

    return call


LOOP = """
module t(input logic clk, we, input logic [31:0] d, output logic [31:0] y);
  logic [31:0] m [0:255];
  assign y = m[y[7:0] ^ y[15:8] ^ d[7:0]];
  always_ff @(posedge clk) if (we) m[d[7:0]] <= d;
endmodule
"""


def test_a_ram_ends_a_path(measured):
    """The data of the RAM are part of its own address: a loop of wires, but not of gates."""
    found = measured(LOOP)
    assert (found["memory_bits"], found["flip_flops"], found["levels"]) == (256 * 32, 0, 2)
    assert found["notes"] == []


SHIFT = """
module t(input logic clk, input logic [7:0] a, input logic [15:0] d, output logic [15:0] y);
  logic [15:0] m [0:{words}];
  always_ff @(posedge clk) begin
    m[0] <= d;
    for (int i = 1; i <= {words}; i++) m[i] <= m[i - 1];
  end
  assign y = m[{tap}];
endmodule
"""


@pytest.mark.parametrize("tap", ["79", "a"])
def test_a_shift_register_is_no_ram(measured, tap):
    """Its addresses are constant, with or without a tap that is not."""
    found = measured(SHIFT.format(words=79, tap=tap))
    assert (found["memory_bits"], found["flip_flops"]) == (0, 80 * 16)


PORTS = """
module t(input logic clk, input logic [1:0] we, input logic [2:0][7:0] a, input logic [31:0] d, output logic [63:0] y);
  logic [31:0] m [0:255];
  always_ff @(posedge clk) begin if (we[0]) m[a[0]] <= d; if (we[1]) m[a[1]] <= ~d; y <= {m[a[1]], m[a[2]]}; end
endmodule
"""


def test_a_ram_with_many_ports_is_named(measured, tmp_path, run):
    found = measured(PORTS)
    note = "RAM m (256 x 32 bits) has 2 read and 2 write ports; a RAM usually has at most 2 ports"
    assert (found["memory_bits"], found["notes"]) == (256 * 32, [note])
    _, out, _ = run("synth", "--verilog", tmp_path / "t.sv", "--top", "t")
    assert out.splitlines()[2] == f"t: {note}"


def test_figures_without_a_proof(tmp_path, run, monkeypatch):
    """The reason is printed, and the report is written."""
    (tmp_path / "t.v").write_text("module t(input a, b, output y); assign y = a & b; endmodule\n")
    monkeypatch.setattr(recipe, "PROOF_SECONDS", 0)
    path = tmp_path / "report.json"
    status, out, err = run("synth", "--verilog", tmp_path / "t.v", "--top", "t", "--out", path)
    assert (status, err) == (0, "")
    assert out.splitlines()[1].startswith("t ")
    assert out.splitlines()[2:] == ["t: not proved: abc gives no verdict within 0 seconds"]
    assert json.loads(path.read_text())["blocks"][0]["equivalent"] is None
