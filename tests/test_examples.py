"""Every example runs, and so does every command of examples/README.md."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dsnswitch.sim.run import verilator_binary


@pytest.fixture
def example(root, tmp_path, lab):
    """A function that runs a command in a copy of an example's folder, with the programs of this environment and Verilator."""
    tools = verilator_binary(lab.folder / "tools").parent
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    # The runtime of cocotb's own build of a Verilator model: a short run needs no optimisation.
    environment["MAKEFLAGS"] = "OPT_FAST=-O0 OPT_GLOBAL=-O0"

    def run(folder, command):
        here = tmp_path / folder
        if not here.exists():
            shutil.copytree(root / "examples" / folder, here)
        return subprocess.run(shlex.split(command), cwd=here, env=environment, capture_output=True, text=True)

    return run


def commands(root, section):
    """Commands in a section of examples/README.md."""
    text = (root / "examples" / "README.md").read_text()
    body = text.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^    (\S.*)$", body, re.MULTILINE)


def test_amaranth(example, tmp_path):
    done = example("amaranth", "python input_port.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "simulated: header and data are corrected" in done.stdout
    assert "module input_port(" in (tmp_path / "amaranth" / "input_port.v").read_text()


def test_fusesoc(example, root, tmp_path):
    """The lint of the whole design succeeds, and fails if a port of the block is misspelt in the design."""
    emit, lint = commands(root, "FuseSoC")
    assert example("fusesoc", emit).returncode == 0
    done = example("fusesoc", lint)
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / "fusesoc" / "switch_port.v"
    path.write_text(path.read_text().replace(".dst_id(", ".dst_i("))
    done = example("fusesoc", lint)
    assert (done.returncode != 0, "dst_i" in done.stdout + done.stderr) == (True, True)


@pytest.mark.regress
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_cocotb(example, root, tmp_path, simulator):
    """The test succeeds for the block, and fails for one whose manifest has other links, because packets go elsewhere there.

    Verilator is used if Icarus is missing.
    """
    emit, test = commands(root, "cocotb")
    if simulator == "verilator" or not shutil.which("iverilog"):
        test = test.replace("icarus", "verilator")
    assert example("cocotb", emit).returncode == 0
    done = example("cocotb", test)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "PASS=1 FAIL=0" in done.stdout
    path = next((tmp_path / "cocotb" / "rtl").glob("*.json"))
    about = json.loads(path.read_text())
    for link in about["links"]:
        link["to_id"] ^= 1
    path.write_text(json.dumps(about))
    done = example("cocotb", test)
    assert done.returncode != 0, done.stdout[-2000:]
    assert "PASS=0 FAIL=1" in done.stdout


@pytest.mark.regress
def test_lint_of_serdes(example, root, tmp_path):
    """`joined.v` connects every port of the switch at its width."""
    emit, _ = commands(root, "Serializer")
    assert example("serdes", emit).returncode == 0
    lint = "verilator --lint-only -Wno-fatal --top-module joined joined.v"
    done = example("serdes", f"{lint} {next((tmp_path / 'serdes' / 'rtl').glob('*.v'))}")
    assert done.returncode == 0, done.stderr
    assert "joined.v:" not in done.stderr, done.stderr


@pytest.mark.regress
def test_serdes(example, root, tmp_path):
    """Both links come up from any bit, and packets cross."""
    emit, test = commands(root, "Serializer")
    if not shutil.which("iverilog"):
        test = test.replace("icarus", "verilator")
    assert example("serdes", emit).returncode == 0
    done = example("serdes", test)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "PASS=1 FAIL=0" in done.stdout
    assert "joined.v:" not in done.stdout + done.stderr, "a simulator warns of it: a port is missing, or too narrow"


def test_first_steps(root, tmp_path):
    """The example prints what its comments say, and README.md has the same calls."""
    script = root / "examples" / "first_steps.py"
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"{line}\n" for line in re.findall("^# > (.*)$", script.read_text(), re.MULTILINE))
    sample = re.search(r"^    import dsnswitch\n(?:     *.*\n)+", (root / "README.md").read_text(), re.MULTILINE)[0]
    lines = [line.partition("  #")[0].strip() for line in sample.splitlines()]
    assert all(f"{line}\n" in script.read_text() for line in lines)


def test_every_script_says_how_to_call_it(root, tmp_path):
    """Without arguments, a script that needs some prints its usage."""
    scripts = [path for path in root.glob("examples/*/*.py") if "argparse" in path.read_text()]
    assert len(scripts) == 2
    for path in {*root.glob("examples/*/*.py")} - {root / "examples/amaranth/input_port.py"}:
        done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        if path in scripts:
            assert done.returncode == 2
            assert done.stderr.startswith("usage: ")


def test_every_example_is_listed(root):
    text = (root / "examples" / "README.md").read_text()
    for path in (root / "examples").iterdir():
        if path.name != "README.md":
            assert f"`{path.name}{'/' if path.is_dir() else ''}`" in text, path.name
