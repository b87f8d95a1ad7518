"""Emitted text: the same on every run, modules shared where they are equal, and terms of the own address apart.

``test_corners.py`` shows that every tool accepts it.
"""

import json
import os
import re
import subprocess
import sys

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit

#: One configuration of each family; the others are for `make regress`.
QUICK = [
    {"p": 4},
    {"x": 1, "y": 16, "node": "0,9,2", "register": True},
    {"topology": "ring", "n": 7, "m": 4, "directions": "forward"},
    {"block": "secded", "n": 72, "k": 64, "stages": 1},
    {"block": "pcs66-rx"},
    {"block": "gearbox", "from": 270, "to": 160},
    {"block": "rs-decoder", "code": "rs-7-3", "symbols": 2, "unroll": 2},
    {"block": "table-ternary", "entries": 5, "key": 6, "action": 3, "stages": 2},
    {"block": "forwarding", "x": 5, "y": 3, "keys": "folded", "entries": 6},
]
SLOW = [
    {"x": 5, "y": 3, "supernode": "coc-4x4"},
    {"topology": "ring", "n": 4096, "m": 12},
    {"block": "mii257-rx"},
    {"block": "selected-link"},
    {"block": "strict-link-rx"},
    {"block": "light-link"},
]
CASES = [*QUICK, *(pytest.param(values, marks=pytest.mark.regress) for values in SLOW)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function that emits a configuration once for all tests, and returns its paths."""
    folder, known = tmp_path_factory.mktemp("emitted"), {}

    def emitted(values):
        key = repr(values)
        if key not in known:
            known[key] = emit(build(values), folder / str(len(known)))[1]
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


@pytest.fixture(scope="module")
def again(request, tmp_path_factory):
    """A function that returns the folder to which another process, with another hash seed, emitted a selected configuration."""
    folder = tmp_path_factory.mktemp("again")
    items = [item for item in request.session.items if item.path == request.path and hasattr(item, "callspec")]
    wanted = {repr(item.callspec.params["values"]): item.callspec.params["values"] for item in items}
    (folder / "blocks.json").write_text(json.dumps([*wanted.values()]))
    command = [sys.executable, "-c", AGAIN, folder / "blocks.json"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "77"})
    names = [*wanted]
    return lambda values: folder / str(names.index(repr(values)))


@pytest.mark.parametrize("values", CASES, ids=lambda values: "-".join(map(str, values.values())))
def test_same_text_every_time(made, again, values):
    """Two processes with different hash seeds and folders write the same bytes, without their paths."""
    paths = made(values)
    for path in paths.values():
        assert path.read_bytes() == (again(values) / path.name).read_bytes()
    assert sorted(os.listdir(paths["verilog"].parent)) == sorted(path.name for path in paths.values())


def test_equal_rings_share_a_module(made):
    """A ring unit is written once if both dimensions are alike, and twice if they are not."""
    for values, count in (({"p": 4}, 1), ({"x": 16, "y": 8}, 2)):
        text = made(values)["verilog"].read_text()
        assert len(re.findall(r"^module \w+_ring_unit\w* \(", text, re.MULTILINE)) == count
        assert len(re.findall(r"_ring_unit\w* ring_[xy] ", text)) == 2


def test_static_terms_see_the_own_address_only(made):
    """Terms that depend only on the switch's address are computed in modules without an input from the packet."""
    for values in QUICK[:3]:
        text = made(values)["verilog"].read_text()
        modules = re.findall(r"^module \w+_(?:ring_terms|local_map)\w* \(.*?^endmodule", text, re.MULTILINE | re.DOTALL)
        assert modules
        for module in modules:
            inputs = re.findall(r"^  input  wire (?:\[\d+:0\] )?(\w+),", module, re.MULTILINE)
            assert set(inputs) <= {"own", "own_id"}
