"""Vectors whose bits depend on each other are split, and no others."""

import pytest

from dsnswitch.gen.emit.verilog.layout import layout
from dsnswitch.gen.emit.verilog.loops import loops, split_loops
from dsnswitch.gen.emit.verilog.parse import parse

HEAD = """\
module t(a, y);
  input [3:0] a;
  wire [3:0] a;
  output [3:0] y;
  wire [3:0] y;
  wire [3:0] v;
  wire [1:0] w;
"""

#: A module whose output depends on its input, and one whose output comes from a register.
BELOW = """\
module {name}(clk, i, o);
  input clk;
  wire clk;
  input [3:0] i;
  wire [3:0] i;
  output [3:0] o;
  {kind} [3:0] o;
  {item}
endmodule
"""


def made(*items, below=""):
    """Modules of a text in which module ``t`` has these items."""
    return parse(HEAD + "".join(f"  {item};\n" for item in items) + f"endmodule\n{below}")


def split(modules):
    """Final text of module ``t``: declarations of inner wires, and items."""
    split_loops(modules)
    assert not loops(modules)
    return [line.strip() for line in layout(modules["t"], "About.").partition(");\n")[2].splitlines()[:-1]]


def test_bits_that_depend_on_each_other():
    modules = made("assign v[0] = a[0] & a[1]", "assign v[3:1] = { v[0], a[2], v[0] }", "assign y = ~ v")
    assert loops(modules) == {"t": {"v"}}
    assert split(modules) == [
        "wire v_0;",
        "wire [2:0] v_3_1;",
        "wire [1:0] w;",
        "assign v_0 = a[0] & a[1];",
        "assign v_3_1 = { v_0, a[2], v_0 };",
        "assign y = ~{ v_3_1, v_0 };",
    ]


def test_two_vectors_and_lists():
    modules = made(
        "assign { v[3], w[0] } = a[1:0]",
        "assign v[2:0] = { 2'h0, w[0] }",
        "assign w[1] = v[0] ^ a[0]",
        "assign y = { v[3:2], w }",
    )
    assert loops(modules) == {"t": {"v", "w"}}
    text = split(modules)
    assert "assign { v_3, w_0 } = a[1:0];" in text
    # Parts are those of all readers and all assignments.
    assert "assign { v_2, v_1, v_0 } = { 2'h0, w_0 };" in text
    assert "assign y = { v_3, v_2, w_1, w_0 };" in text


def test_an_output_keeps_its_name():
    text = split(made("assign y[0] = a[0]", "assign y[3:1] = { 2'h0, y[0] } ^ a[3:1]"))
    assert "assign y_3_1 = { 2'h0, y_0 } ^ a[3:1];" in text
    assert text[-1] == "assign y = { y_3_1, y_0 };"


def test_a_name_that_exists():
    taken = parse((HEAD + "  wire v_0;\n") + "  assign v_0 = a[3];\n  assign v[0] = v_0;\n  assign v[1] = v[0];\nendmodule\n")
    assert "assign v_1 = v_0_part;" in split(taken)


@pytest.mark.parametrize(
    ("kind", "item", "looped"),
    [("wire", "assign o = ~ i;", True), ("reg", "always @(posedge clk)\n    o <= i;", False)],
    ids=["combinational", "register"],
)
def test_through_an_instance(kind, item, looped):
    below = BELOW.format(name="u", kind=kind, item=item)
    instance = "u part (\n    .clk(a[0]),\n    .i({ 2'h0, v[1:0] }),\n    .o({ w, v[3:2] })\n  )"
    modules = made("assign v[1:0] = a[1:0]", instance, "assign y = v", below=below)
    assert loops(modules) == ({"t": {"v"}} if looped else {})
    text = split(modules)
    assert (".o({ w, v_3_2 })" in text) == looped


def test_a_real_loop_remains():
    modules = made("assign v = ~ v", "assign y = v")
    split_loops(modules)
    assert loops(modules) == {"t": {"v"}}
