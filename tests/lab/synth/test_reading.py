"""Reading of a user's Verilog: statements that synthesis ignores, constant functions, file lists, library directories."""

import time

import pytest

from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.source import file_list, source


def measured(*arguments, **values):
    return measure_source(source(*arguments, **values), effort=1, prove=True)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


PORTS = "module t(input clk, input [3:0] a, output reg [3:0] y);"
MESSAGES = [
    'integer i; initial for (i = 0; i < 4; i = i + 1) $display("lane %d", i);',
    'always @(posedge clk) if (a == 15) $display("full at %0t", $time);',
    'always @(posedge clk) if (a == 15) $write("full");',
    'initial begin $dumpfile("t.vcd"); $dumpvars(0, t); $monitor("%d", y); end',
]
ASSERTIONS = [
    'always_ff @(posedge clk) assert (a != 15) else $error("full");',
    "always_comb assert (a != 15);",
    "always_comb begin assume (a != 15); cover (a == 1); end",
    "assert property (@(posedge clk) a == 1 |-> ##[1:3] y == 1); cover property (@(posedge clk) a == 1);",
]


@pytest.mark.parametrize(("name", "statements"), [("t.v", MESSAGES), ("t.sv", ASSERTIONS)], ids=["v", "sv"])
def test_statements_that_synthesis_ignores(here, name, statements):
    """They add no gate, neither do their conditions."""
    (here / name).write_text(f"{PORTS} {' '.join(statements)} always @(posedge clk) y <= #1 ~a; endmodule\n")
    found = measured([name], "t")
    assert (found["gates"], found["flip_flops"], found["equivalent"]) == (4, 4, True)


CONSTANT_FUNCTION = """
module t #(parameter W = 8) (input [31:0] s, output [W-1:0] y);
  function [31:0] taps(input integer k);
    reg [31:0] m [0:31];
    integer i, j;
    begin
      for (i = 0; i < 32; i = i + 1) begin m[i] = 0; m[i][i] = 1; end
      for (i = 0; i <= k; i = i + 1) begin
        taps = m[31] ^ m[21];
        for (j = 31; j > 0; j = j - 1) m[j] = m[j - 1];
        m[0] = taps;
      end
    end
  endfunction
  genvar n;
  generate for (n = 0; n < W; n = n + 1) begin : g assign y[n] = ^(s & taps(n)); end endgenerate
endmodule
"""


@pytest.mark.regress
def test_constant_function_with_loops(here):
    """slang evaluates it in seconds also in a file of plain Verilog; Yosys' own reader takes minutes."""
    (here / "t.v").write_text(CONSTANT_FUNCTION)
    start = time.process_time()
    assert measured(["t.v"], "t", parameters=["W=64"])["gates"] > 50
    assert time.process_time() - start < 20


def test_a_constant_of_many_steps(here):
    """It is computed, not unrolled."""
    loop = "for (i = 0; i < n; i = i + 1) f = f + 3;"
    function = f"function [3:0] f(input integer n); integer i; begin f = 0; {loop} end endfunction"
    (here / "t.v").write_text(f"{PORTS} {function} wire [3:0] m = f(1200001); always @* y = a ^ m; endmodule\n")
    # The product is 3 modulo 16.
    assert measured(["t.v"], "t")["cells_by_type"] == {"INVX1": 2}


def test_limit_of_loops(here, refuse, run):
    loop = "integer i; always @* begin y = 0; for (i = 0; i < 5000; i = i + 1) y[i % 4] = a[i % 4]; end"
    (here / "t.v").write_text(f"{PORTS} {loop} endmodule\n")
    words = ("synth", "--verilog", "t.v", "--top", "t")
    refused = refuse(*words, "--unroll-limit", 4500)
    assert "t.v:1: unroll limit of 4500 exhausted; option --unroll-limit raises it" in refused
    assert run(*words)[0] == 0


@pytest.mark.parametrize(("value", "gates"), [("25.78125", 0), ("-1.5", 1)])
def test_real_parameter(here, value, gates):
    """A rate is given as 25.78125."""
    text = "module t #(parameter real R = 1.0)(input a, output y); assign y = R > 25.0 || R == 2.5e1 ? a : ~a; endmodule"
    (here / "t.v").write_text(text)
    assert measured(["t.v"], "t", parameters=[f"R={value}"])["gates"] == gates


def test_keywords_of_systemverilog_as_names(here):
    (here / "t.v").write_text("module t(input [3:0] bit, output logic); assign logic = ^bit; endmodule")
    assert measured(["t.v"], "t")["gates"] == 3


@pytest.fixture
def project(here, monkeypatch):
    """A project with its list in a folder of its own, include and library directories, and a nested list."""
    monkeypatch.setenv("RTL", "project/rtl")
    for folder in ("rtl", "include", "cells"):
        (here / "project" / folder).mkdir(parents=True)
    (here / "project" / "rtl" / "top.v").write_text(
        '`include "width.vh"\nmodule top(input [`WIDTH-1:0] a, output y); part part(a, y); endmodule\n'
    )
    (here / "project" / "include" / "width.vh").write_text("`define WIDTH 4\n")
    (here / "project" / "cells" / "part.v").write_text("module part(input [3:0] a, output y); assign y = ^a `INVERT; endmodule\n")
    return here / "project"


LIST = """// comment
# another one
-sv +incdir+project/include+ /* a comment of
two lines */ ${RTL}/top.v // the top
-y project/cells +libext+.v+.vh
-f more.f
"""


def test_file_list(project, here, run):
    (project / "all.f").write_text(LIST)
    (here / "more.f").write_text("+define+INVERT=+FAST -D A=1 -DB -I project/rtl\n")
    found = file_list("project/all.f")
    assert found.files == ["project/rtl/top.v"]
    assert found.includes == ["project/include", "project/rtl"]
    assert (found.libraries, found.extensions) == (["project/cells"], [".v", ".vh"])
    assert found.defines == ["INVERT=", "FAST", "A=1", "B"]
    status, out, err = run("synth", "-f", "project/all.f", "--top", "top")
    assert (status, err) == (0, "")
    assert out.splitlines()[1].split()[:2] == ["top", "3"]


def test_harmless_options_of_a_list(here):
    """A note names what does not change the circuit."""
    (here / "t.v").write_text("module t(input a, b, output y); assign y = a & b; endmodule\n")
    options = ("-timescale=1ns/1ps", "-timescale 1ns/1ps", "+lint=all", "-Wno-UNUSED", "+nospecify", "-suppress 2583", "-sv")
    (here / "all.f").write_text(f"{' '.join(options)} t.v +systemverilogext+.sv")
    assert measured([], "t", lists=[("all.f", False)])["notes"] == [
        f"File list all.f: option {option} is ignored" for option in (*options[:-1], "+systemverilogext+.sv")
    ]


@pytest.mark.regress
def test_list_with_relative_paths(project, run):
    (project / "all.f").write_text('rtl/top.v -I "include" -y cells -F rtl/more.f')
    (project / "rtl" / "more.f").write_text("+define+INVERT= top.v ../rtl/top.v")
    assert measured([], "top", lists=[("project/all.f", True)])["gates"] == 3


def test_library_directory(project):
    """Both readers find a missing module; a name that is a keyword of SystemVerilog selects Yosys' own."""
    values = {"includes": ["project/include"], "defines": ["INVERT="], "libraries": ["project/cells"]}
    assert measured(["project/rtl/top.v"], "top", **values)["gates"] == 3
    path = project / "rtl" / "top.v"
    path.write_text(path.read_text().replace("part part", "wire bit; part part"))
    assert measured(["project/rtl/top.v"], "top", **values)["gates"] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-f all.f", "File list all.f contains itself"),
        ("-Q x", "File list all.f: option -Q is unknown"),
        ("+x+y", "File list all.f: option +x+ is unknown"),
        ("t.v -y", "File list all.f: option -y needs a value"),
        ("$NONE/t.v", "File list all.f: environment variable NONE is not set"),
        ("-y none t.v", "Library directory none does not exist"),
        ("none.v", "Verilog file none.v cannot be read"),
        ("// t.v", "File lists name no Verilog file"),
        ("-f none.f", "File list none.f cannot be read"),
        ("t.v +define+A=1 -DA=2", "Macro A is given twice"),
    ],
)
def test_bad_file_list(here, refuse, text, message):
    (here / "t.v").write_text(f"{PORTS} endmodule\n")
    (here / "all.f").write_text(text)
    assert message in refuse("synth", "-f", "all.f", "--top", "t")
