"""The measuring flow: the model library's arithmetic, determinism, the strap cut, errors."""

import json

import pytest
from jsonschema import Draft202012Validator

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.gen.config import build
from dsnswitch.lab.synth.library import CELLS, FO4, MODEL, liberty
from dsnswitch.lab.synth.measure import measure_block, measure_source, report
from dsnswitch.lab.synth.recipe import synthesize
from dsnswitch.lab.synth.source import Source
from dsnswitch.net.messages import UsageError


def run(path, top, straps=(), library=MODEL, **more):
    return synthesize(Source((path,), top, tuple(straps)), library, **more)


def measured(tmp_path, text):
    path = tmp_path / "t.v"
    path.write_text(text)
    return measure_source(Source((path,), "t"), effort=2)


def test_units(tmp_path):
    """A NAND2 is one GE, and an unloaded inverter takes one fifth of an FO4."""
    found = measured(tmp_path, "module t(input a, b, output y); assign y = ~(a & b); endmodule")
    assert found["cells_by_type"] == {"NAND2X1": 1}
    assert found["area"] == 1
    assert found["delay"] == pytest.approx(2 / FO4, abs=0.01)
    inverter = next(cell for cell in CELLS if cell.name == "INVX1")
    assert (inverter.parasitic + 4 * inverter.inputs["A"] / inverter.drive) / FO4 == 1


def test_xor_tree(tmp_path):
    found = measured(tmp_path, "module t(input [63:0] a, output y); assign y = ^a; endmodule")
    assert (found["gates"], found["levels"]) == (63, 6)
    assert found["cells"] == 63
    assert found["area"] == pytest.approx(63 * 14 / 6, abs=0.01)


def test_library_names_every_cell_once():
    text = liberty()
    names = [cell.name for cell in CELLS]
    assert len(names) == len(set(names))
    assert all(f"cell ({name})" in text for name in names)


@pytest.mark.parametrize("values", [{"p": 1}, {"p": 2, "node": "1,2,3", "register": True}], ids=["universal", "registered"])
def test_block_by_the_schema_and_the_same_twice(root, values):
    block = build(values)
    first, second = measure_block(block, effort=2), measure_block(block, effort=2)
    assert first == second
    text = report([first], MODEL, 500)
    schema = schema_of("synth")
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(text))
    assert (first["static_area"] > 0) == ("node" not in values)
    assert first["flip_flops"] > 0 or not values.get("register")
    assert first["latency_cycles"] == int(values.get("register", False))


def test_straps_are_not_timed(tmp_path):
    """A long chain fed by a strap alone is not timed; it is timed if the input is not named as a strap."""
    path = tmp_path / "t.v"
    path.write_text("module t(input [63:0] own, input d, output y); assign y = (^own) & d; endmodule")
    cut, plain = run(path, "t", ["own"], effort=2), run(path, "t", effort=2)
    assert cut["delay"] < 1 < plain["delay"] == pytest.approx(cut["delay_all"], abs=1e-3)
    assert cut["static_area"] > 100
    assert plain["static_area"] == 0


@pytest.mark.parametrize(("words", "bits", "flip_flops"), [(4, 0, 32 + 8), (128, 1024, 0)])
def test_large_memories_stay_ram(tmp_path, words, bits, flip_flops):
    """Small memories become flip-flops. The register of a RAM's read port is part of the RAM."""
    path = tmp_path / "t.v"
    high = (words - 1).bit_length() - 1
    path.write_text(
        f"module t(input clk, we, input [{high}:0] a, b, input [7:0] d, output reg [7:0] q, output z);\n"
        f"reg [7:0] mem[0:{words - 1}];\nalways @(posedge clk) begin q <= mem[b]; if (we) mem[a] <= d; end\n"
        "assign z = ^q;\nendmodule"
    )
    found = run(path, "t", effort=1, prove=True)
    assert (found["memory_bits"], found["flip_flops"], found["equivalent"]) == (bits, flip_flops, True)
    assert not bits or found["paths"]["register_to_output"] > 7 * 0.5


def test_yosys_error_is_one_line(tmp_path):
    path = tmp_path / "t.v"
    path.write_text("module t(input a, output y); assign y = a\nendmodule")
    with pytest.raises(UsageError, match="Yosys cannot synthesize t: ") as caught:
        run(path, "t")
    assert "\n" not in str(caught.value)


def test_own_router_beside_the_block(run, tmp_path):
    path = tmp_path / "mine.v"
    path.write_text("module mine(input [3:0] a, b, output y); assign y = a == b; endmodule")
    block = ("--block", "secded-encoder", "--codeword", 7, "-k", 3)
    _, out, _ = run("synth", *block, "--verilog", path, "--top", "mine")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == ["block", "secded_encoder_7_3", "mine"]
