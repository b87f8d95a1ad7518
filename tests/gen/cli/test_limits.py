"""Commands that would run for hours refuse at once, with rule, limit and value. Values below the limit are accepted."""

import json

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import build


def test_named_codes_are_within_the_limits():
    """Named codes are accepted even with 64 symbols per cycle, which is 422 Gb/s at 660 MHz."""
    for code in BLOCKS["rs-decoder"].OPTIONS["code"].words:
        build({"block": "rs-decoder", "code": code, "symbols": 64 if code != "rs-7-3" else 7})


SWITCH_TEXTS = {"topology": "grid", "supernode": "ring-4", "node": "1,1,0", "channels": "x=2,host=2", "pool": "x=66"}
SWITCH_TEXTS |= {"weights": "1/2", "priorities": "0/1"}
TEXTS = {
    "route": ({"p": 2}, {"topology": "grid", "supernode": "ring-4", "node": "1,1,0"}),
    "forwarding": ({"p": 2, "keys": "relative"}, {"topology": "grid", "supernode": "coc-2x2", "node": "1,1,0"}),
    "switch-core": ({"p": 2, "flit": 64, "virtual_networks": 2}, SWITCH_TEXTS),
    "switch": ({"p": 2, "flit": 64, "virtual_networks": 2}, SWITCH_TEXTS),
    "fabric-port": ({"p": 2, "flit": 64, "virtual_networks": 2}, SWITCH_TEXTS | {"port": "x_forward"}),
    "rs-decoder": ({"code": "rs-7-3"}, {"cuts": "syndromes,division"}),
    "baseline-torus": ({"sizes": "4x4"}, {"sizes": "4x8", "node": "1,2"}),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_texts_of_a_configuration_cannot_break_out(run, refuse, tmp_path, block):
    """A control character in any text parameter is refused, because names and comments of every output contain these texts."""
    texts = {key for key, rule in BLOCKS[block].OPTIONS.items() if rule.kind == "text"}
    base, good = TEXTS.get(block, ({}, {}))
    assert texts == good.keys()
    path = tmp_path / "c.json"
    for key, text in good.items():
        values = {"block": block, **base, **good}
        assert build(values).name.isidentifier()
        for bad in (text + "\n", "\n" + text, text.replace("2", "2\n"), text + "\x85", text + "\u2028", text + " ;"):
            if bad != text:
                path.write_text(json.dumps(values | {key: bad}))
                refuse("verilog", "--config", path, "--folder", tmp_path / "out")


@pytest.mark.parametrize("text", ["grid:2x2\n", "grid:2x2:ring-2\n", "torus:4x4\n", "torus:\n4", "ring:4\x85", "torus:4x4;"])
def test_the_text_of_a_network_cannot_break_out(refuse, text):
    refuse("verilog", "--topology", text, "--out", "-")


@pytest.mark.parametrize("form", ["edges", "json", "graphml", "anynet", "dot", "svg"])
def test_exports_have_no_control_characters(run, form):
    _, text, _ = run("topology", "-p", "1", "--supernode", "coc-2x2", "--format", form)
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_design_with_too_many_gates_is_refused_before_its_mapping(refuse, monkeypatch):
    monkeypatch.setattr("dsnswitch.net.limits.MOST_CELLS", 50)
    assert "must have at most 50 gates before mapping, not" in refuse("synth", "-p", "2")
