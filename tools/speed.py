"""Cycles per second of processor time: the simulator, and Verilator's instances of the same Verilog with the same packets."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.net.cache import cache_folder
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.compile.compiler import FORMS, best_form
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

#: The core, cycles before a measurement, and cycles of one part of it.
CORE, WARM_UP, PART = {"flit": 64, "packet": 4, "depth": 8}, 300, 100

#: Switch-cycles that Verilator's instances simulate.
WORK = 100_000


def speeds(topology: str, load: float, seconds: float, watch: Callable[[str], None]) -> Iterator[tuple[str, float]]:
    """``(form of the code or "Verilator", cycles per second)`` for each.

    Raises
    ------
    UsageError
        If the packets of Verilator's instances do not enter and arrive in the same cycles.
    """
    manifest = core_manifest(CORE | {"topology": topology}, watch)
    for form in FORMS if best_form() == "avx512" else ("generic",):
        watch(form)
        core = Core(manifest, form, watch)
        engine = Engine(core, [Point(load=load)])
        engine.run(WARM_UP)
        start, cycles = time.process_time(), 0
        while cycles == 0 or time.process_time() < start + seconds:
            engine.run(PART)
            cycles += PART
        yield form, cycles / (time.process_time() - start)
    yield "Verilator", verilator(core, manifest, load, watch)


def verilator(core: Core, manifest: Path, load: float, watch: Callable[[str], None]) -> float:
    """Cycles per second of instances with the packets of the engine."""
    from dsnswitch.sim.run import FASTEST
    from dsnswitch.sim.verilated.network import Network, rows

    engine = Engine(core, [Point(load=load, log=True)])
    engine.run(max(100, WORK // core.network.nodes))
    engine.drain()
    log = engine.delivered(0)
    names = ("offered", "source", "destination", "flits")
    watch("compiling Verilator's model")
    with Network(manifest, cache_folder() / "models", FASTEST) as network:
        before, first = network.processor_time, network.cycle
        found = network.replay(zip(*(log[name].astype(int).tolist() for name in names)))
        rate = (network.cycle - first) / (network.processor_time - before)
    if found != rows(log):
        raise UsageError("The packets of the engine and of Verilator's instances differ")
    return rate
