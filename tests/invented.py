"""Figures that nobody measured, for tests of what is written with figures. They do not depend on the RTL of today."""

from hashlib import sha256

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from dsnswitch.net.tables.formulas import COLUMNS
from tools.figures.store import Store
from tools.layouts import DESIGNS, Layouts
from tools.speed.measured import report

__all__ = ["Invented", "figures", "layouts", "speeds"]


def _numbers(text):
    """Numbers from 10 to 100, the same in every run."""
    seed = int(sha256(text.encode()).hexdigest(), 16)
    return [10 + (seed >> 16 * index) % 9_000 / 100 for index in range(8)]


def figures(block, library="model"):
    """Figures of a block, the same in every run: numbers from a hash of its name, and the latency that it states."""
    seed = int(sha256(f"{block.name} {library}".encode()).hexdigest(), 16)
    number = _numbers(f"{block.name} {library}")
    generic = {
        name: {"gates": 100 + index + seed % 900, "levels": 5 + seed % 7} for index, name in enumerate(GENERIC_MAPS)
    }
    return {
        "name": block.name,
        "block": block.block,
        "parameters": block.parameters,
        "area": 100 * number[0],
        "static_area": number[1],
        "delay": number[2],
        "delay_all": number[2],
        "period": number[2] + 1,
        "period_cut": number[2] + 1,
        "period_whole": number[2] + 2,
        "delay_opensta": number[3],
        "results_per_cycle": 1,
        "latency_cycles": 1 + seed % 3,
        "flip_flops": seed % 5_000,
        "memory_bits": seed % 3 * 1024,
        "cells": seed % 10_000,
        "resets": 0,
        "cut": True,
        "equivalent": True,
        "paths": {"input_to_register": number[4], "register_to_register": number[5]},
        "parts": {
            name: {"number": 9, "area": number[6]}
            for name in ("arrival", "input_channel_0", "allocator", "crossbar_column_8")
        },
        "generic": generic,
        **generic[next(iter(GENERIC_MAPS))],
    }


def layouts(path, names=DESIGNS):
    """A :class:`Layouts` with figures of the designs ``names``."""
    blocks = {}
    for name in names:
        numbers = _numbers(name)
        times = {"ideal": 1.0, "bare": 1.1, "wired": 1.2}
        blocks[name] = {
            **dict.fromkeys(("cells", "flip_flops", "nets", "pins", "rows", "vias"), int(numbers[0])),
            **dict.fromkeys(("utilisation", "wire_length", "wire_capacitance"), numbers[1]),
            "name": name,
            "fingerprint": f"of {name}",
            "area": {"cells": numbers[2], "rows": 1.2 * numbers[2]},
            "delays": {key: dict.fromkeys(("packet", "registers"), time * numbers[3]) for key, time in times.items()},
            "ratio": {"delay": 1.1, "area": 1.2},
            "die": [1.0, 1.0],
            "densities": [{"density": 0.85, "failed": None}],
            "equivalent": True,
        }
    return Layouts(path, blocks)


_FAULTS = ("delivered", "average_path", "growth", "shortest_growth", "tables", "entries")
_PCS = ("66b", "257b", "260b", "260b, flags counted", "260b, literal", "260b, protected")
_YEARS = {kind: dict.fromkeys(_PCS, 1.5e9) for kind in ("independent", "flags ignored", "flagged frames dropped")}

#: The values that are computed, in the form in which they are recorded.
COMPUTED = {
    **{
        f"dsn-{p}": {"nodes": 8 * 4**p, "average_degree": 5.0, "average_path": 4.0, "aspl": 3.5}
        | dict.fromkeys(("routing_diameter", "path_bound", "diameter"), 3 * p)
        for p in range(2, 7)
    },
    "faults": [[{"rate": rate, **dict.fromkeys(_FAULTS, 0.5)}] * 3 for rate in (0.01, 0.1, 0.2)],
    "link-mttfpa": {"before": [1e-6, 6e-8], "years": [_YEARS, _YEARS], "universe": 1.38e10},
    "rs-maps": {key: {"xors": 1000, "levels": 9} for key in ("parity", "syndromes")},
    "table-sizes": [{"network": "8 x 8"} | dict.fromkeys(COLUMNS, 7)],
}


class Invented(Store):
    """A store with figures of every block, and every computed value."""

    def of(self, block, library="model"):
        return figures(build(block) if isinstance(block, dict) else block, library)

    def value(self, name):
        return COMPUTED[name]


def speeds(path):
    """Write a file of invented speeds of simulations."""
    common = {"topology": "grid:8x8:k4x2", "switches": 512, "load": 0.2, "accepted": 0.1998, "memory": 210.5}
    rows = [
        {
            **common,
            "form": form,
            "threads": threads,
            "points": points,
            "cycles_per_second": speed,
            "one_thread": speed / 1.8 if threads > 1 else None,
            "instances": instances,
            "packets": instances and 1234,
        }
        for form, threads, points, speed, instances in (
            ("avx512", 1, 1, 18000.0, 230.0),
            ("generic", 1, 1, 9000.0, None),
            ("avx512", 1, 4, 17000.0, None),
            ("avx512", 2, 1, 30000.0, None),
        )
    ]
    switch = {"topology": "torus:4", "link": "light", "depth": 8, "switches": 4, "port_cycles": 2, "load": 0.1}
    start = {"luts": 26104, "flip_flops": 3880, "ram_bits": 8160, "cold": 31.4, "warm": 1.25}
    compared = [{**switch, "core": [0.0984, 10.5], "switch": [0.0983, 11.25]}]
    path.write_text(report(start, rows, compared, "network  torus\n\n  hops   2\n"))
