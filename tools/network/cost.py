"""What the cores of an experiment cost: gates, and bits of RAM."""

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.measure import breakdown, design_of
from dsnswitch.net.messages import unwatched
from tools.figures.fingerprint import recipe_hash, rtl_hash

__all__ = ["FLIT", "cost"]

#: Bits of the flits of a core that is measured. Simulations have narrower ones.
FLIT = 256


def cost(core, known=None, bar=unwatched):
    """The cost of a core: ``area`` in GE and ``memory_bits``, sums over its modules, which are mapped alone, and a fingerprint.

    ``core`` has the values of a ``switch-core``. ``known`` is the cost that was recorded last; it is returned if neither the RTL
    nor the recipe has changed. ``bar(items, label)`` returns an iterator over ``items``.
    """
    design = design_of(build({"block": "switch-core", **core, "flit": FLIT}))
    fingerprint = {"rtl": rtl_hash(design), "recipe": recipe_hash(MODEL.name)}
    if known and fingerprint.items() <= known.items():
        return known
    parts = breakdown(design, bar=bar).values()
    sums = {key: round(sum(part["number"] * part[key] for part in parts)) for key in ("area", "memory_bits")}
    return sums | fingerprint
