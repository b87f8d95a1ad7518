"""``synth --verilog``: options that public RTL needs, and names that must not become commands."""

import ast
import json
import shlex
import subprocess
import sys
import tempfile

import pytest

from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.source import source
from dsnswitch.net.messages import UsageError

AND = "module t(input a, b, output y); assign y = a & b; endmodule\n"


def measured(*arguments, **values):
    return measure_source(source(*arguments, **values), effort=1, prove=True)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory whose name contains a blank, brackets and a quote."""
    path = tmp_path / "a [b] 'c"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


@pytest.mark.parametrize("name", ["a;exec\t--\ttouch\tX", "a;!touch${IFS}X", "a\n!touch X", "a; exec -- touch X", "", "-sv"])
def test_top_is_no_command(refuse, here, name):
    (here / "t.v").write_text(AND)
    refuse("synth", "--verilog", "t.v", "--top", name)
    assert [path.name for path in here.iterdir()] == ["t.v"]


NAMES = ["a[1].b"]
MORE = [*((name, "v") for name in ("a;b", '"', "$(touch)", "\\")), ("$(touch)", "sv")]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [*((name, "v") for name in NAMES), ("a;b", "sv"), *(pytest.param(*more, marks=pytest.mark.regress) for more in MORE)],
)
def test_any_name_is_a_name(here, name, suffix):
    """Escaped names of the module (not in SystemVerilog, where slang refuses it) and of its ports, one of which is a strap."""
    top = name if suffix == "v" else "t"
    text = f"module \\{top} (input \\x;{name} , input [1:0] \\y[{name} , output z);"
    (here / f"t.{suffix}").write_text(f"{text} assign z = \\x;{name} & ^\\y[{name} ; endmodule\n")
    found = measured([f"t.{suffix}"], top, straps=f"y[{name}")
    assert (found["name"], found["gates"], found["equivalent"]) == (top, 2, True)
    assert found["delay"] < found["delay_all"]


@pytest.mark.parametrize(
    "name",
    [
        "a b;!touch X;.v",
        "*.v",
        *(pytest.param(name, marks=pytest.mark.regress) for name in ("[t].v", '"t".v', "-sv.v", "a\\t.v")),
    ],
)
def test_any_name_is_a_file(here, name):
    """Another file matches the name as a pattern, and must not be read."""
    (here / name).write_text(AND)
    (here / "t.v").write_text(AND.replace("&", "^"))
    before = sorted(here.iterdir())
    assert set(measured([name], "t")["cells_by_type"]) <= {"AND2X1", "AND2X2"}
    assert sorted(here.iterdir()) == before


@pytest.mark.regress
def test_blanks_in_the_folder_of_temporary_files(run, here, tmp_path, monkeypatch):
    """Emission and synthesis work, including abc's own files."""
    folder = tmp_path / "t m; p"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert run("verilog", "--block", "route", "-p", 1, "--folder", "out")[0] == 0
    (here / "t.v").write_text(AND)
    (here / "t.sv").write_text(AND)
    for name in ("t.v", "t.sv"):
        assert measured([name], "t")["equivalent"] is True
    assert not list(folder.iterdir())


def test_one_owner_of_yosys_scripts(root):
    """Only lab/synth/yosys.py imports pyosys, no passes are run from text, and the first word of a pass is always a constant."""
    for path in sorted((root / "lab").rglob("*.py")):
        tree = ast.parse(path.read_text())
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert ("pyosys" in modules) == (path == root / "lab" / "synth" / "yosys.py"), path
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                assert node.attr != "run_pass", path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "run" and node.args:
                # The function of gen/emit/yosys.py has one tuple of all passes as argument.
                first = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args[:1]
                assert all(isinstance(word, ast.Constant | ast.Name | ast.Subscript | ast.Starred) for word in first), (
                    ast.unparse(node)
                )


LOOP = "module t(input a, b, output y); wire x, z; assign x = a & z; assign z = x | b; assign y = z; endmodule"


def test_combinational_loop(here):
    """The search for the longest path would never end, so a loop is refused."""
    (here / "t.v").write_text(LOOP)
    command = [sys.executable, "-m", "dsnswitch.gen", "synth", "--verilog", "t.v", "--top", "t"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "dsnswitch: error: t has a combinational loop\n")


def test_module_without_cells(run, refuse, here):
    (here / "u.v").write_text("module t(); endmodule\n")
    assert "Yosys cannot synthesize t: The module is empty" in refuse("synth", "--verilog", "u.v", "--top", "t")
    (here / "t.v").write_text("module t(input a, output y); assign y = a; endmodule\n")
    status, out, err = run("synth", "--verilog", "t.v", "--top", "t")
    assert (status, err) == (0, "")
    assert out.splitlines()[1].split()[0] == "t"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module t(input a, en, output reg y); always @* if (en) y = a; endmodule", "D latches are not supported"),
        ("module t(input a, en, output y); assign y = en ? a : 1'bz; endmodule", "needs $_TBUF_, which the cell lib"),
        ("(* blackbox *) module u(input a, output y); endmodule module t(input a, output y); u u(a, y); endmodule",
         "t needs u, which the cell library does not have"),
        ("module t(input a, output y); u u(a, y); endmodule", "t.v:1: unknown module 'u'"),
    ],
)  # fmt: skip
def test_what_no_cell_does(here, text, message):
    (here / "t.v").write_text(text)
    with pytest.raises(UsageError) as caught:
        measured(["t.v"], "t")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


ROUTER = """
`include "width.svh"
module router #(parameter int PORTS = 0) (input logic [`WIDTH-1:0] own_x, own_y, dst, output logic [PORTS-1:0] found);
  logic [`WIDTH-1:0] x;
  ring ring(own_x, dst, x);
  assign found = PORTS'(x ^ own_y);
endmodule
"""
RING = """
module ring(input [3:0] own, dst, output [3:0] way);
`ifdef FAST
  assign way = own ^ dst;
`else
  assign way = own * dst;
`endif
endmodule
"""


def test_example_of_the_documentation(run, here, root):
    """The command of docs/synthesis.md, applied to a router of that shape."""
    text = (root / "docs" / "synthesis.md").read_text()
    command = next(line for line in text.splitlines() if line.startswith("    dsnswitch synth --verilog router.sv"))
    (here / "router.sv").write_text(ROUTER)
    (here / "ring.v").write_text(RING)
    (here / "include").mkdir()
    (here / "include" / "width.svh").write_text("`define WIDTH 4\n")
    status, out, err = run(*shlex.split(command)[1:], "--out", "-")
    assert (status, err) == (0, "")
    figures = json.loads(out)["blocks"][0]
    assert figures["cells_by_type"].keys() <= {"XOR2X1", "XNOR2X1", "INVX1"}
    assert (figures["cut"] is not None, figures["parameters"]) == (True, {"PORTS": "8"})
    assert figures["delay"] <= figures["delay_all"]


def test_files_includes_macros_and_parameters(here):
    folder = here / "in clude"
    folder.mkdir()
    (folder / "width.vh").write_text("`define WIDTH 8\n")
    (here / "top.v").write_text('`include "width.vh"\nmodule top #(parameter COUNT = 0, KIND = "and")'
                                "(input [`WIDTH * COUNT - 1:0] a, output y);\n"
                                "part #(KIND, `WIDTH * COUNT) part(a, y); endmodule\n")  # fmt: skip
    (here / "part.v").write_text("module part #(parameter KIND = 0, N = 1)(input [N-1:0] a, output y);\n"
                                 'generate if (KIND == "xor") assign y = ^a `INVERT; else assign y = &a; endgenerate\n'
                                 "endmodule\n")  # fmt: skip
    given = {"includes": ["in clude"], "parameters": ["COUNT=2", 'KIND="xor"']}
    found = measured(["top.v", "part.v"], "top", **given, defines=["INVERT="])
    assert (found["gates"], found["parameters"]) == (15, {"COUNT": "2", "KIND": '"xor"'})
    for name in ("top", "part"):
        (here / f"{name}.sv").write_text((here / f"{name}.v").read_text())
    assert measured(["top.sv", "part.sv"], "top", **given, defines=["INVERT="])["gates"] == 15


SYSTEMVERILOG = """
package p; typedef enum logic [1:0] {RED, GREEN, BLUE} colour; endpackage
module t import p::*; (input logic clk, rst_n, step, output colour now);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) now <= RED;
    else if (step) unique case (now) RED: now <= GREEN; GREEN: now <= BLUE; default: now <= RED; endcase
endmodule
"""


def test_systemverilog_and_asynchronous_reset(run, here):
    (here / "t.sv").write_text(SYSTEMVERILOG)
    found = measured(["t.sv"], "t")
    assert (found["flip_flops"], found["resets"], found["equivalent"]) == (2, 1, True)
    _, out, _ = run("synth", "--verilog", "t.sv", "--top", "t", "--no-prove")
    assert "sync resets" in out.splitlines()[0]


@pytest.mark.regress
def test_asynchronous_reset_costs_what_a_synchronous_one_does(here):
    body = "if ({}) q <= 5; else if (e) q <= d; endmodule"
    head = "module t(input clk, r, e, input [3:0] d, output reg [3:0] q); always @(posedge clk"
    (here / "a.v").write_text(f"{head} or negedge r) {body.format('!r')}")
    (here / "s.v").write_text(f"{head}) {body.format('!r')}")
    one, other = measured(["a.v"], "t"), measured(["s.v"], "t")
    assert (one["resets"], other["resets"]) == (1, 0)
    assert {key: one[key] for key in ("area", "period", "flip_flops")} == pytest.approx(
        {key: other[key] for key in ("area", "period", "flip_flops")}
    )


@pytest.mark.regress
def test_memory_image_beside_the_caller(here):
    """``$readmemh`` reads from the working directory, as in other tools."""
    (here / "rom.hex").write_text("1\n2\n4\n8\n")
    (here / "t.v").write_text("module t(input [1:0] a, output [3:0] y); reg [3:0] rom[0:3];\n"
                              'initial $readmemh("rom.hex", rom); assign y = rom[a]; endmodule')  # fmt: skip
    assert 4 <= measured(["t.v"], "t")["gates"] <= 8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--static", "z"], "Strap z is not an input of the module"),
        (["--static", "y"], "Strap y is not an input of the module"),
        (["--static", "a,,b"], "Option --static takes names separated by commas, not 'a,,b'"),
        (["-P", "N"], "Parameter must have the form NAME=VALUE, not 'N'"),
        (["-P", "N=1", "-P", "N=2"], "Parameter N is given twice"),
        (["-P", "N=1;x"], "Parameter N must be a Verilog number or a string in quotes, not '1;x'"),
        (["-P", "N=1"], "Yosys cannot synthesize t: parameter 'N' does not exist in 't'"),
        (["-D", "a b=1"], "Macro must have the form NAME=VALUE, not 'a b=1'"),
        (["-I", "nowhere"], "Include directory nowhere does not exist"),
        (["--verilog", "u.v"], "Verilog file u.v cannot be read"),
        (["--clock", "nan"], "'nan' is not a finite number"),
        (["--clock", "inf"], "inf is not in the range 0.001<=x<=100"),
    ],
)
def test_bad_options(refuse, here, words, message):
    (here / "t.v").write_text(AND)
    assert message in refuse("synth", "--verilog", "t.v", "--top", "t", *words)


@pytest.mark.parametrize("words", [["-I", "."], ["-P", "N=1"], ["-D", "N"], ["--static", "a"]])
def test_options_of_verilog_alone(refuse, words):
    assert "need --verilog" in refuse("synth", "-p", 2, *words)
