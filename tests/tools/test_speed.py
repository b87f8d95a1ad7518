"""Speeds of simulations: the engine and Verilator's instances run the same packets, and the page states what was measured."""

import json

import numpy as np
import pytest
from invented import speeds

from dsnswitch.gen.config import build
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.compile.compiler import best_form
from tools.docs import speed
from tools.figures.kept import Kept
from tools.figures.refresh import block_rtl
from tools.figures.store import Store
from tools.speed import measured as module
from tools.speed import whole


@pytest.fixture
def store(tmp_path):
    speeds(tmp_path / "speed.json")
    return Store(tmp_path / "figures.json")


def test_the_page_states_speeds_and_ratios(store):
    lines = speed.PARTS["speed"](store).splitlines()
    assert lines[2] == "| DSN 8 x 8 x 8 | 512 | 0.2, 0.200 | `avx512` | 18,000 | 230 | 78 | 210 |"
    assert lines[4].startswith("| DSN 8 x 8 x 8 | 4 x 512 | 0.2, 0.200 | `avx512` | 17,000 |  |  |")
    assert "`avx512`, 2 threads" in lines[5]
    text = " ".join(speed.PARTS["speed-summary"](store).split())
    assert "The engine is 78 times as fast as Verilator's instances with 512 switches or more." in text
    assert "All 1,234 packets" in text
    assert "2 threads give 1.80 times the speed of one with 512 switches." in text
    assert "The form `generic` has 50 % of the speed of AVX-512 with 512 switches." in text
    assert "A cold start takes 31 s of processor time" in " ".join(speed.PARTS["speed-start"](store).split())
    assert speed.PARTS["whole-switches"](store).splitlines()[2] == (
        "| torus:4 | light | 8 | 0.1 | 0.0984 | 0.0983 | 10.50 | 11.25 | +0.75 |"
    )


def test_the_page_shows_the_output_of_its_command(root, store):
    assert speed.PARTS["speed-sample"](store) == "    network  torus\n\n      hops   2"
    command = f"    dsnswitch {' '.join(module.SAMPLE)}\n"
    before = (root / "docs" / "simulate.md").read_text().partition("<!-- figures: speed-sample -->")[0]
    assert before.endswith(f"{command}\nIt prints:\n\n")


def test_speeds_of_other_rtl_are_stale(store, monkeypatch):
    path = store.path.with_name("speed.json")
    small = [
        build({"block": "table-direct", "words": 32, "action": 3}),
        build({"block": "gearbox", "from": 8, "to": 4}),
    ]
    monkeypatch.setattr(module, "blocks", lambda: small)
    assert module.stale(path, Kept()) == [block.name for block in small]
    found = json.loads(path.read_text())
    found["rtl"] = {block.name: block_rtl(block, Kept()) for block in small}
    path.write_text(json.dumps(found))
    assert module.stale(path, Kept()) == []
    found["rtl"][small[0].name] = "of another day"
    path.write_text(json.dumps(found))
    assert module.stale(path, Kept()) == [small[0].name]


def test_a_file_that_is_no_measurement_is_refused(store):
    path = store.path.with_name("speed.json")
    found = json.loads(path.read_text())
    del found["rows"][0]["instances"]
    path.write_text(json.dumps(found))
    with pytest.raises(UsageError, match="instances"):
        speed.PARTS["speed"](store)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--load", 0.1), "Option --load needs --topology"),
        (("--topology", "torus:64x64x64"), "must be at most 65536"),
        (("--topology", "grid:8"), "grid"),
    ],
)
def test_bad_input(refuse, words, message):
    assert message in refuse("speed", *words)


@pytest.mark.regress
def test_engine_and_instances(run, tmp_path, monkeypatch):
    """All packets arrive in the same cycles; if one does not, the measurement ends."""
    monkeypatch.setattr(module, "WORK", 4000)
    status, out, err = run("speed", "--topology", "torus:2x2", "--seconds", 1, "--out", tmp_path / "speed.json")
    assert (status, err) == (0, "")
    found = module.load(tmp_path / "speed.json")
    [row] = found["rows"]
    assert 0 < found["start"]["warm"] < found["start"]["cold"]
    assert row["packets"] > 150
    assert row["instances"] > 0 < row["cycles_per_second"]
    assert f"{row['instances']:,.0f}" in out
    run_instances = module.run_instances

    def spoilt(*words):
        seconds, found = run_instances(*words)
        found[len(found) // 2, 3] += 1
        return seconds, found

    monkeypatch.setattr(module, "run_instances", spoilt)
    with pytest.raises(UsageError, match="packets of the engine and of Verilator's instances differ"):
        module.measured(module.Case("torus:2x2", 0.2, best_form(), instances=True), 1)


@pytest.mark.regress
def test_whole_switches_and_cores(monkeypatch):
    monkeypatch.setattr(whole, "CYCLES", 2000)
    one, other = whole.compared(whole.Comparison("torus:2", "light", 24, (0.02, 0.1)), 64, 4)
    assert (one["load"], other["load"]) == (0.02, 0.1)
    assert one["port_cycles"] == 1
    assert one["core"][0] == pytest.approx(one["switch"][0], abs=0.01)
    assert np.isclose(one["core"][1], 2 * 2 + 1 + 3, atol=0.2)
    assert one["core"][1] <= one["switch"][1] + 0.05 < one["core"][1] + 1
