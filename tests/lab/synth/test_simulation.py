"""Statements of simulation that slang refuses, checks of parameters, interfaces as ports of the top, and messages of readers."""

import json

import pytest

from dsnswitch.lab.synth import copies, simulation
from dsnswitch.lab.synth.measure import measure_source
from dsnswitch.lab.synth.refusal import CONSTRUCT, reason
from dsnswitch.lab.synth.source import source
from dsnswitch.net.messages import UsageError


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def measured(*arguments, **values):
    return measure_source(source(*arguments, **values), effort=1, prove=True)


INCLUDED = r"""
`define CHECK(x) if (x) $error("checked %0d)", \
   a)
`define WIDTH(w) $info("width (%0d", w)
task automatic noisy(input [3:0] v); if (v == 3) $fwrite(1, "three"); endtask
"""
NOISY = r"""
`include "checks.svh"
`define OUTER(w) `WIDTH(w)
module t #(parameter W = 3)(input clk, input [3:0] a, output reg [3:0] y);
  `OUTER(W);
  if (W > 2) begin : g $warning("wide"); $info("two /* (%0d)", 2); end
  integer file; initial begin file = $fopen("log.txt", "w"); if ($test$plusargs("x")) $display("x"); end
  always @(posedge clk) begin
    y <= ~a;
    `CHECK(a == 3);
    if (a == 4) $error("four"); else if (a == 5) $fatal(1, "not )five"); else $strobe("%d", a);
    if (a == 9) begin $fdisplay(file, "nine"); $fflush(file); $finish; end
    noisy(a);
  end
  initial if (W > 8) $error("too wide");
endmodule
"""


def test_statements_that_slang_refuses(here):
    """They are removed in all files, of every context, also where macros contain them; the user's files stay as they are."""
    (here / "inc").mkdir()
    files = {"t.sv": NOISY, "inc/checks.svh": INCLUDED}
    for name, text in files.items():
        (here / name).write_text(text)
    found = measured(["t.sv"], "t", includes=["inc"])
    assert (found["gates"], found["flip_flops"], found["equivalent"]) == (4, 4, True)
    assert {name: (here / name).read_text() for name in files} == files
    assert sorted(path.name for path in here.iterdir()) == ["inc", "t.sv"]


ELABORATION = "module t #(parameter W = 3)(input [W-1:0] a, output y); {} assign y = ^a; endmodule"
CHECKS = {
    'if (W % 2) $fatal(1, "W is odd: %0d", W);': "$fatal encountered: W is odd: 3",
    'if (W % 2) $error("W is odd: %0d", W);': "$error encountered: W is odd: 3",
    'initial if (W % 2) begin $error("W is odd: %0d", W); $finish; end':
        'an initial block calls $error("W is odd: %0d", W)',
}  # fmt: skip


@pytest.mark.parametrize(("check", "message"), CHECKS.items())
@pytest.mark.parametrize("name", ["t.v", "t.sv"])
def test_a_check_that_fails(here, refuse, name, check, message):
    """Its text is the message, whatever the reader; with another parameter it is no error."""
    (here / name).write_text(ELABORATION.format(check))
    text = refuse("synth", "--verilog", name, "--top", "t")
    assert text.rstrip() == f"dsnswitch: error: Yosys cannot synthesize t: {name}:1: {message}"


def test_a_check_that_passes(here):
    (here / "t.sv").write_text(ELABORATION.format(" ".join(CHECKS)))
    assert measured(["t.sv"], "t", parameters=["W=4"])["gates"] == 3


INTERFACE = """
interface bus #(parameter W = 8); logic [W-1:0] data; logic valid, ready;
  modport sink (input data, valid, output ready); modport from (output data, valid, input ready); endinterface
module t #(parameter INVERT = 0) (input logic clk, {ports});
  always_ff @(posedge clk) begin o.data <= INVERT ? ~i.data : i.data; o.valid <= i.valid; end
  assign i.ready = o.ready;
endmodule
"""


def test_interfaces_as_ports_of_the_top(here, refuse, run):
    (here / "t.sv").write_text(INTERFACE.format(ports="bus.sink i, bus.from o"))
    found = measured(["t.sv"], "t", parameters=["INVERT=1"], straps="i.data")
    assert (found["flip_flops"], found["gates"], found["equivalent"]) == (9, 8, True)
    words = ("synth", "--verilog", "t.sv", "--top", "t")
    assert "parameter 'N' does not exist in 't'" in refuse(*words, "-P", "N=1")
    for ports, message in (("bus i, bus o", "t.sv:4: an interface port of the top must have a modport"),
                           ("interface i, o", CONSTRUCT)):  # fmt: skip
        (here / "t.sv").write_text(INTERFACE.format(ports=ports))
        assert refuse(*words).rstrip().endswith(f"Yosys cannot synthesize t: {message}")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("t.sv:1: ERROR: unsynthesizable timing control (ignore with '--ignore-timing')", "unsynthesizable timing control"),
        ("t.sv:1: ERROR: @(edge) will not be synthesized (override with '--allow-dual-edge-ff')",
         "@(edge) will not be synthesized"),
        ("t.sv:1: ERROR: user-defined primitives unsupported, set '--udp-handling=blackboxes' option to treat it",
         "user-defined primitives unsupported"),
        ("t.sv:1: ERROR: initial; use option '--ignore-initial' to ignore initial procedures", "initial"),
        ("t.sv:1: ERROR: cannot be inlined; see yosys-slang issue #143", "cannot be inlined"),
        ("t.sv:1: ERROR: unknown system name '$x' [-Wunknown-sys-name]", "unknown system name '$x'"),
        ("t.sv:1: ERROR: unroll limit of 4 exhausted [--unroll-limit=]",
         "unroll limit of 4 exhausted; option --unroll-limit raises it"),
    ],
)  # fmt: skip
def test_messages_name_options_that_exist(line, text):
    assert reason("", f"{line}\n", ["t.sv"]) == f"t.sv:1:  {text}".replace("  ", " ")


def test_messages_name_the_users_files():
    assert reason("", "../tmp/x/source_0.sv:3: ERROR: wrong\n", ["rtl/t.v"]) == "t.v:3: wrong"
    assert reason("", "../tmp/x/include_2/a/b.svh:3: ERROR: wrong\n", ["rtl/t.v"]) == "a/b.svh:3: wrong"
    place = "ERROR: Feature unimplemented at /lib/x.cc:9, see above\n"
    assert reason("Source line ../tmp/x/source_0.sv:3:5: thing;\n", place, ["t.v"]) == f"t.v:3: {CONSTRUCT}: thing;"
    assert reason("", "", ["t.v"], -11) == CONSTRUCT


def report(folder, *entries):
    (folder / copies.DIAGNOSTICS).write_text(json.dumps(entries))


def test_only_what_is_reported_is_removed(tmp_path):
    """By byte columns, with macros, nested parentheses, strings and comments; the line numbers stay."""
    user, job = tmp_path / "user", tmp_path / "job"
    user.mkdir(), job.mkdir()
    text = 'µ $error("a"); $error ("(\\")",\n (1), /* ) */ 2); $stop; f = $fopen("x", "w");\n`define M $error(\\\n "m")\n'
    (user / "t.sv").write_text(text)
    (job / "source_0.sv").symlink_to(user / "t.sv")
    places = [("$error", "1:17"), ("$stop", "2:19"), ("$fopen", "2:30")]
    entries = [{"message": f"unsupported system task '{name}'", "location": f"{user / 't.sv'}:{at}"} for name, at in places]
    macro = {"macroStack": [{"name": "M", "location": f"{user / 't.sv'}:3:11"}], "location": f"{user / 't.sv'}:1:1"}
    report(job, *entries, entries[0] | macro, {"message": "a warning", "location": f"{user / 't.sv'}:1:4"})
    assert simulation.blank(job)
    lines = (job / "source_0.sv").read_text().split("\n")
    assert [line.split() for line in lines] == [
        ["µ", '$error("a");'], [";", ";", "f", "=", "0", ";"], ["`define", "M", "\\"], [], []
    ]  # fmt: skip
    assert (user / "t.sv").read_text() == text
    assert not simulation.blank(job)


def test_a_reached_check_is_not_removed(tmp_path):
    (tmp_path / "t.sv").write_text('initial $fatal(1,\n "no");')
    entry = {"message": "unsupported system task '$fatal'", "location": f"{tmp_path / 't.sv'}:1:9"}
    report(tmp_path, entry | {"notes": [{"message": "use option '--ignore-initial' to ignore initial procedures"}]})
    assert simulation.failed_check(tmp_path) == 't.sv:1: an initial block calls $fatal(1, "no")'
    assert not simulation.blank(tmp_path)


def test_delays_are_dropped_but_no_events(here):
    """With its event control, a process has two steps; without it, another function."""
    text = "`define D #1\nmodule t(input clk, a, output reg y); initial begin @(posedge clk); #5 $display(y); end /* initial */"
    text += "  always @(posedge clk) begin {} y <= `D ~a; end wire x; assign #2 x = a; endmodule"
    (here / "t.sv").write_text(text.format("#(1 + 1);"))
    found = measured(["t.sv"], "t")
    assert (found["flip_flops"], found["gates"]) == (1, 1)
    (here / "t.v").write_text(text.format("y <= a; @(posedge clk);"))
    with pytest.raises(UsageError, match=r"t\.v:2: an event control within a process is not synthesized"):
        measured(["t.v"], "t")


def test_unknown_functions_are_refused(here):
    (here / "t.sv").write_text("module t(input clk, output int y); always @(posedge clk) y <= $random; endmodule")
    with pytest.raises(UsageError, match=r"t.sv:1: unsupported system task '\$random'"):
        measured(["t.sv"], "t")
