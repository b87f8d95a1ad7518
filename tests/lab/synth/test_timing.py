"""The model's static timing compared with abc's, and with hand calculations for registers and straps."""

import json
import re

import pytest

from dsnswitch.lab.synth.library import FLIP_FLOP, FO4, MODEL, liberty
from dsnswitch.lab.synth.recipe import synthesize
from dsnswitch.lab.synth.source import Source
from dsnswitch.lab.synth.timing import PATHS, timing
from dsnswitch.lab.synth.yosys import process


def run(path, top, straps=(), library=MODEL, **more):
    return synthesize(Source((path,), top, tuple(straps)), library, **more)


BODIES = {
    "adder": "input [15:0] a, b, output [15:0] y); assign y = a + b;",
    "xor": "input [63:0] a, output y); assign y = ^a;",
    "mux": "input [31:0] a, input [4:0] s, output y); assign y = a[s];",
}


@pytest.mark.parametrize("name", BODIES)
def test_agrees_with_stime(tmp_path, name):
    """The delay of every script's netlist is that of abc."""
    (tmp_path / "t.v").write_text(f"module t({BODIES[name]} endmodule")
    (tmp_path / "cells.lib").write_text(liberty())
    job = Source((tmp_path / "t.v",), "t").job
    log = process(job | {"kind": "measure", "folder": str(tmp_path), "effort": 8, "buffers": False, "most_cells": 10_000}, "t")
    reported = [float(time) / 1000 for time in re.findall(r"^ABC:.*\bDelay =\s*([\d.]+) ps", log, re.MULTILINE)]
    found = [timing(json.loads((tmp_path / f"whole_{index}.json").read_text()), "t") for index in range(8)]
    assert len(reported) == len(found)
    assert [paths["input_to_output"] for paths in found] == pytest.approx(reported, abs=2e-3)


def test_classes_by_hand(tmp_path):
    """One inverter lies between two registers, and none elsewhere."""
    path = tmp_path / "t.v"
    path.write_text("module t(input clk, d, output q); reg a, b; always @(posedge clk) begin a <= d; b <= ~a; end "
                    "assign q = b; endmodule")  # fmt: skip
    found = run(path, "t", effort=1)
    clock, setup, load = (FLIP_FLOP[key] for key in ("clk_to_q", "setup", "d"))
    assert found["flip_flops"] == 2
    assert found["paths"] == pytest.approx(
        {
            "input_to_output": None,
            "input_to_register": setup / FO4,
            "register_to_output": clock / FO4,
            "register_to_register": (clock + 1 + 1 + load + setup) / FO4,
        }
    )
    assert list(found["paths"]) == list(PATHS)
    assert found["period"] == max(time for time in found["paths"].values() if time)
    assert found["delay"] == 0


def test_straps_start_no_path(tmp_path):
    path = tmp_path / "t.v"
    path.write_text("module t(input own, d, output y); assign y = own ^ d; endmodule")
    netlist = run(path, "t", ["own"], effort=1)
    assert netlist["delay"] > 0
    alone = tmp_path / "u.v"
    alone.write_text("module u(input own, output y); assign y = ~own; endmodule")
    assert run(alone, "u", ["own"], MODEL, effort=1)["delay"] == 0
