"""Manifest, SDC and core: valid by the schema, and in agreement with the Verilog."""

import gc
import json
import re

import pytest
from amaranth.hdl import Elaboratable
from jsonschema import Draft202012Validator

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.gen.emit.manifest import manifest

CASES = [
    {"p": 4},
    {"x": 12, "y": 10, "register": True},
    {"p": 3, "node": "3,5,7"},
    {"topology": "ring", "n": 7, "m": 4, "directions": "forward"},
    {"topology": "ring", "n": 1, "m": 5},
    {"x": 1, "y": 16, "supernode": "coc-4x4"},
]


#: Links with a Reed-Solomon decoder, which take long to write.
_LARGE = [("strict", ""), ("strict", "-rx"), ("selected", ""), ("selected", "-rx")]

#: Blocks of other families, to which all tests that are not about routes apply.
OTHERS = [
    {"block": "secded", "n": 39, "k": 32, "position": "none"},
    {"block": "secded-decoder", "n": 39, "k": 32, "stages": 2},
    *({"block": f"pcs{width}-{way}"} for width in (66, 257, 260) for way in ("tx", "rx")),
    *({"block": f"mii257-{way}"} for way in ("tx", "rx")),
    {"block": "gearbox", "from": 257, "to": 160, "group": 5140},
    {"block": "light-link"},
    *(pytest.param({"block": f"light-link-{way}"}, marks=pytest.mark.regress) for way in ("tx", "rx")),
    {"block": "rs-encoder", "n": 30, "k": 25, "field": 5, "polynomial": 0x25, "root": 2, "symbols": 4},
    {"block": "rs-decoder", "code": "rs-7-3", "lanes": 1, "cuts": "none"},
    *(pytest.param({"block": f"{kind}-link-tx"}, marks=pytest.mark.regress) for kind in ("strict", "selected")),
    *(pytest.param({"block": f"{kind}-link{way}"}, marks=pytest.mark.regress) for kind, way in _LARGE),
    {"block": "baseline-torus", "sizes": "8x8"},
    {"block": "baseline-secded-encoder", "n": 22, "k": 16, "construction": "hamming"},
    {"block": "baseline-secded-decoder", "n": 22, "k": 16},
    {"block": "table-ternary", "entries": 5, "key": 6, "action": 3, "stages": 1},
    {"block": "table-direct", "words": 24, "action": 3},
    {"block": "forwarding", "x": 5, "y": 3},
    {"block": "switch-core", "topology": "ring:5:ring-3", "flit": 40, "packet": 3, "hosts": 2},
    {"block": "switch-core", "topology": "ring:5:ring-3", "flit": 40, "packet": 3, "lookup": "table", "layers": 2},
    {"block": "switch", "topology": "ring:3:ring-2", "flit": 40, "packet": 3, "hosts": 2},
    {"block": "switch", "topology": "torus:2", "flit": 16, "packet": 1, "node": "1"},
    {"block": "forwarding", "p": 2, "kind": "direct", "node": "1,2,3"},
]


@pytest.fixture(scope="module", params=CASES, ids=lambda values: "-".join(map(str, values.values())))
def made(request, tmp_path_factory):
    _, paths = emit(build(request.param), tmp_path_factory.mktemp("made"))
    return json.loads(paths["manifest"].read_text()), paths


@pytest.fixture(scope="module", params=CASES + OTHERS, ids=lambda values: "-".join(map(str, values.values())))
def any_made(request, tmp_path_factory):
    _, paths = emit(build(request.param), tmp_path_factory.mktemp("made"))
    return json.loads(paths["manifest"].read_text()), paths


@pytest.fixture
def schema(root):
    schema = json.loads((root / "docs" / "manifest.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_by_the_schema(any_made, schema):
    schema.validate(any_made[0])
    assert not schema.is_valid(any_made[0] | {"surprise": 1})


def test_parts_of_a_payload_fill_it(any_made):
    """The fields of a payload are adjacent, without gaps and overlaps."""
    for port in any_made[0]["ports"]:
        if "fields" in port:
            bits = [bit for field in port["fields"] for bit in range(field["bits"][0], field["bits"][1] + 1)]
            assert sorted(bits) == list(range(port["width"]))


def test_files_exist(any_made):
    manifest, paths = any_made
    assert {kind: path.name for kind, path in paths.items()} == manifest["files"]
    assert paths["file_list"].read_text().split() == [paths["verilog"].name]
    core = paths["core"].read_text()
    assert core.startswith("CAPI=2:\n")
    assert f"toplevel: {manifest['top']}" in core
    assert paths["verilog"].name in core


def test_ports_are_those_of_the_verilog(any_made):
    """Name, direction, width and order are those in the text of the top module."""
    manifest, paths = any_made
    head = re.search(
        rf"module {manifest['top']} (?:#\(.*?\n\) )?\(\n.*?\n\);", paths["verilog"].read_text(), re.DOTALL
    )[0]
    found = [
        {"name": name, "direction": direction, "width": int(high or 0) + 1}
        for direction, high, name in re.findall(
            r"^  (input|output) +(?:wire|reg) +(?:\[(\d+):0\] )?(\w+),?$", head, re.MULTILINE
        )
    ]
    told = [{key: port[key] for key in ("name", "direction", "width")} for port in manifest["ports"]]
    assert found == told


def test_straps_are_false_paths(made):
    manifest, paths = made
    straps = {port["name"] for port in manifest["ports"] if port["static"]}
    false_paths = re.findall(r"^set_false_path -from \[get_ports \{(.*)\}\]$", paths["sdc"].read_text(), re.MULTILINE)
    found = {name.removesuffix("[*]") for line in false_paths for name in line.split()}
    assert found == straps
    assert bool(straps) == (manifest["node"] is None)


def test_one_output_a_link(made):
    manifest, _ = made
    seen = [(link["id"], link["output"]) for link in manifest["links"]]
    assert len(seen) == len(set(seen))
    assert {output for _, output in seen} <= {output["index"] for output in manifest["outputs"]}


@pytest.mark.parametrize(
    ("block", "stated"), [("strict-link", 20 / 33), ("selected-link-tx", 16 / 27), ("light-link", 1)]
)
def test_throughput_of_a_link_counts_groups_of_mii_words(monkeypatch, block, stated):
    """A link accepts a group of four words only if the line can carry its block."""
    configured = build({"block": block})
    monkeypatch.setattr(Elaboratable, "_MustUse__silence", True)
    assert manifest(configured, configured.component(), {})["results_per_cycle"] == stated
    gc.collect()
