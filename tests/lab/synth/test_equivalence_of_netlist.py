"""The equivalence proof of a mapped netlist succeeds for every block, and fails for a wrong netlist."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.lab.synth import measure
from dsnswitch.lab.synth.equivalence import equivalent
from dsnswitch.lab.synth.measure import measure_block, measure_source
from dsnswitch.lab.synth.source import source
from dsnswitch.net.messages import UsageError, unwatched

GOLD = """.model gold
.inputs a b clk
.outputs y
.names a b d
11 1
.subckt DFFPOSX1 CLK=clk D=d Q=y
.cname $ff
.end
"""


@pytest.mark.parametrize(
    "values",
    [
        {"p": 2},
        {"p": 2, "register": True},
        {"block": "baseline-torus", "sizes": "4x4"},
        {"block": "baseline-tcam", "entries": 5, "key": 4, "action": 3},
    ],
    ids=lambda values: "-".join(map(str, values.values())),
)
def test_netlists_are_proved(values):
    assert measure_block(build(values), prove=True, effort=2)["equivalent"] is True


def test_what_the_solver_does_not_decide_is_proved_on_demand_only(monkeypatch):
    monkeypatch.setattr(measure, "measure_block", lambda block, library, prove: prove)
    blocks = [build({"p": 2}), build({"block": "fabric-port", "topology": "torus:2"})]
    asked = {prove: measure.measure_all(blocks, unwatched, prove=prove) for prove in (None, True, False)}
    assert asked == {None: [True, False], True: [True, True], False: [False, False]}


UNDEFINED = """
module t(input [1:0] s, input [3:0] a, b, c, output reg [3:0] y, output z);
  wire open;
  always @* case (s) 0: y = a; 1: y = b; 2: y = c ^ a; default: y = 4'bx; endcase
  assign z = open ^ ^a ^ open;
endmodule
"""


def test_values_that_the_source_leaves_to_synthesis(tmp_path):
    """The proof starts after they have been chosen."""
    path = tmp_path / "t.v"
    path.write_text(UNDEFINED)
    assert measure_source(source([path], "t"), prove=True, effort=1)["equivalent"] is True


@pytest.mark.parametrize(("change", "verdict"), [(("11 1", "11 1"), True), (("11 1", "1- 1"), False)])
def test_wrong_netlist_is_noticed(tmp_path, change, verdict):
    gold, gate = tmp_path / "gold.blif", tmp_path / "gate.blif"
    gold.write_text(GOLD)
    gate.write_text(GOLD.replace(*change))
    assert equivalent(gold, gate) is verdict


def test_other_flip_flops_cannot_be_compared(tmp_path):
    gold, gate = tmp_path / "gold.blif", tmp_path / "gate.blif"
    gold.write_text(GOLD)
    gate.write_text(GOLD.replace("$ff", "$other"))
    with pytest.raises(UsageError, match=r"Netlists cannot be compared: \$other.CLK is not in both"):
        equivalent(gold, gate)


#: A second flip-flop, which the output depends on or not: ``y`` is the first, or its sum with the second.
DEAD = GOLD.replace("Q=y", "Q=q").replace(".end", ".subckt DFFPOSX1 CLK=clk D=d Q=r\n.cname $dead\n{}\n.end")


@pytest.mark.parametrize(("function", "verdict"), [(".names q y\n1 1", True), (".names q r y\n10 1\n01 1", False)])
def test_a_flip_flop_that_nothing_depends_on_may_be_missing(tmp_path, function, verdict):
    gold, gate = tmp_path / "gold.blif", tmp_path / "gate.blif"
    gold.write_text(DEAD.format(function))
    gate.write_text(GOLD)
    assert equivalent(gold, gate) is verdict
    with pytest.raises(UsageError, match=r"Netlists cannot be compared: \$dead.CLK is not in both"):
        equivalent(gate, gold)
