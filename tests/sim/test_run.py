"""Options of bench runs that no other test uses."""

import shutil

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.sim.run import run_bench


@pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus is not installed")
def test_waveforms_on_icarus(tmp_path, monkeypatch):
    """Waveforms are also written in folders whose names contain blanks."""
    monkeypatch.setenv("SIM", "icarus")
    made = build({"topology": "ring", "n": 2, "m": 1})
    manifest, paths = emit(made, tmp_path / "a b")
    folder = tmp_path / "c d" / "run"
    parameters = {"manifest": str(paths["manifest"])}
    ran = run_bench("route_bench", paths["verilog"], manifest["top"], folder, parameters, waves=True)
    assert ran == 2
    assert (folder / "dump.fst").stat().st_size > 100
