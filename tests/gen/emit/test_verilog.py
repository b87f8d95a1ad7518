"""Emitted text: the same on every run, without dates and paths, accepted by every tool."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.sim.run import verilator_binary

CASES = [
    pytest.param({"p": 1}, id="p1"),
    pytest.param({"p": 4}, id="p4"),
    pytest.param({"p": 8}, id="p8"),
    pytest.param({"x": 12, "y": 10, "register": True}, id="12x10-registered"),
    pytest.param({"p": 3, "node": "3,5,7"}, id="specialised"),
    pytest.param({"x": 1, "y": 16, "node": "0,9,2", "register": True}, id="1x16-specialised-registered"),
    pytest.param({"topology": "ring", "n": 7, "m": 4, "directions": "forward"}, id="ring-forward"),
    pytest.param({"topology": "ring", "n": 1, "m": 5}, id="one-supernode"),
    pytest.param({"topology": "ring", "n": 2, "m": 1}, id="two-nodes"),
    pytest.param({"topology": "ring", "n": 4096, "m": 12}, id="ring-4096"),
    pytest.param({"x": 5, "y": 3, "supernode": "coc-4x4"}, id="coc-16"),
]

#: Blocks other than the route logic, whose ports are tested by name.
BLOCKS = [
    pytest.param({"block": "secded", "n": 72, "k": 64, "stages": 1}, id="secded"),
    pytest.param({"block": "secded-decoder", "n": 39, "k": 32, "position": "binary"}, id="secded-decoder"),
    *(
        pytest.param({"block": f"pcs{width}-{way}"}, id=f"pcs{width}-{way}")
        for width in (66, 257)
        for way in ("tx", "rx")
    ),
    pytest.param({"block": "mii257-tx"}, id="mii257-tx"),
    pytest.param({"block": "mii257-rx"}, id="mii257-rx", marks=pytest.mark.regress),
    pytest.param({"block": "pcs260-tx", "format": "literal"}, id="pcs260-tx"),
    pytest.param({"block": "pcs260-rx", "format": "literal", "settle": 5}, id="pcs260-rx"),
    pytest.param({"block": "gearbox", "from": 160, "to": 257, "group": 5140}, id="gearbox-160-257"),
    pytest.param({"block": "gearbox", "from": 270, "to": 160}, id="gearbox-270-160"),
    pytest.param({"block": "strict-link-tx"}, id="strict-link-tx", marks=pytest.mark.regress),
    pytest.param({"block": "selected-link"}, id="selected-link", marks=pytest.mark.regress),
    pytest.param({"block": "strict-link-rx"}, id="strict-link-rx", marks=pytest.mark.regress),
    pytest.param({"block": "light-link"}, id="light-link"),
    pytest.param({"block": "rs-encoder", "code": "rs-7-3", "symbols": 3}, id="rs-encoder"),
    pytest.param({"block": "rs-decoder", "code": "rs-7-3", "symbols": 2, "unroll": 2}, id="rs-decoder"),
    pytest.param({"block": "table-ternary", "entries": 5, "key": 6, "action": 3, "stages": 2}, id="table-ternary"),
    pytest.param({"block": "table-direct", "words": 24, "action": 3}, id="table-direct"),
    pytest.param({"block": "forwarding", "x": 5, "y": 3, "keys": "folded", "entries": 6}, id="forwarding"),
]

READERS = ("read_slang", "read_verilog")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function that emits a configuration once for all tests; returns ``(manifest, paths)``."""
    folder, known = tmp_path_factory.mktemp("emitted"), {}

    def emitted(values):
        key = repr(values)
        if key not in known:
            known[key] = emit(build(values), folder / str(len(known)))
        return known[key]

    return emitted


#: A program that emits the configurations of a JSON file, each to a separate folder.
AGAIN = """\
import json, sys
from pathlib import Path
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
for index, values in enumerate(json.loads(Path(sys.argv[1]).read_text())):
    emit(build(values), Path(sys.argv[1]).with_name(str(index)))
"""


def configurations(request):
    """Configurations of the selected cases of :func:`test_same_text_every_time`."""
    items = (item for item in request.session.items if item.path == request.path)
    return [item.callspec.params["values"] for item in items if item.originalname == "test_same_text_every_time"]


@pytest.fixture(scope="module")
def again(request, tmp_path_factory):
    """A function that returns the folder to which another process, with another hash seed, emitted a configuration."""
    folder = tmp_path_factory.mktemp("again")
    wanted = {repr(values): values for values in configurations(request)}
    (folder / "blocks.json").write_text(json.dumps([*wanted.values()]))
    command = [sys.executable, "-c", AGAIN, folder / "blocks.json"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "77"})
    names = [*wanted]
    return lambda values: folder / str(names.index(repr(values)))


def port_names(text, module):
    """Names of a module's ports, in order."""
    head = re.search(rf"^module {module} (?:#\(.*?\n\) )?\(\n(.*?)\n\);", text, re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"^  (?:in|out)put .*?(\w+),?$", head, re.MULTILINE)


def _one_of_each_family(cases):
    """``cases``, all but one of each family for `make regress`."""
    quick = {"p4", "1x16-specialised-registered", "ring-forward", "coc-16"}
    quick |= {"secded", "pcs66-rx", "gearbox-270-160", "rs-decoder", "table-ternary", "forwarding"}
    return [
        case if case.id in quick else pytest.param(*case.values, id=case.id, marks=pytest.mark.regress)
        for case in cases
    ]


@pytest.mark.parametrize("values", _one_of_each_family(CASES + BLOCKS))
def test_same_text_every_time(made, again, values):
    """Two processes with different hash seeds and folders write the same bytes."""
    _, paths = made(values)
    for path in paths.values():
        assert path.read_bytes() == (again(values) / path.name).read_bytes()
    assert sorted(os.listdir(paths["verilog"].parent)) == sorted(path.name for path in paths.values())


@pytest.mark.parametrize("values", CASES)
def test_readable(made, values):
    """The text has no dates, paths or escaped names, and every port has its documented name."""
    manifest, paths = made(values)
    top = manifest["top"]
    text = paths["verilog"].read_text()
    assert str(paths["verilog"].parent) not in text
    assert not re.search(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} \d\d? 20\d\d", text)
    assert "\\" not in text
    found = port_names(text, top)
    order = ["clk", "rst"] + [f"{whose}_{field}" for whose in ("own", "dst") for field in ("x", "y", "id")]
    order += ["in_port", "in_class", "out_port", "out_class", "arrived", "invalid"]
    assert found == [name for name in order if name in found]
    assert {"out_port", "arrived", "invalid"} <= {*found}


@pytest.mark.parametrize("values", CASES)
def test_front_ends_accept_it(lab, made, values):
    """Verilator -Wall without an option, Yosys' own reader and slang accept the text without a warning."""
    manifest, paths = made(values)
    top = manifest["top"]
    verilator = verilator_binary(lab.folder / "tools")
    lint = [verilator, "--lint-only", "-Wall", "--quiet", paths["verilog"]]
    done = subprocess.run([*map(str, lint), "--top-module", top], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "%Warning" not in done.stderr
    for reader in READERS:
        done = commands([(reader, paths["verilog"].name), ("hierarchy -check -top", top)], paths["verilog"].parent)
        assert done.returncode == 0, done.stdout
        assert "Warning" not in done.stdout.replace("0 warnings", "")


def test_equal_rings_share_a_module(made):
    """A ring unit is written once if both dimensions are alike, and twice if they are not."""
    for values, count in (({"p": 4}, 1), ({"x": 16, "y": 8}, 2)):
        _, paths = made(values)
        text = paths["verilog"].read_text()
        assert len(re.findall(r"^module \w+_ring_unit\w* \(", text, re.MULTILINE)) == count
        assert len(re.findall(r"_ring_unit\w* ring_[xy] ", text)) == 2


def test_specialised_has_no_straps(made):
    _, paths = made({"p": 3, "node": "3,5,7"})
    assert not re.search(r"input .*own_[xy]\b", paths["verilog"].read_text())


def test_lint_would_notice(lab, tmp_path):
    """The lint test can fail: it refuses a text with a latch."""
    manifest, paths = emit(build({"p": 2}), tmp_path)
    top = manifest["top"]
    text = paths["verilog"].read_text()
    broken = text.replace(
        "  assign invalid = 1'h0;",
        "  reg latch;\n  always @* if (arrived) latch = out_port[0];\n  assign invalid = latch;",
    )
    assert broken != text
    Path(paths["verilog"]).write_text(broken)
    verilator = verilator_binary(lab.folder / "tools")
    lint = [verilator, "--lint-only", "-Wall", paths["verilog"], "--top-module", top]
    done = subprocess.run(list(map(str, lint)), capture_output=True, text=True)
    assert "LATCH" in done.stderr


@pytest.mark.parametrize("values", CASES)
def test_static_terms_see_the_own_address_only(made, values):
    """Terms that depend only on the switch's address are computed in modules without an input from the packet."""
    _, paths = made(values)
    text = paths["verilog"].read_text()
    modules = re.findall(r"^module \w+_(?:ring_terms|local_map)\w* \(.*?^endmodule", text, re.MULTILINE | re.DOTALL)
    assert modules
    for module in modules:
        assert set(re.findall(r"^  input  wire (?:\[\d+:0\] )?(\w+),", module, re.MULTILINE)) <= {"own", "own_id"}
