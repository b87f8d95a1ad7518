"""Which wires are inserted into expressions and which are not; and a check that the comparison of netlists can fail."""

import pytest

from dsnswitch.gen.emit.verilog.inline import inline
from dsnswitch.gen.emit.verilog.layout import layout
from dsnswitch.gen.emit.verilog.parse import parse

HEAD = """\
module t(clk, a, b, c, y);
  input clk;
  wire clk;
  input [3:0] a;
  wire [3:0] a;
  input [3:0] b;
  wire [3:0] b;
  input c;
  wire c;
  output [3:0] y;
  wire [3:0] y;
  wire [3:0] _0_;
  wire [3:0] _1_;
  wire _2_;
"""


def written(*items):
    """Final text of a module with these items, without its declarations."""
    [module] = parse(HEAD + "".join(f"  {item};\n" for item in items) + "endmodule\n").values()
    inline(module)
    text = layout(module, "A module.")
    return [line.strip() for line in text.partition(");\n")[2].splitlines()[:-1] if "assign" in line]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["assign _0_ = a & b", "assign y = _0_ | a"], ["assign y = (a & b) | a;"]),
        (["assign y = _0_ | a", "assign _0_ = ~ b"], ["assign y = (~b) | a;"]),
        (["assign _2_ = a < b", "assign y = _2_ ? a : b"], ["assign y = (a < b) ? a : b;"]),
        (["assign _0_ = a & b", "assign _1_ = _0_ & a", "assign y = _1_ & b"], ["assign y = a & b & a & b;"]),
        (["assign _0_ = a & b", "assign y = a & _0_"], ["assign y = a & (a & b);"]),
        (["assign y = { c, c, c, c }"], ["assign y = {4{c}};"]),
        (["assign y = { c, b[0], b[0], c }"], ["assign y = { c, b[0], b[0], c };"]),
        (["assign _0_ = a + b", "assign _2_ = _0_ == b", "assign y = { _2_, a[2:0] }"],
         ["assign y = { ((a + b) == b), a[2:0] };"]),
    ],
    ids=["binary", "before its definition", "one bit", "and", "and to the right", "equal bits", "two equal bits", "chain"],
)  # fmt: skip
def test_inserted(items, expected):
    assert written(*items) == expected


@pytest.mark.parametrize(
    "items",
    [
        pytest.param(["assign _0_ = a & b", "assign y = _0_ | _0_"], id="read twice"),
        pytest.param(["assign _0_ = a & b", "assign y = { _0_[0], a[2:0] }"], id="read in bits"),
        pytest.param(["assign _0_[1:0] = a[1:0]", "assign _0_[3:2] = b[1:0]", "assign y = _0_ | a"], id="in parts"),
        pytest.param(["assign _0_ = ~ a", "assign y = _0_ >> c"], id="shifted"),
        pytest.param(["assign _0_ = a << c", "assign y = _0_ | a"], id="a shift"),
        pytest.param(["assign _2_ = a + b", "assign y = { 3'h0, _2_ }"], id="a carry that the wire cuts off"),
        pytest.param(["assign _0_ = $signed(a) + $signed(b)", "assign y = _0_ | a"], id="signed"),
        pytest.param(["assign _2_ = ~ c", "assign y = _2_ & a"], id="operands of two widths"),
        pytest.param(["assign _0_ = a & c", "assign y = _0_ | a"], id="an operand that is extended"),
    ],
)
def test_not_inserted(items):
    assert len(written(*items)) == len(items)


def test_what_is_long_stays_apart():
    """Neither expression is inserted into the other if the result has more than 140 characters."""
    wide = "{ " + ", ".join(["a[0]", "a[1]"] * 9) + " }"
    items = [f"assign _2_ = | {wide}", f"assign y = _2_ ? {wide.replace('a', 'b', 4)} : {wide}"]
    assert len(written(*items)) == 2


def test_a_line_of_another_kind_is_an_error():
    with pytest.raises(ValueError, match="has a line that Yosys is not known to write"):
        parse(HEAD + "assign y = a;\nendmodule\n")
