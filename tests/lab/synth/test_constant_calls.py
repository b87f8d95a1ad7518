"""Constant functions in loops of processes and constants of initial blocks in a user's Verilog: function and time."""

import time

import pytest

from dsnswitch.lab.synth import constant_calls
from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.source import source

#: The bits of data and state that are added to bit ``n`` of a CRC after a word of data.
STEPS = """
  for (i = 0; i < 32; i = i + 1) begin ms[i] = 0; ms[i][i] = 1; md[i] = 0; end
  for (i = W - 1; i >= 0; i = i - 1) begin
    vs = ms[31]; vd = md[31]; vd[i] = ~vd[i];
    for (j = 31; j > 0; j = j - 1) begin ms[j] = ms[j-1]; md[j] = md[j-1]; end
    ms[0] = vs; md[0] = vd;
    for (j = 1; j < 32; j = j + 1)
      if (32'h04c11db7 & (1 << j)) begin ms[j] = ms[j] ^ vs; md[j] = md[j] ^ vd; end
  end
"""
VARIABLES = "reg [31:0] ms [0:31]; reg [W-1:0] md [0:31]; reg [31:0] vs; reg [W-1:0] vd; integer i, j;"
FUNCTION = f"function [W+31:0] row(input integer n); {VARIABLES} begin {STEPS} row = {{md[n], ms[n]}}; end endfunction"
PORTS = "#(parameter W = 64) (input [W-1:0] d, input [31:0] s, output [31:0] y);"
GENERATED = f"""
module generated {PORTS} {FUNCTION} genvar n;
  generate for (n = 0; n < 32; n = n + 1) begin : g wire [W+31:0] mask = row(n); assign y[n] = ^({{d, s}} & mask); end endgenerate
endmodule"""
LOOP = f"""
module other {PORTS} {FUNCTION} reg [31:0] r; integer n; // row(n) is a constant
  (* keep *) always @* begin r = 0; for (n = 0; n < 32; n = n + 1) begin r[n] = ^({{d, s}} & row(n)); end end
  assign y = r;
endmodule"""
INITIAL = f"""
module other {PORTS} {VARIABLES} initial begin {STEPS} end genvar n;
  generate for (n = 0; n < 32; n = n + 1) assign y[n] = ^({{d, s}} & {{md[n], ms[n]}}); endgenerate
endmodule"""
BOTH = """
module t(input [63:0] d, input [31:0] s, output [31:0] y); wire [31:0] a, b;
  generated #(64) one(d, s, a); other #(64) two(d, s, b); assign y = a ^ b;
endmodule"""


@pytest.mark.parametrize("other", [LOOP, INITIAL], ids=["loop", "initial"])
def test_masks_of_a_crc_of_64_bits(tmp_path, other):
    """Functions in loops and initial blocks have the constants of the same function in a generated block, in seconds."""
    path = tmp_path / "t.v"
    path.write_text(GENERATED + other + BOTH)
    start = time.process_time()
    assert measure_source(source([path], "t"), effort=1)["gates"] == 0
    assert time.process_time() - start < 10


PARTS = {
    # Two loops, types in the headers, a step of two, bounds downwards and from a parameter.
    "nested": "for (int a = N; a >= 0; a -= 2) for (byte b = 1; b <= 3; b++) r[a * 4 + b] = s[f(a, b) % 32];",
    # The bound of one loop depends on the other, so no table is possible.
    "triangle": "for (int a = 0; a < 5; a++) for (int b = 0; b < a; b++) r[a * 4 + b] = s[f(a, b) % 32];",
    # One of the arguments is an input.
    "input": "for (int a = 0; a < 3; a++) r[a] = s[f(a, 1) % 32] ^ f(s[2:0], a);",
    "block": "begin : named integer a; for (a = 0; a < 7; a = a + 1) if (a == 3) begin end else r[a] = s[f(a, 2) % 32]; end",
}


def f(a, b):
    for _ in range(702):
        a = (a << 1 & 0xFFFFFFFF | a >> 31) ^ b
    return a


PAIRS = {
    "nested": {a * 4 + b: f(a, b) for a in (6, 4, 2, 0) for b in (1, 2, 3)},
    "triangle": {a * 4 + b: f(a, b) for a in range(5) for b in range(a)},
    "input": {a: f(a, 1) for a in range(3)},
    "block": {a: f(a, 2) for a in range(7) if a != 3},
}


SLOW = ("triangle", "block")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.regress] * (name in SLOW)) for name in PARTS])
def test_forms_of_loops(tmp_path, name, monkeypatch):
    """Whether the calls are a table or are unrolled, the constants are those of the function."""
    function = """function automatic int f(input int a, input int b);
        f = a; for (int i = 0; i < 702; i = i + 1) f = {f[30:0], f[31]} ^ b; endfunction"""
    # Of the input, the 702 steps bring bit 2 to bit 0.
    more = {a: f"^ s[2] ^ 1'd{f(0, a) & 1}" for a in range(3)} if name == "input" else {}
    wanted = "".join(f"want[{bit}] = s[{value % 32}] {more.get(bit, '')};" for bit, value in PAIRS[name].items())
    process = f"always_comb begin r = '0; {PARTS[name]} end always_comb begin want = '0; {wanted} end"
    path = tmp_path / "t.sv"
    ports = "#(parameter N = 6) (input [31:0] s, output [31:0] y)"
    path.write_text(f"module t {ports};\n {function} logic [31:0] r, want; {process} assign y = r ^ want; endmodule\n")
    undone = []
    monkeypatch.setattr(constant_calls, "restore", lambda undo, old=constant_calls.restore: (undone.append(undo), old(undo)))
    assert measure_source(source([path], "t"), effort=1)["gates"] == 0
    assert bool(undone) == (name != "nested")
