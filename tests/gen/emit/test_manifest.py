"""Manifest, SDC and core of route logic: valid by the schema, and in agreement with the Verilog.

``test_corners.py`` checks the manifests of all other blocks.
"""

import gc
import json
import re

import pytest
from amaranth.hdl import Elaboratable

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


@pytest.fixture(scope="module", params=CASES, ids=lambda values: "-".join(map(str, values.values())))
def made(request, tmp_path_factory):
    _, paths = emit(build(request.param), tmp_path_factory.mktemp("made"))
    return json.loads(paths["manifest"].read_text()), paths


def test_files_exist(made):
    manifest, paths = made
    assert {kind: path.name for kind, path in paths.items()} == manifest["files"]
    assert [line for line in paths["file_list"].read_text().splitlines() if not line.startswith("//")] == [paths["verilog"].name]
    core = paths["core"].read_text()
    assert core.startswith("CAPI=2:\n")
    assert f"toplevel: {manifest['top']}" in core
    assert paths["verilog"].name in core


def test_the_order_of_bits_is_stated(made):
    """The comment of a one-hot port names the port for which each bit stands, in the Verilog and in the template."""
    manifest, paths = made
    (about,) = [port for port in manifest["ports"] if port["name"] == "out_port"]
    assert about["bits"] == [output["name"] for output in manifest["outputs"]]
    sentence = f"Output port of the packet, one-hot. From bit 0: {', '.join(about['bits'])}."
    for kind in ("verilog", "template"):
        assert sentence in paths[kind].read_text().replace("\n  // ", " ").replace("\n// ", " ")


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
    ("values", "stated"),
    [
        ({"block": "strict-link"}, 20 / 33),
        ({"block": "selected-link-tx"}, 16 / 27),
        ({"block": "light-link"}, 1),
        ({"block": "switch", "topology": "torus:2", "link": "strict"}, 20 / 33),
        ({"block": "switch", "topology": "torus:2", "link": "selected"}, 16 / 27),
        ({"block": "switch", "topology": "torus:2"}, 1),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else None,
)
def test_throughput_of_a_link_counts_groups_of_mii_words(monkeypatch, values, stated):
    """A link accepts a group of four words, or a flit, only if the line can carry its block."""
    configured = build(values)
    monkeypatch.setattr(Elaboratable, "_MustUse__silence", True)
    assert manifest(configured, configured.component(), {})["results_per_cycle"] == stated
    gc.collect()
