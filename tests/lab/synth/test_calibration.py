"""The model library compared with real cells: OSU 0.18 um, if the Debian registry can be reached."""

import statistics

import pytest

from dsnswitch.lab.synth import timing as opensta
from dsnswitch.lab.synth.library import MODEL, PS_PER_FO4, UM2_PER_GE, library
from dsnswitch.lab.synth.recipe import synthesize
from dsnswitch.lab.synth.source import Source
from dsnswitch.net.messages import UsageError


def run(path, top, straps=(), library=MODEL, **more):
    return synthesize(Source((path,), top, tuple(straps)), library, **more)


pytestmark = pytest.mark.regress

#: Different kinds of logic: ports and body of a module.
CIRCUITS = {
    "xor64": "input [63:0] a, output y); assign y = ^a;",
    "add32": "input [31:0] a, b, output [31:0] y); assign y = a + b;",
    "lowest32": "input [31:0] a, output [31:0] y); assign y = a & -a;",
    "mux32": "input [31:0] a, input [4:0] s, output y); assign y = a[s];",
    "less32": "input [31:0] a, b, output y); assign y = a < b;",
    "equal32": "input [31:0] a, b, output y); assign y = a == b;",
    "multiply8": "input [7:0] a, b, output [15:0] y); assign y = a * b;",
    "shift32": "input [31:0] a, input [4:0] s, output [31:0] y); assign y = a << s;",
    "decode5": "input [4:0] s, output [31:0] y); assign y = 32'd1 << s;",
}


@pytest.fixture(scope="module")
def osu018():
    try:
        return library("osu018")
    except UsageError as error:
        pytest.skip(str(error))


def test_model_tracks_real_cells(tmp_path, osu018):
    """Delay and area ratios are within 10 % of their means, and the means are those that the reports use."""
    delays, areas = {}, {}
    for name, body in CIRCUITS.items():
        path = tmp_path / f"{name}.v"
        path.write_text(f"module {name}({body} endmodule\n")
        model, real = (run(path, name, library=cells, effort=6) for cells in (MODEL, osu018))
        # The median over all scripts is compared, because the fastest scripts of the two libraries make different structures.
        pairs = [(model["tried"][name], real["tried"][name]) for name in model["tried"]]
        delays[name] = statistics.median(1000 * r["period"] / m["period"] for m, r in pairs)
        areas[name] = statistics.median(r["area"] / m["area"] for m, r in pairs)
        if real["delay_opensta"] is not None:
            assert real["delay_opensta"] == pytest.approx(real["delay"], rel=0.03)
    for what, ratios, stated in (("delay", delays, PS_PER_FO4), ("area", areas, UM2_PER_GE)):
        mean = statistics.mean(ratios.values())
        print(what, round(mean, 2), {name: f"{value / mean - 1:+.1%}" for name, value in ratios.items()})
        assert stated == pytest.approx(mean, rel=0.02)
        for name, ratio in ratios.items():
            assert ratio == pytest.approx(mean, rel=0.10), f"{what} of {name}"


def test_opensta_is_used_if_it_is_there(osu018, tmp_path):
    if opensta.binary() is None:
        pytest.skip("no OpenSTA")
    path = tmp_path / "t.v"
    path.write_text("module t(input a, b, clk, output reg y); always @(posedge clk) y <= a & b; endmodule")
    found = run(path, "t", library=osu018)
    assert 0 < found["delay_opensta"] < 1
