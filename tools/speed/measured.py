"""Cycles per second of simulated networks, and ``docs/speed.json``, which has all figures of the last measurement.

Speeds are cycles per second of processor time, because other processes may use the machine. With two threads they are cycles per
second of elapsed time, the best of several runs that alternate with runs of one thread.
"""

import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.gen.config import build
from dsnswitch.gen.version import __version__
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_valid
from dsnswitch.sim.network.compile.compiler import compiler
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point
from tools.figures.refresh import block_rtl
from tools.figures.store import file_schema
from tools.speed import whole
from tools.speed.instances import run_instances, verilator_version

#: The file, relative to the repository.
PATH = "docs/speed.json"

#: The core: flits of 64 bits, packets of 4 flits, buffers of 8.
CORE = {"flit": 64, "packet": 4, "depth": 8}

#: Switch-cycles that Verilator's instances simulate, and runs with each number of threads.
WORK, RUNS = 1_000_000, 5


@dataclass(frozen=True)
class Case:
    """What is measured.

    Attributes
    ----------
    topology : str
    load : float
        Flits per host and cycle.
    form : str
        Form of the code, as in :data:`~dsnswitch.sim.network.compile.compiler.FORMS`.
    threads : int
    points : int
        Networks in the same engine, which differ in the seed.
    instances : bool
        Also measure Verilator's instances, with the same packets.
    """

    topology: str
    load: float
    form: str = "avx512"
    threads: int = 1
    points: int = 1
    instances: bool = False


_128, _512, _2048, _32768 = (f"grid:{size}:k4x2" for size in ("4x4", "8x8", "16x16", "64x64"))

#: The table of the page, in its order.
CASES = (
    Case(_128, 0.2, instances=True),
    Case(_128, 0.2, points=4),
    *(Case(_512, load, instances=True) for load in (0.05, 0.2, 0.3)),
    Case(_512, 0.2, "generic"),
    Case(_2048, 0.1),
    Case(_2048, 0.2, instances=True),
    Case(_2048, 0.2, "generic"),
    Case(_2048, 0.2, threads=2),
    Case(_32768, 0.05),
    Case(_32768, 0.05, threads=2),
)

_NUMBER = {"type": "number"}
_MAYBE = {"type": ["number", "null"]}
_ROW = {
    "topology": {"type": "string"},
    "switches": {"type": "integer"},
    "load": _NUMBER,
    "accepted": _NUMBER,
    "form": {"type": "string"},
    "threads": {"type": "integer"},
    "points": {"type": "integer"},
    "cycles_per_second": _NUMBER,
    "one_thread": _MAYBE,
    "instances": _MAYBE,
    "packets": {"type": ["integer", "null"]},
    "memory": _NUMBER,
}

#: Size of the core of 512 switches, and seconds of processor time of a cold and a warm start.
_START = {
    **{name: {"type": "integer"} for name in ("luts", "flip_flops", "ram_bits")},
    "cold": _NUMBER,
    "warm": _NUMBER,
}


def _rows(properties):
    closed = {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}
    return {"type": "array", "items": closed}


#: The command whose output the page shows.
SAMPLE = ("simulate", "--topology", _512, "--load", "0.2")


def blocks():
    """The blocks that are measured: the core of the sample, and the whole switches."""
    values = [{"block": "switch-core", **CORE, "topology": _512}]
    values += [whole.switch_of(comparison, CORE["flit"], CORE["packet"]) for comparison in whole.COMPARISONS]
    return list(map(build, values))


def stale(path, kept):
    """Names of the blocks whose RTL is not that of the last measurement; ``kept`` has what an earlier check found."""
    recorded = load(path)["rtl"] if path.exists() else {}
    return [block.name for block in blocks() if block_rtl(block, kept) != recorded.get(block.name)]


def sampled():
    """Output of the command :data:`SAMPLE`."""
    words = [sys.executable, "-P", "-m", "dsnswitch.gen", *SAMPLE]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


#: JSON schema of the file. ``sample``: output of :data:`SAMPLE`. ``rtl``: hashes of the RTL of :func:`blocks`. ``one_thread``:
#: elapsed cycles per second of one thread, in the same run as those of several. ``instances``: Verilator's cycles per second.
#: ``packets``: equal packets of both. ``memory``: MiB.
SCHEMA = file_schema(
    "dsnswitch-speed",
    1,
    generator={"type": "string"},
    machine={"type": "object", "additionalProperties": {"type": "string"}},
    sample={"type": "string"},
    rtl={"type": "object", "additionalProperties": {"type": "string"}},
    start={"type": "object", "required": list(_START), "additionalProperties": False, "properties": _START},
    rows=_rows(_ROW),
    switches=_rows(whole.ROW),
)


def load(path):
    """The last measurement, from the file ``path``."""
    return read_valid(path, "Speed", SCHEMA)


def report(start, rows, switches=(), sample="", rtl=()):
    """JSON text of :func:`started`, rows of :func:`measured`, and those of :func:`tools.speed.whole.compared`.

    ``sample`` is the text of :func:`sampled`, and ``rtl`` has the hash of the RTL of each block; without them the file is that
    of a part of :data:`CASES`, and no page states it.
    """
    found = {
        "format": "dsnswitch-speed",
        "version": 1,
        "generator": f"dsnswitch {__version__}",
        "machine": machine(),
        "sample": sample,
        "rtl": dict(rtl),
        "start": start,
        "rows": rows,
        "switches": list(switches),
    }
    return json.dumps(found, indent=1) + "\n"


def machine():
    """What the figures depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    version = subprocess.run(
        [*compiler(), "-dumpfullversion"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return {
        "processor": model,
        "compiler": f"{compiler()[0]} {version}",
        "verilator": verilator_version(),
        "date": datetime.date.today().isoformat(),
    }


def started(watch=lambda stage: None, topology=_512):
    """Size of a core, and seconds of processor time until it is ready, without and with its netlist and code in the cache."""
    watch("start")
    manifest = core_manifest(CORE | {"topology": topology}, watch)
    text = f"from dsnswitch.sim.network.engine.core import Core; Core({str(manifest)!r})"

    def seconds(folder):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-P", "-c", text], env=os.environ | {"DSNSWITCH_CACHE": folder}, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)

    core = Core(manifest, watch=watch)
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = seconds(folder), seconds(folder)
    return {"luts": core.luts, "flip_flops": core.flip_flops, "ram_bits": core.ram_bits, "cold": cold, "warm": warm}


def measured(case, seconds=3, watch=lambda stage: None):
    """A row of the file: the speed of a case.

    Raises
    ------
    UsageError
        If this machine lacks the form, or a tool is missing, or the engine and Verilator's instances differ.
    """
    watch(f"{case.topology}, load {case.load:g}")
    manifest = core_manifest(CORE | {"topology": case.topology}, watch)
    core = Core(manifest, case.form, watch)

    def speed(threads):
        words = [case.load, case.form, threads, case.points, seconds]
        call = [sys.executable, "-P", "-m", "tools.speed.run", str(manifest), *map(str, words)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UsageError(f"The simulation ends: {(done.stderr.splitlines() or ['no message'])[-1]}")
        return json.loads(done.stdout)

    one, instances, packets = None, None, None
    if case.threads > 1:
        pairs = [(speed(1), speed(case.threads)) for _ in range(RUNS)]
        one = max(pair[0]["elapsed"] for pair in pairs)
        rate = max(pair[1]["elapsed"] for pair in pairs)
        found = pairs[0][1]
    else:
        found = speed(1)
        rate = found["processor"]
    if case.instances:
        instances, packets = _instances(core, case.load, watch)
        rate = (rate + speed(1)["processor"]) / 2
    return {
        **{key: value for key, value in asdict(case).items() if key != "instances"},
        "switches": core.network.nodes,
        "accepted": round(found["accepted"], 4),
        "cycles_per_second": round(rate, 1),
        "one_thread": one and round(one, 1),
        "instances": instances and round(instances, 1),
        "packets": packets,
        "memory": round(found["memory"], 1),
    }


def _instances(core, load, watch):
    """``(cycles per second, packets)`` of instances with the packets of the engine, which must arrive in the same cycles."""
    cycles = max(100, WORK // core.network.nodes)
    engine = Engine(core, [Point(load=load, log=True)])
    engine.run(cycles)
    early = len(engine.delivered(0))
    engine.drain()
    log = engine.delivered(0)
    trace = _columns(log[log["offered"] <= cycles], "offered", "source", "destination", "flits")
    expected = _columns(log[:early], "source", "destination", "head", "tail")
    seconds, found = run_instances(core, trace, cycles, watch)
    if not np.array_equal(_sorted(expected), _sorted(found)):
        raise UsageError("The packets of the engine and of Verilator's instances differ")
    return cycles / seconds, len(found)


def _columns(log, *names):
    return np.stack([log[name].astype(np.int64) for name in names], 1)


def _sorted(rows):
    return rows[np.lexsort(rows.T)]
