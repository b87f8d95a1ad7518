"""Written mutants fit the source; written and generated ones are judged, and a mutant without effect is told from others."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from mutants import netlist
from mutants.__main__ import judges_of, verdict
from mutants.written import Written, written


def test_written_mutants_fit_the_source(root):
    mutants = written()
    assert 40 <= len(mutants) <= 60
    for name, mutant in mutants.items():
        compile(mutant.applied((root / mutant.file).read_text()), name, "exec")
        assert re.fullmatch(r"[A-Z][^\n]*\.", mutant.fault), name
        for selector in mutant.tests:
            path, _, test = selector.partition("::")
            assert (root / path).exists(), f"{name} names {path}"
            assert not test or f"def {test.partition('[')[0]}(" in (root / path).read_text(), name
    with pytest.raises(ValueError, match="must find their text once, not 0 times"):
        mutant.applied("")


@pytest.mark.regress
def test_a_written_mutant_is_caught():
    name = "routes/tie-goes-down"
    assert verdict(name, replace(written()[name], tests=("tests/hdl/routing/test_local.py",))) == "caught"
    assert verdict("", Written("", "", "", "", ("tests/hdl/routing/test_local.py",))) == "survived"


@pytest.mark.parametrize(
    ("under", "folders"), [("hdl", ["hdl"]), ("hdl/arithmetic.py", ["hdl/arithmetic"]), ("hdl/gf", ["hdl/gf", "hdl/fec"])]
)
def test_judges_of_a_directory(root, under, folders):
    assert judges_of(under) == [str(root / "tests" / folder) for folder in folders]


def test_generated_mutants_are_judged(root, tmp_path, monkeypatch):
    """Three faults of the gearbox: its bench catches those that the solver does not prove to be none."""
    monkeypatch.setenv("PYTHONPATH", str(root / "tests"))
    path, test = tmp_path / "mutants.json", "tests/hdl/stream/test_gearbox.py::test_gearbox[sizes0]"
    words = [sys.executable, "-m", "mutants", "--under", "hdl/stream", "--sample", "3", "--result", path, test]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True)
    rows = json.loads(path.read_text())
    assert not done.returncode, done.stdout + done.stderr
    assert len(rows) == 3
    assert {row["verdict"] for row in rows} <= {"caught", "no effect"}
    caught = [row for row in rows if row["verdict"] == "caught"]
    assert len(caught) >= 2
    row = caught[0]
    assert row["source"].startswith("hdl/")
    folder, words = tmp_path / "netlists" / row["netlist"], row["command"].split()
    assert not netlist.call(folder, "equal", words=words, seconds=5)
    same = ["mutate", "-mode", "none", "-module", words[words.index("-module") + 1]]
    assert netlist.call(folder, "equal", words=same, seconds=5) == "state"
