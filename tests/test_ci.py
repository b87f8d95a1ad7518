"""Files for continuous integration, commits and containers: they only call the repository's own commands."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import browser
import pytest
import yaml

#: Programs that `.ci/setup` needs on a Debian machine in addition to Python.
TOOLS = {"g++", "git", "make"}


def workflow(root, name):
    return yaml.safe_load((root / ".github" / "workflows" / f"{name}.yml").read_text())["jobs"]


def pythons(root):
    """Releases of Python that pyproject.toml names, such as ``3.11``."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    found = [text.rpartition(" :: ")[2] for text in project["classifiers"] if ":: Python :: 3." in text]
    last = int(found[-1].removeprefix("3."))
    assert found == [f"3.{minor}" for minor in range(11, last + 1)]
    assert project["requires-python"] == f">={found[0]},<3.{last + 1}"
    return found


def test_workflow_calls_commands_of_the_repository(root):
    jobs = workflow(root, "ci")
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert sorted(step["run"] for step in steps if "run" in step) == [".ci/run stale", ".ci/run tests", "make docs"]
    assert jobs["test"]["strategy"]["matrix"] == {"python": pythons(root)}
    (stale,) = (step for step in steps if step.get("run") == ".ci/run stale")
    assert stale["if"] == f"${{{{ !cancelled() && matrix.python == '{pythons(root)[0]}' }}}}"
    used = {step["with"]["python-version"] for step in steps if "with" in step}
    assert used == {"${{ matrix.python }}", pythons(root)[0]}


def test_weekly_workflow(root):
    """It runs the tiers that ci.yml does not run, on Icarus too, on all releases of Python."""
    job = workflow(root, "weekly")["tier"]
    commands = job["strategy"]["matrix"]["command"]
    assert commands == ["make regress", "make prove", "SIM=icarus make test", "make mutants"]
    goals = {command.rpartition("make ")[2] for command in commands}
    recipes = dict(re.findall(r"^(\w+): .*##.*\n((?:\t.*\n)+)", (root / "Makefile").read_text(), re.MULTILINE))
    tiers = {goal for goal, recipe in recipes.items() if re.search(r"\$\(CALL\) pytest( -m|$)", recipe, re.MULTILINE)}
    assert goals == tiers | {"mutants"}
    _, setup, icarus, run = job["steps"]
    assert sorted(setup["with"]["python-version"].split(), key=lambda name: int(name[2:])) == pythons(root)
    assert "-y iverilog " in icarus["run"]
    assert run["run"] == "${{ matrix.command }}"
    assert run["env"] == {browser.NEEDED: "1"}
    assert set(yaml.safe_load((root / ".github" / "workflows" / "weekly.yml").read_text())[True]) >= {"schedule"}


def test_setup_takes_the_stated_releases_of_python(root):
    first, *_, last = pythons(root)
    assert (
        f"({first.replace('.', ', ')}) <= sys.version_info[:2] <= ({last.replace('.', ', ')})"
        in (root / ".ci" / "setup").read_text()
    )
    done = subprocess.run(
        [root / ".ci" / "setup", "run"], cwd=root, env=os.environ | {"PYTHON": "false"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"dsnswitch: cannot set up: false is not Python {first} to {last}; PYTHON=... names another one\n")


def test_ci_needs_a_browser(root, tmp_path, monkeypatch):
    """Without one, tests of pages are skipped, but not in CI."""
    (step,) = (step for step in workflow(root, "ci")["test"]["steps"] if step.get("run") == ".ci/run tests")
    assert step["env"] == {browser.NEEDED: "1"}
    assert f"{browser.NEEDED}=1" in (root / "CONTRIBUTING.md").read_text()
    monkeypatch.setattr(browser, "BROWSERS", ())
    monkeypatch.delenv(browser.NEEDED, raising=False)
    with pytest.raises(pytest.skip.Exception):
        browser.read("<body></body>", "", tmp_path)
    monkeypatch.setenv(browser.NEEDED, "1")
    with pytest.raises(pytest.fail.Exception, match="no Chromium or Chrome"):
        browser.read("<body></body>", "", tmp_path)


def test_hooks_refuse_what_lint_refuses(root, tmp_path):
    """Each hook's command accepts a file of the repository, and refuses one with an unused import and two blanks."""
    hooks = yaml.safe_load((root / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    bad = tmp_path / "bad.py"
    bad.write_text("import os\nx  = 1\n")
    for hook in hooks:
        words = shlex.split(hook["entry"])
        # The second hook of pre-commit changes files; with --check it only reports whether it would.
        check = [*words, "--check"] if "format" in words else words
        for path, status in ((root / "gen" / "version.py", 0), (bad, 1)):
            done = subprocess.run([*check, path], cwd=root, capture_output=True, text=True)
            assert done.returncode == status, done.stdout


def test_container_has_what_setup_needs(root):
    text = (root / "Dockerfile").read_text()
    setup = (root / ".ci" / "setup").read_text()
    installed = set(re.search(r"--no-install-recommends (.*?) \\", text)[1].split())
    assert installed == TOOLS
    assert set(re.findall(r"have ([\w+]+)", setup)) <= TOOLS
    assert "RUN .ci/setup test" in text
    assert re.search(r"FROM python:3\.11-", text)


def interpreters(root):
    """``{release: path}`` of each supported Python of this machine, on PATH and in the folder of pyenv, that can make a .venv."""
    names = [f"python{release}" for release in pythons(root)]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    found = {}
    for path in [sys.executable, *filter(None, map(shutil.which, names)), *sorted(pyenv.glob("3.*/bin/python3"))]:
        text = "import sys, venv, ensurepip; print('{}.{}'.format(*sys.version_info)); print(sys._base_executable)"
        done = subprocess.run([path, "-c", text], capture_output=True, text=True)
        release, _, base = done.stdout.strip().partition("\n")
        if not done.returncode and release in pythons(root):
            found.setdefault(release, base)
    return found


@pytest.mark.regress
def test_make_verilog_in_a_copy(root, tmp_path):
    """The command works as in the container: in a copy of the tracked files, with the default dependencies only.

    Each Python of this machine writes the same files.
    """
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    written = {}
    for release, python in interpreters(root).items():
        copy = tmp_path / release
        for name in filter(None, names.split("\0")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copy / name, follow_symlinks=False)
        for block in ((), ("BLOCK=route",)):
            environment = os.environ | {"PYTHON": python}
            subprocess.run(["make", "verilog", "P=4", *block], cwd=copy, env=environment, check=True, capture_output=True)
        assert not list((copy / ".venv").glob("lib/*/site-packages/pyosys"))
        assert list((copy / ".venv").glob(f"lib/python{release}/site-packages/amaranth"))
        written[release] = {path.name: path.read_bytes() for path in (copy / "build" / "verilog").iterdir()}
    first, *others = written.values()
    for name in ("switch_grid_16x16_k4x2_h1_f256_p33_d66", "dsn_route_grid_16x16_k4x2"):
        assert f"{name}.v" in first
    assert all(other == first for other in others), f"one of {', '.join(written)} writes other files"
