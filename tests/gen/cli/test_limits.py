"""Commands that would run for hours refuse at once, with rule, limit and value. Values below the limit are accepted."""

import json

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import build
from dsnswitch.net import limits

CODE = ("--field", "16", "--polynomial", "69643")
SMALL = ("--field", "8", "--polynomial", "285")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("verilog", "--block", "rs-encoder", "-n", "65535", "-k", "1", *CODE),
            "symbols * (n - k) * field**2 of rs-encoder must be at most 200000, not 268427264",
        ),
        (
            ("verilog", "--block", "rs-decoder", "--code", "rs-544-514", "--symbols", "67"),
            "symbols * (n - k) * field**2 of rs-decoder must be at most 200000, not 201000",
        ),
        (
            (
                "verilog",
                "--block",
                "rs-decoder",
                "-n",
                "255",
                "-k",
                "127",
                "--field",
                "8",
                "--polynomial",
                "285",
                "--unroll",
                "64",
            ),
            "unroll * (n - k) * field**2 of rs-decoder must be at most 200000, not 524288",
        ),
        (("check", "-p", "12", "--supernode", "ring-12"), "Nodes of a network to check, grid_4096x4096_ring12,"),
        (
            ("check", "--topology", "mesh:128x128"),
            "Routes of mesh:128x128 to follow must be at most 67108864, not 268435456",
        ),
        (("topology", "-p", "12", "--supernode", "ring-12"), "must be at most 524288, not 201326592"),
        (("vectors", "--code", "rs-7-3", "--count", "10001"), "10001 is not in the range 1<=x<=10000"),
        (("link", "simulate", "--words", "10000001"), "10000001 is not in the range 1<=x<=10000000"),
        (("link", "framing", "--patterns", "100001"), "100001 is not in the range 1<=x<=100000"),
        (
            ("table", "-p", "3", "--node", "0,0,0", "--format", "mem", "--entries", "65537"),
            "at most 65536 entries, not 65537",
        ),
        (
            ("table", "-x", "64", "-y", "65", "--supernode", "k4x2"),
            "Nodes of a network to make absolute tables for must be at most 32768, not 33280",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_refused(refuse, words, message):
    assert message in refuse(*words)


def test_named_codes_are_within_the_limits():
    """Named codes are accepted even with 64 symbols per cycle, which is 422 Gb/s at 660 MHz."""
    for code in BLOCKS["rs-decoder"].PROPERTIES["code"]["enum"]:
        build({"block": "rs-decoder", "code": code, "symbols": 64 if code != "rs-7-3" else 7})


def test_at_most():
    limits.at_most(3, 3, "That")
    with pytest.raises(Exception, match="That must be at most 3, not 4"):
        limits.at_most(3, 4, "That")


SWITCH_TEXTS = {"topology": "grid", "supernode": "ring-4", "node": "1,1,0", "channels": "x=2,host=2", "pool": "x=66"}
TEXTS = {
    "route": ({"p": 2}, {"topology": "grid", "supernode": "ring-4", "node": "1,1,0"}),
    "forwarding": ({"p": 2, "keys": "relative"}, {"topology": "grid", "supernode": "coc-2x2", "node": "1,1,0"}),
    "switch-core": ({"p": 2, "flit": 64}, SWITCH_TEXTS),
    "switch": ({"p": 2, "flit": 64}, SWITCH_TEXTS),
    "fabric-port": ({"p": 2, "flit": 64}, SWITCH_TEXTS | {"port": "x_forward"}),
    "rs-decoder": ({"code": "rs-7-3"}, {"cuts": "syndromes,division"}),
    "baseline-torus": ({"sizes": "4x4"}, {"sizes": "4x8", "node": "1,2"}),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_texts_of_a_configuration_cannot_break_out(run, refuse, tmp_path, block):
    """A control character in any text parameter is refused, because names and comments of every output contain these texts."""
    texts = {key for key, rule in BLOCKS[block].PROPERTIES.items() if rule.get("type") == "string"}
    base, good = TEXTS.get(block, ({}, {}))
    assert texts == good.keys()
    path = tmp_path / "c.json"
    for key, text in good.items():
        values = {"block": block, **base, **good}
        assert build(values).name.isidentifier()
        for bad in (text + "\n", "\n" + text, text.replace("2", "2\n"), text + "\x85", text + "\u2028", text + " ;"):
            if bad != text:
                path.write_text(json.dumps(values | {key: bad}))
                refuse("verilog", "--config", path, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    "text", ["grid:2x2\n", "grid:2x2:ring-2\n", "torus:4x4\n", "torus:\n4", "ring:4\x85", "torus:4x4;"]
)
def test_the_text_of_a_network_cannot_break_out(refuse, text):
    refuse("verilog", "--topology", text, "--out", "-")


@pytest.mark.parametrize("form", ["edges", "json", "graphml", "anynet", "dot", "svg"])
def test_exports_have_no_control_characters(run, form):
    _, text, _ = run("topology", "-p", "1", "--supernode", "coc-2x2", "--format", form)
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_design_with_too_many_gates_is_refused_before_its_mapping(refuse, monkeypatch):
    monkeypatch.setattr("dsnswitch.net.limits.MOST_CELLS", 50)
    assert "must have at most 50 gates before mapping, not" in refuse("synth", "-p", "2")
