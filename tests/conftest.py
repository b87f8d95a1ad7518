"""Fixtures: emitted Verilog and bench runs under build/tests, so that objects are reused from run to run."""

import os
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import settings

from dsnswitch.gen.config import build
from dsnswitch.gen.emit import emit
from dsnswitch.sim.run import run_bench, simulator

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tests"

settings.register_profile("ci", derandomize=True, deadline=None, database=None, max_examples=60)
settings.register_profile("dev", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_addoption(parser):
    parser.addoption("--waves", action="store_true", help="write a VCD of every bench run under build/tests")


def pytest_terminal_summary(terminalreporter):
    """Say what ran: a green line alone does not tell simulations from unit tests."""
    files = {}
    for report in terminalreporter.stats.get("passed", []):
        if report.when == "call":
            place = report.nodeid.partition("::")[0]
            files[place] = files.get(place, 0) + 1
    terminalreporter.section("what ran")
    for place, count in sorted(files.items()):
        terminalreporter.write_line(f"{count:5}  {place}")
    if Lab.runs:
        terminalreporter.write_line(f"{len(Lab.runs)} bench runs on {simulator()}, {sum(Lab.runs)} cocotb tests")


class Lab:
    """Emits blocks and runs benches on them."""

    #: Number of cocotb tests of each bench run that passed in this session.
    runs: ClassVar[list] = []

    def __init__(self, folder, waves):
        self.folder, self.waves = folder, waves

    def emit(self, values):
        """``(manifest, paths)`` of the block that the configuration ``values`` asks for."""
        made = build(values)
        return emit(made, self.folder / made.name / "verilog")

    def bench(self, bench, values, tests=None, label="", **parameters):
        """Emit and run a cocotb bench; returns how many of its tests ran."""
        manifest, paths = self.emit(values)
        folder = self.folder / f"{manifest['top']}-{bench}{label}"
        parameters["manifest"] = str(paths["manifest"].resolve())
        ran = run_bench(bench, paths["verilog"], manifest["top"], folder, parameters, tests, self.waves)
        self.runs.append(ran)
        return ran


@pytest.fixture
def lab(request):
    """A :class:`Lab` in build/tests."""
    return Lab(BUILD, request.config.getoption("--waves"))


@pytest.fixture
def root():
    """The repository."""
    return ROOT
