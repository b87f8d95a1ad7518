"""Fixtures: emitted Verilog and bench runs under build/tests, so that objects are reused from run to run."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import resolve
from dsnswitch.gen.emit import emit
from dsnswitch.sim.run import run_bench

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tests"

settings.register_profile("ci", derandomize=True, deadline=None, database=None, max_examples=60)
settings.register_profile("dev", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_addoption(parser):
    parser.addoption("--waves", action="store_true", help="write a VCD of every bench run under build/tests")


class Lab:
    """Emits blocks and runs benches on them."""

    def __init__(self, folder, waves):
        self.folder, self.waves = folder, waves

    def emit(self, values, block="route"):
        """``(manifest, paths)`` of the block that the configuration ``values`` asks for."""
        made = BLOCKS[block](resolve(values))
        return emit(made, self.folder / made.name / "verilog")

    def bench(self, bench, values, tests=None, label="", **parameters):
        """Emit and run a cocotb bench; returns how many of its tests ran."""
        manifest, paths = self.emit(values)
        folder = self.folder / f"{manifest['top']}-{bench}{label}"
        parameters["manifest"] = str(paths["manifest"].resolve())
        return run_bench(bench, paths["verilog"], manifest["top"], folder, parameters, tests, self.waves)


@pytest.fixture
def lab(request):
    """A :class:`Lab` in build/tests."""
    return Lab(BUILD, request.config.getoption("--waves"))


@pytest.fixture
def root():
    """The repository."""
    return ROOT
