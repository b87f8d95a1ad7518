"""Measures the speed of one simulation. A program of its own, so that processor time and memory are those of the simulation.

    python -m tools.speed.run MANIFEST LOAD FORM THREADS POINTS SECONDS

It prints JSON: cycles per second of processor time and of elapsed time, accepted load, and the greatest memory in MiB.
"""

import json
import sys
import time
from pathlib import Path

from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

#: Cycles before the measurement, and of one part of it.
WARM_UP, PART = 300, 100


def greatest_memory():
    """The greatest memory of this process in MiB. That of ``getrusage`` may be the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def main(manifest, load, form, threads, points, seconds):
    """Measure, and print."""
    engine = Engine(Core(manifest, form), [Point(load=float(load), seed=k) for k in range(int(points))], int(threads))
    engine.run(WARM_UP)
    engine.start_measuring()
    processor, elapsed, cycles = -time.process_time(), -time.perf_counter(), 0
    while cycles == 0 or elapsed + time.perf_counter() < float(seconds):
        engine.run(PART)
        cycles += PART
    processor, elapsed = processor + time.process_time(), elapsed + time.perf_counter()
    found = {
        "processor": cycles / processor,
        "elapsed": cycles / elapsed,
        "accepted": engine.statistics(0).accepted,
        "memory": greatest_memory(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
