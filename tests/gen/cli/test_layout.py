"""The command ``layout``: its files, and its errors."""

import json

import pytest

from dsnswitch.lab.layout.tools import tools
from dsnswitch.lab.synth import library as debian
from dsnswitch.lab.synth import timing as opensta
from dsnswitch.net.messages import UsageError

SMALL = ("layout", "--block", "baseline-torus", "--sizes", "2x2", "--node", "0,1")


def test_missing_tools(refuse, monkeypatch, tmp_path):
    monkeypatch.setattr(debian, "FOLDER", tmp_path / "tools")
    monkeypatch.setenv("PATH", str(tmp_path))
    error = refuse(*SMALL, "--folder", str(tmp_path / "out"))
    assert "graywolf comes from Debian's graywolf, and this machine has no apt-get" in error
    assert not list(tmp_path.iterdir())


@pytest.mark.regress
def test_missing_timing_tool(refuse, monkeypatch, tmp_path):
    try:
        tools()
    except UsageError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(opensta, "binary", lambda: None)
    assert "A layout needs OpenSTA" in refuse(*SMALL, "--folder", str(tmp_path / "out"))
    assert not list(tmp_path.iterdir())


@pytest.mark.regress
def test_files(run, tmp_path):
    try:
        tools()
    except UsageError as error:
        pytest.skip(str(error))
    status, out, err = run(*SMALL, "--folder", tmp_path, "--density", "0.6")
    assert (status, err) == (0, "")
    stems = {path.stem for path in tmp_path.iterdir()}
    assert len(stems) == 1
    assert {path.suffix for path in tmp_path.iterdir()} == {".def", ".spef", ".v", ".png", ".gds", ".json"}
    found = json.loads(next(tmp_path.glob("*.json")).read_text())
    (block,) = found["blocks"]
    assert block["densities"] == [{"density": 0.6, "failed": None}]
    assert f"{block['vias']:,} vias" in out
    assert found["conditions"]["left_out"].startswith("clock tree")
