"""Files for continuous integration, commits and containers: they only call the repository's own commands."""

import re
import shlex
import subprocess
import tomllib

import browser
import pytest
import yaml

#: Programs that `.ci/setup` needs on a Debian machine in addition to Python.
TOOLS = {"g++", "git", "make"}


def test_workflow_calls_commands_of_the_repository(root):
    flow = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text())
    steps = [step for job in flow["jobs"].values() for step in job["steps"]]
    assert sorted(step["run"] for step in steps if "run" in step) == [".ci/run stale", ".ci/run tests", "make docs"]
    lowest = tomllib.loads((root / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert {step["with"]["python-version"] for step in steps if "with" in step} == {lowest}


def test_ci_needs_a_browser(root, tmp_path, monkeypatch):
    """Without one, tests of pages are skipped, but not in CI."""
    flow = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text())
    (step,) = (step for step in flow["jobs"]["test"]["steps"] if step.get("run") == ".ci/run tests")
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


@pytest.mark.regress
def test_make_verilog_in_a_copy(root, tmp_path):
    """The command works as in the container: in a copy of the tracked files, with the default dependencies only."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
        (tmp_path / name).chmod((root / name).stat().st_mode)
    subprocess.run(["make", "verilog", "P=4"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["make", "verilog", "P=4", "BLOCK=route"], cwd=tmp_path, check=True, capture_output=True)
    for name in ("switch_grid_16x16_k4x2_h1_f256_p33_d66", "dsn_route_grid_16x16_k4x2"):
        assert (tmp_path / "build" / "verilog" / f"{name}.v").exists()
    assert not list((tmp_path / ".venv").glob("lib/*/site-packages/pyosys"))
