"""Memories of a user's Verilog: what stays RAM, and that a RAM ends a path."""

import json

import pytest

from dsnswitch.lab.synth import recipe
from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.source import source
from dsnswitch.lab.synth.yosys import commands


@pytest.fixture
def measured(tmp_path):
    def call(text, **more):
        path = tmp_path / "t.sv"
        path.write_text(text)
        return measure_source(source([path], "t"), effort=1, prove=True, **more)

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


@pytest.mark.regress
def test_a_shift_register_is_no_ram(measured):
    """Its addresses are constant, but for a tap."""
    found = measured(SHIFT.format(words=79, tap="a"))
    assert (found["memory_bits"], found["flip_flops"]) == (0, 80 * 16)


PORTS = """
module t(input logic clk, input logic [1:0] we, input logic [2:0][7:0] a, input logic [31:0] d, output logic [63:0] y);
  logic [31:0] m [0:255];
  always_ff @(posedge clk) begin if (we[0]) m[a[0]] <= d; if (we[1]) m[a[1]] <= ~d; y <= {m[a[1]], m[a[2]]}; end
endmodule
"""


def test_a_ram_with_many_ports_is_named(measured, tmp_path, run):
    found = measured(PORTS)
    note = "RAM m (256 x 32 bits) has 3 ports (1 read, 1 write, 1 read and write); a RAM usually has at most 2"
    assert (found["memory_bits"], found["notes"]) == (256 * 32, [note])
    _, out, _ = run("synth", "--verilog", tmp_path / "t.sv", "--top", "t")
    assert out.splitlines()[2] == f"t: {note}"


TRUE_DUAL = """
module t(input logic clk, other, input logic [1:0] we, input logic [1:0][7:0] a, input logic [1:0][31:0] d,
         output logic [1:0][31:0] y);
  logic [31:0] m [0:255];
  always @(posedge clk) begin if (we[0]) m[a[0]] <= d[0]; y[0] <= m[a[0]]; end
  always @(posedge {clock}) begin if (we[1]) m[a[1]] <= d[1]; y[1] <= m[a[1]]; end
endmodule
"""


def test_a_port_that_reads_and_writes_is_one_port(measured):
    """A RAM with two such ports can be bought, also with a clock for each."""
    found = measured(TRUE_DUAL.format(clock="other"))
    assert (found["memory_bits"], found["notes"]) == (256 * 32, [])


@pytest.mark.regress
def test_ports_with_other_clocks_are_two(measured):
    """Both write ports are read at their addresses, but with the other clock."""
    text = TRUE_DUAL.format(clock="other").replace("y[0] <= m[a[0]];", "y[0] <= m[a[1]];")
    text = text.replace("y[1] <= m[a[1]];", "y[1] <= m[a[0]];")
    note = "RAM m (256 x 32 bits) has 4 ports (2 read, 2 write); a RAM usually has at most 2"
    assert measured(text)["notes"] == [note]


#: Memories of few words, each with the registers that have its function; ``m`` is 8 bits wide.
FEW_WORDS = {
    "enable": ("[0:0]; always @(posedge clk) if (we) m[0] <= d; assign q = m[0];",
               "; always @(posedge clk) if (we) m <= d; assign q = m;"),
    "registered": ("[0:0]; always @(posedge clk) begin m[0] <= d; if (re) q <= m[0]; end",
                   "; always @(posedge clk) begin m <= d; if (re) q <= m; end"),
    "reset": ("[0:0]; always @(posedge clk) if (rst) m[0] <= 9; else if (we) m[0] <= d; assign q = m[0];",
              "; always @(posedge clk) if (rst) m <= 9; else if (we) m <= d; assign q = m;"),
    "read_reset": ("[0:0]; always @(posedge clk) begin if (we) m[0] <= d; if (rst) q <= 5; else q <= m[0]; end",
                   "; always @(posedge clk) begin if (we) m <= d; if (rst) q <= 5; else q <= m; end"),
    "bytes": ("[0:0]; always @(posedge clk) begin if (we) m[0][3:0] <= d[3:0]; if (re) m[0][7:4] <= d[7:4]; end assign q = m[0];",
              "; always @(posedge clk) begin if (we) m[3:0] <= d[3:0]; if (re) m[7:4] <= d[7:4]; end assign q = m;"),
    "image": ("[0:0]; initial m[0] = 90; assign q = m[0];", "; assign q = 90;"),
    "unread": ("[0:0]; always @(posedge clk) m[0] <= d; assign q = d;", "; assign q = d;"),
    "shift": ("[0:1]; always @(posedge clk) if (we) begin m[0] <= d; m[1] <= m[0]; end assign q = m[1];",
              "; logic [7:0] n; always @(posedge clk) if (we) begin m <= d; n <= m; end assign q = n;"),
    "writers": ("[0:2]; always @(posedge clk) begin if (we) m[0] <= d; if (re) m[2] <= ~d; end assign q = m[0] ^ m[2];",
                "; logic [7:0] n; always @(posedge clk) begin if (we) m <= d; if (re) n <= ~d; end assign q = m ^ n;"),
    "address": ("[0:2]; always @(posedge clk) if (we) m[a] <= d; assign q = m[1];",
                "; always @(posedge clk) if (we && a == 1) m <= d; assign q = m;"),
}  # fmt: skip
UNITS = """
module {name}(input logic clk, rst, we, re, a, input logic [7:0] d, output logic [7:0] q);
  logic [7:0] m {text}
endmodule
"""
#: Passes that look for inputs for which the netlist differs from registers, in the first six cycles.
COMPARED = (
    "read_slang --top t gold.sv", "proc", "setattr -unset init w:*", "flatten", "rename t gold", "design -stash gold",
    "read_json flat.json", "read_liberty -ignore_miss_func cells.lib", "flatten", "proc", "setattr -set init 1'0 t:*dff* %co2",
    "rename t gate", "design -stash gate",
    "design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate",
    "miter -equiv -flatten -make_outputs -ignore_gold_x gold gate miter",
    "sat -verify -prove trigger 0 -enable_undef -set-def-inputs -set-init-undef -tempinduct-baseonly -maxsteps 6 miter",
)  # fmt: skip


def units(part):
    """A module ``t`` with all of :data:`FEW_WORDS`, as memories or as registers."""
    text = "".join(UNITS.format(name=name, text=texts[part]) for name, texts in FEW_WORDS.items())
    uses = "".join(f"  {name} {name}(.*, .q(q[{index}]));\n" for index, name in enumerate(FEW_WORDS))
    ports = f"input logic clk, rst, we, re, a, input logic [7:0] d, output logic [{len(FEW_WORDS) - 1}:0][7:0] q"
    return f"{text}module t({ports});\n{uses}endmodule\n"


def test_memories_of_few_words_are_registers(measured, tmp_path):
    """One word, or constant addresses: as many flip-flops as registers have, and the same function."""
    found = measured(units(0), keep=tmp_path)
    # Seven units have a register of their own, one has two, and four bits of "bytes" are those of "enable".
    assert (found["memory_bits"], found["flip_flops"]) == (0, 9 * 8 - 4)
    for text, message in ((units(1), ""), (units(1).replace("q <= 5", "q <= 4"), "proof did fail")):
        (tmp_path / "gold.sv").write_text(text)
        done = commands(COMPARED, tmp_path)
        assert (bool(done.returncode), message in done.stderr) == (bool(message), True)


@pytest.mark.parametrize(("words", "bits"), [pytest.param(3, 0, marks=pytest.mark.regress), (4, 8192)])
def test_no_ram_has_three_words(measured, words, bits):
    """Wide memories of few words are flip-flops, too."""
    text = f"""module t(input logic clk, we, input logic [1:0] a, input logic d, output logic q);
      logic [2047:0] m [0:{words - 1}];
      always @(posedge clk) if (we) m[a] <= {{2048{{d}}}};
      assign q = &m[a];
    endmodule"""
    found = measured(text)
    assert (found["memory_bits"], found["flip_flops"]) == (bits, 0 if bits else words)


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
