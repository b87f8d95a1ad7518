"""What a reader of the emitted text meets: names that a source gave, no module twice, and no more lines than it needs."""

import re

import pytest
from emitted.quality import copies, names, share_of_terms

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import files_of

SMALL = {"p": 1, "flit": 64, "packet": 4, "depth": 4}
CASES = [
    pytest.param({"block": "switch-core", **SMALL}, 4_900, id="core"),
    pytest.param({"block": "fabric-port", **SMALL}, 4_600, id="port"),
    pytest.param({"block": "switch", "p": 4}, 17_000, id="switch", marks=pytest.mark.regress),
]


@pytest.mark.parametrize(("values", "lines"), CASES)
def test_names_and_modules(values, lines):
    _, files, texts = files_of(build(values))
    text = texts[files["verilog"]]
    assert share_of_terms(text) < 0.06
    assert not [name for name in names(text) if name.startswith("_")], "the read register of a RAM has no name"
    assert copies(text) == []
    assert text.count("\n") < lines
    assert text.count("`default_nettype none\n") == text.count("`default_nettype wire\n") == 1


COPY = "module {0} (\n  input  wire a,\n  output wire b\n);\n  wire b_term;\n  wire b_term_2;\n  assign b = {1};\nendmodule\n"


def test_what_is_counted():
    text = COPY.format("one", "a") + COPY.format("two", "1'h0") + COPY.format("three", "1'h1")
    assert names(text) == ["a", "b", "b_term", "b_term_2"] * 3
    assert share_of_terms(text) == 0.5
    assert copies(text) == ["two", "three"]


@pytest.mark.parametrize("values", [{"block": "switch-core", **SMALL}], ids=["core"])
def test_inputs_of_a_group_come_before_its_outputs(values):
    about, files, texts = files_of(build(values))
    head = re.search(rf"^module {about['top']} \((.*?)^\);", texts[files["verilog"]], re.MULTILINE | re.DOTALL)[1]
    for group in re.split(r"^  //.*\n", head, flags=re.MULTILINE)[1:]:
        ways = re.findall(r"^  (input|output) ", group, re.MULTILINE)
        assert ways == sorted(ways)
