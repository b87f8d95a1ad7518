"""Figures of a block: the results of the recipe, and latency and throughput from the manifest."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog.convert import finished, plain
from dsnswitch.gen.emit.verilog.hierarchy import hierarchical_rtlil
from dsnswitch.gen.emit.verilog.library import Library
from dsnswitch.gen.emit.verilog.parse import parse
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.passes import FULL
from dsnswitch.lab.synth.recipe import synthesize
from dsnswitch.lab.synth.source import Source
from dsnswitch.lab.synth.suite import is_proved

__all__ = ["Design", "design_of", "measure_all", "measure_block", "measure_design", "measure_source", "measure_verilog"]

#: Roles of inputs that have settled before a packet arrives, in addition to the straps.
SETTLED = ("table-write",)


def measure_all(blocks, bar, library=MODEL, prove=False, effort=FULL, watch=None):
    """Figures of ``blocks``, in order. Two blocks are measured at a time. ``bar`` puts a progress bar around an iterable.

    With ``prove`` None, every netlist is proved that the solver decides (:func:`is_proved`).
    ``watch`` is called with the name of each stage of a single block.
    """
    more = {"watch": watch} if watch and len(blocks) == 1 else {}
    with ThreadPoolExecutor(2) as pool:
        proofs = [is_proved(block) if prove is None else prove for block in blocks]
        jobs = [
            pool.submit(measure_block, block, library, proof, effort, **more) for block, proof in zip(blocks, proofs)
        ]
        with bar(jobs) as waiting:
            return [job.result() for job in waiting]


def measure_block(block, library=MODEL, prove=False, effort=FULL, **more):
    """Figures of ``block`` (a configured :class:`Block`) as a dictionary."""
    return measure_design(design_of(block), library, prove, effort, **more)


@dataclass(frozen=True)
class Design:
    """A block in the form in which it is measured.

    Attributes
    ----------
    rtlil : str
        The RTLIL that Amaranth writes. Figures are valid as long as it does not change.
    library : Library
        Names of the modules and of their ports, for the Verilog.
    about : dict
        The manifest.
    settled : tuple of str
        Inputs that have settled before a packet arrives.
    """

    rtlil: str
    library: Library
    about: dict
    settled: tuple

    def verilog(self):
        """The emitted Verilog. This text is measured, because passes that write it restructure small parts of the logic."""
        return finished(parse(plain(self.rtlil)), self.library, ())


def design_of(block):
    """The :class:`Design` of a configured block."""
    component = block.component()
    about = manifest(block, component, {})
    settled = [port["name"] for port in about["ports"] if port["static"] or port["role"] in SETTLED]
    library = Library(block.name)
    return Design(hierarchical_rtlil(component, block.name, library), library, about, tuple(settled))


def measure_design(design, library=MODEL, prove=False, effort=FULL, **more):
    """Figures of a :class:`Design`, as a dictionary."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "design.v")
        path.write_text(design.verilog(), encoding="utf-8")
        figures = measure_source(Source((path,), design.about["top"], design.settled), library, prove, effort, **more)
    keys = ("block", "parameters", "latency_cycles", "results_per_cycle")
    return figures | {key: design.about[key] for key in keys}


def measure_verilog(path, top, straps=(), library=MODEL, prove=False, effort=FULL):
    """Figures of module ``top`` of the file ``path``, measured by the same recipe."""
    return measure_source(Source((path,), top, tuple(straps)), library, prove, effort)


def measure_source(source, library=MODEL, prove=False, effort=FULL, **more):
    """Figures of any :class:`Source`, measured by the same recipe. The latency is unknown, so it is None."""
    found = synthesize(source, library, prove, effort, **more)
    reported = (
        "gates",
        "levels",
        "generic",
        "flip_flops",
        "memory_bits",
        "resets",
        "area",
        "static_area",
        "delay",
        "delay_all",
        "paths",
    )
    reported += ("period", "delay_opensta", "map", "cut", "tried", "netlist_hash", "equivalent", "notes")
    return {
        "name": source.top,
        "block": None,
        "parameters": source.parameters or None,
        "latency_cycles": None,
        "results_per_cycle": None,
        "cells": sum(found["cells"].values()),
        "cells_by_type": found["cells"],
        **{key: found[key] for key in reported},
    }
