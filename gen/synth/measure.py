"""Figures of a block: what the recipe gives, with what the manifest knows (latency, throughput)."""

import tempfile
from concurrent.futures import ThreadPoolExecutor

from ..emit import emit
from .library import MODEL
from .passes import FULL
from .recipe import run

__all__ = ["measure_all", "measure_block", "measure_verilog"]

#: Roles of inputs that have settled when a packet comes, beside the straps.
SETTLED = ("table-write",)


def measure_all(blocks, bar, library=MODEL, prove=False, effort=FULL):
    """Figures of each of ``blocks``, in their order, two at a time; ``bar`` puts a progress bar around an iterable."""
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(measure_block, block, library, prove, effort) for block in blocks]
        with bar(jobs) as waiting:
            return [job.result() for job in waiting]


def measure_block(block, library=MODEL, prove=False, effort=FULL):
    """Figures of ``block`` (a configured :class:`~dsnswitch.gen.blocks.Block`), as a dictionary."""
    with tempfile.TemporaryDirectory() as folder:
        manifest, paths = emit(block, folder)
        settled = [port["name"] for port in manifest["ports"] if port["static"] or port["role"] in SETTLED]
        figures = measure_verilog(paths["verilog"], block.name, settled, library, prove, effort)
    told = ("block", "parameters", "latency_cycles", "results_per_cycle")
    return figures | {key: manifest[key] for key in told}


def measure_verilog(path, top, straps=(), library=MODEL, prove=False, effort=FULL):
    """Figures of any Verilog top, by the same recipe. Latency is not known: None."""
    found = run(path, top, straps, library, prove, effort)
    return {
        "name": top,
        "block": None,
        "parameters": None,
        "latency_cycles": None,
        "results_per_cycle": None,
        **{
            key: found[key]
            for key in ("gates", "levels", "flip_flops", "memory_bits", "area", "static_area", "delay", "delay_all")
        },
        "cells": sum(found["cells"].values()),
        "cells_by_type": found["cells"],
        **{
            key: found[key]
            for key in ("paths", "period", "delay_opensta", "map", "tried", "netlist_hash", "equivalent")
        },
    }
