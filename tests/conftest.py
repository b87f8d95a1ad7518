"""Fixtures for emitted Verilog and bench runs. Their folders are in build/tests, so that objects are reused from run to run."""

import gc
import json
import os
import sys
import tomllib
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from emitted.escaped import check_names
from emitted.lanes import in_lanes
from hypothesis import settings

from dsnswitch.gen.cli import main
from dsnswitch.gen.config import build
from dsnswitch.gen.emit import yosys
from dsnswitch.gen.emit.folder import emit
from dsnswitch.gen.emit.verilog import hierarchy
from dsnswitch.gen.emit.verilog.hierarchy import hierarchical_rtlil
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.sim.run import run_bench, simulator

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tests"

settings.register_profile("ci", derandomize=True, deadline=None, database=None, max_examples=15)
settings.register_profile("dev", deadline=None, max_examples=200)
settings.register_profile("fuzz", deadline=None, max_examples=5_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


# Compiled code is kept in the folder of the tests, and bytecode, too, where pytest is called without make. Processes that tests
# start inherit both.
os.environ.setdefault("DSNSWITCH_CACHE", str(BUILD / "simulate"))
if "PYTHONPYCACHEPREFIX" not in os.environ:
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(ROOT / "build" / "pycache")
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}

# Tests make millions of objects that live as long as a block. Fewer searches for cyclic garbage save 3 % of the time.
gc.set_threshold(100_000, 50, 100)


def pytest_addoption(parser):
    parser.addoption(
        "--waves", action="store_true", help="write waveforms of every bench run under build/tests: VCD, on Icarus FST"
    )


def pytest_sessionstart(session):
    """Compile Yosys before parallel workers start, because otherwise each of them would."""
    if not hasattr(session.config, "workerinput"):
        yosys.program()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave the cases of tests/long_cases.toml to `make regress`."""
    cases = set(tomllib.loads((ROOT / "tests" / "long_cases.toml").read_text())["cases"])
    found = {item.nodeid: item for item in items}
    for case in cases & found.keys():
        found[case].add_marker(pytest.mark.regress)
    if not any("::" in word for word in config.args):
        files = {name.partition("::")[0] for name in found}
        if gone := sorted(case for case in cases - found.keys() if case.partition("::")[0] in files):
            raise pytest.UsageError(f"tests/long_cases.toml names a case that does not exist: {gone[0]}")


def spent():
    """Processor time of this process and of those that it has waited for, in seconds."""
    return sum(os.times()[:4])


#: Processor time at the end of the last report.
last = [spent()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    before, last[0] = last[0], spent()
    report.processor = last[0] - before
    return report


def pytest_terminal_summary(terminalreporter):
    """Print which tests ran, because a green line alone does not distinguish simulations from unit tests, and their cost."""
    files, runs, seconds = {}, [], {}
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if hasattr(report, "processor"):
            place = report.nodeid.partition("::")[0]
            seconds[place] = seconds.get(place, 0) + report.processor
    for report in terminalreporter.stats.get("passed", []):
        if report.when == "call":
            place = report.nodeid.partition("::")[0]
            files[place] = files.get(place, 0) + 1
            runs += [value for name, value in report.user_properties if name == "cocotb tests"]
    terminalreporter.section("what ran")
    for place, count in sorted(files.items()):
        terminalreporter.write_line(f"{count:5} {seconds[place]:6.1f} s  {place}")
    terminalreporter.write_line(f"{sum(files.values())} tests in {sum(seconds.values()):.0f} s of processor time")
    if runs:
        terminalreporter.write_line(f"{len(runs)} bench runs on {simulator()}, {sum(runs)} cocotb tests")
    if skipped := Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])):
        reasons = ", ".join(f"{count} ({reason})" for reason, count in sorted(skipped.items()))
        terminalreporter.write_line(f"skipped on this machine: {reasons}")


#: Fixtures of tests that change the design.
CHANGES = {"monkeypatch", "mutate", "mutant"}


class Lab:
    """Emits blocks and runs benches on them. ``kept`` are the blocks that were emitted before, by their configuration."""

    def __init__(self, folder, worker, waves, ran, kept):
        self.folder, self.worker, self.waves, self.ran = folder, worker, waves, ran
        self.kept = kept

    def emit(self, values, label=""):
        """Emit the block with the configuration ``values``, unless it is kept; returns ``(manifest, paths)``."""
        key = label, str(sorted(values.items()))
        if key not in self.kept:
            made = build(values)
            self.kept[key] = emit(made, self.folder / f"{made.name}{label}{self.worker}" / "verilog")
            check_names(self.kept[key][1]["verilog"].read_text())
        return self.kept[key]

    def bench(self, bench, values, tests=None, label="", optimise="-O0", lanes=1, **parameters):
        """Emit a block and run a cocotb bench on it; returns the number of tests that ran.

        Mutants have a label. ``lanes`` is the number of equal blocks that a bench of routing asks at once.
        """
        manifest, paths = self.emit(values, label)
        folder = self.folder / f"{manifest['top']}-{bench}{label}{self.worker}"
        parameters["manifest"] = str(paths["manifest"].resolve())
        verilog, top = paths["verilog"], manifest["top"]
        if lanes > 1:
            verilog, text, top = verilog.with_suffix(".lanes.v"), verilog.read_text(), "lanes"
            verilog.write_text(text + in_lanes(manifest, lanes))
        return self._run(bench, verilog, top, folder, parameters, tests, optimise)

    def bench_of(self, text, top, manifest, bench, tests, label="", optimise="-O0", **parameters):
        """Run a cocotb bench on module ``top`` of a Verilog text; returns the number of tests that ran."""
        folder = self.folder / f"{top}{label}{self.worker}"
        folder.mkdir(parents=True, exist_ok=True)
        verilog, path = folder / f"{top}.v", folder / f"{top}.json"
        verilog.write_text(text)
        path.write_text(json.dumps(manifest))
        parameters["manifest"] = str(path.resolve())
        return self._run(bench, verilog, top, folder, parameters, tests, optimise)

    def _run(self, bench, verilog, top, folder, parameters, tests, optimise):
        ran = run_bench(bench, verilog, top, folder, parameters, tests, self.waves, optimise)
        self.ran(ran)
        return ran


@pytest.fixture(scope="session")
def converted_before():
    """RTLIL of components that were converted in this session, by their identity."""
    return {}


@pytest.fixture(autouse=True)
def converted(request, converted_before):
    """Components are converted once per session, but anew in a test that changes the design."""
    hierarchy.kept = None if CHANGES & set(request.fixturenames) else converted_before


@pytest.fixture(scope="session")
def emitted_before():
    """What was emitted in this session, by its configuration."""
    return {}


@pytest.fixture
def kept(request, emitted_before):
    """What may be used again instead of emitted. A test that changes the design starts with nothing, and leaves nothing."""
    return {} if CHANGES & set(request.fixturenames) else emitted_before


@pytest.fixture
def lab(request, record_property, kept):
    """A :class:`Lab` in build/tests. Parallel workers share tools and object cache, but not builds."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    waves = request.config.getoption("--waves")
    return Lab(BUILD, f"-{worker}" if worker else "", waves, lambda ran: record_property("cocotb tests", ran), kept)


# The design is bit-blasted before the SAT proof. A failed proof ends the process with a separate status. Registers and RAM
# lose their initial values, so that they may contain anything.
PROOF = (
    "proc -norom",
    "flatten",
    "memory",
    "setattr -unset init w:*",
    "opt -full",
    "techmap",
    "opt -fast",
    "aigmap",
    "opt_clean",
)


@pytest.fixture
def prove(tmp_path):
    """A function that proves by SAT that the output ``output`` of a component is 0 for every input.

    It returns whether the proof succeeded, and the solver's verdict with the end of its log. The log of a failed proof contains
    ``model found: FAIL``.

    With ``latency``, the component has registers. Their initial contents are arbitrary, and the proof is for the cycle after
    ``latency`` other cycles, with a reset in any of them.
    """

    def run(component, output, latency=None):
        (tmp_path / "proof.il").write_text(hierarchical_rtlil(component, "proof"))
        cycles = "" if latency is None else f"-seq {latency + 1} -prove-skip {latency} "
        goal = (f"sat -verify {cycles}-prove", output, "0", "proof")
        done = commands(["read_rtlil proof.il", "hierarchy -top proof", *PROOF, goal], tmp_path)
        verdict = done.stdout.rpartition("Solving problem")[2]
        return (done.returncode == 0 and "no model found: SUCCESS!" in done.stdout, f"{verdict[:1000]}\n..\n{verdict[-2000:]}")

    return run


@pytest.fixture(scope="session")
def quiet():
    """A function that makes a component without a warning if it is never elaborated.

    It serves tests of constructors that refuse their arguments.
    """
    return lambda component: type(component.__name__, (component,), {"_MustUse__silence": True})


@pytest.fixture(scope="session")
def simulate():
    """A function that runs a test bench on a component in Amaranth's simulator."""

    def run(component, bench, clocked=False):
        simulator = Simulator(component)
        if clocked:
            simulator.add_clock(1e-9)
        simulator.add_testbench(bench)
        simulator.run()

    return run


@pytest.fixture
def root():
    """The folder of the repository."""
    return ROOT


@pytest.fixture
def run(capsys):
    """A function that calls ``dsnswitch`` with the given words; returns ``(status, stdout, stderr)``."""

    def call(*words):
        status = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["dsnswitch", *map(str, words)])
            try:
                main()
            except SystemExit as stop:
                status = stop.code or 0
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def refuse(run):
    """A function that calls ``dsnswitch`` with wrong input, and returns the line of error.

    It checks that the status is 2 and that this line is the only output.
    """

    def call(*words):
        status, out, err = run(*words)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("dsnswitch: error: ")
        return err

    return call


@pytest.fixture(scope="session")
def programs():
    """The tools of layouts. Tests are skipped if Debian's registry cannot be reached."""
    from dsnswitch.lab.layout.tools import tools
    from dsnswitch.net.messages import UsageError

    try:
        return tools()
    except UsageError as error:
        pytest.skip(str(error))
