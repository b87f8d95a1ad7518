"""Figures that nobody measured, for tests of what is written with figures. They do not depend on the RTL of today."""

from hashlib import sha256

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from tools.figures.store import Store
from tools.layouts import DESIGNS, Layouts

__all__ = ["Invented", "figures", "layouts"]


def _numbers(text):
    """Numbers from 10 to 100, the same in every run."""
    seed = int(sha256(text.encode()).hexdigest(), 16)
    return [10 + (seed >> 16 * index) % 9_000 / 100 for index in range(8)]


def figures(block, library="model"):
    """Figures of a block, the same in every run: numbers from a hash of its name, and the latency that it states."""
    seed = int(sha256(f"{block.name} {library}".encode()).hexdigest(), 16)
    number = _numbers(f"{block.name} {library}")
    generic = {name: {"gates": 100 + index + seed % 900, "levels": 5 + seed % 7} for index, name in enumerate(GENERIC_MAPS)}
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
            name: {"number": 9, "area": number[6]} for name in ("arrival", "input_channel_0", "allocator", "crossbar_column_8")
        },
        "generic": generic,
        "luts": {"luts": seed % 8_000, "flip_flops": seed % 5_000, "rams": {"DP16KD": seed % 3} if seed % 3 else {}},
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


class Invented(Store):
    """A store with figures of every block."""

    def of(self, block, library="model"):
        return figures(build(block) if isinstance(block, dict) else block, library)
