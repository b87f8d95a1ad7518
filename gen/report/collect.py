"""Everything that the report shows, measured in one run."""

from dataclasses import dataclass, field

from ..config import build
from ..errors import UsageError
from ..synth.libraries import library
from ..synth.library import Library
from ..synth.measure import measure_all
from ..synth.passes import FULL
from ..synth.suite import BASELINES, PEERS, SUITE
from .tables import FLAT, LINEAR, MOST, direct_of, flat_of, ternary_of

__all__ = ["LEVELS", "Evidence", "collect", "table_of", "torus_of"]

#: log2 of the supernodes in a dimension, for the curves.
LEVELS = range(2, 9)

#: Nodes of 8 x 8 x 8 that the specialised average is taken over: every ninth, so that all coordinates and ids come up.
SAMPLE = range(3, 512, 9)


@dataclass
class Evidence:
    """Figures (:func:`~dsnswitch.gen.synth.measure.measure_block`) by what they are there for; times are at ``clock``."""

    clock: float
    suite: list = field(default_factory=list)
    yardsticks: list = field(default_factory=list)
    #: By P: universal, specialised (one node), table, torus of the same number of nodes.
    universal: dict = field(default_factory=dict)
    specialised: dict = field(default_factory=dict)
    tables: dict = field(default_factory=dict)
    tori: dict = field(default_factory=dict)
    #: By P: ternary tables that hold the algorithm's routes, ones with an entry a node, direct tables.
    ternary: dict = field(default_factory=dict)
    flat: dict = field(default_factory=dict)
    direct: dict = field(default_factory=dict)
    #: Specialised logic of 8 x 8 x 8, nodes of SAMPLE, and a torus's at the same places.
    nodes: list = field(default_factory=list)
    places: list = field(default_factory=list)
    #: The suite and the yardsticks in real cells, and those cells; or why not.
    real: list = field(default_factory=list)
    real_library: Library | None = None
    without_real: str = ""


def table_of(p):
    """The dissertation's table for P = p: ``m + 2 log`` entries and a key of the whole address (D 4.1.2)."""
    return build({"block": "baseline-tcam", "entries": 8 + 2 * p, "key": 2 * p + 3, "action": 4})


def torus_of(p):
    """A three-dimensional torus with the nodes of P = p, as near to a cube as powers of two allow."""
    bits = 2 * p + 3
    sizes = [1 << (bits + axis) // 3 for axis in (2, 1, 0)]
    return build({"block": "baseline-torus", "sizes": "x".join(map(str, sizes))})


def collect(clock, bar, real=True, effort=FULL):
    """Measure everything.

    Parameters
    ----------
    clock : float
        MHz, for what is stated in ns.
    bar : callable
        ``bar(items, label)`` puts a progress bar around an iterable, as a context manager.
    real : bool
        Also in OSU 0.18 um, if it can be had.
    effort : int
        Mapping scripts at most (:func:`~dsnswitch.gen.synth.recipe.run`).
    """
    found = Evidence(clock)
    found.suite = measure_all(SUITE, lambda items: bar(items, "suite"), prove=True, effort=effort)
    found.yardsticks = measure_all(
        [*BASELINES, *PEERS], lambda items: bar(items, "yardsticks"), prove=True, effort=effort
    )
    groups = {
        "universal": [build({"p": p}) for p in LEVELS],
        "specialised": [build({"p": p, "node": f"{(1 << p) - 3},{(1 << p) // 2 + 1},6"}) for p in LEVELS],
        "tables": [table_of(p) for p in LEVELS],
        "tori": [torus_of(p) for p in LEVELS],
        "ternary": [ternary_of(p) for p in LEVELS if p <= MOST],
        "flat": [flat_of(p) for p in FLAT],
        "direct": [direct_of(p) for p in LINEAR],
    }
    of = {"ternary": [p for p in LEVELS if p <= MOST], "flat": FLAT, "direct": LINEAR}
    known = {entry["name"]: entry for entry in found.suite + found.yardsticks}
    for name, blocks in groups.items():
        missing = [block for block in blocks if block.name not in known]
        measured = measure_all(missing, lambda items, name=name: bar(items, name), effort=effort)
        known |= {entry["name"]: entry for entry in measured}
        setattr(found, name, {p: known[block.name] for p, block in zip(of.get(name, LEVELS), blocks)})
    at = [f"{number >> 6},{number >> 3 & 7},{number & 7}" for number in SAMPLE]
    groups = {
        "nodes": [build({"p": 3, "node": place}) for place in at],
        "places": [build({"block": "baseline-torus", "sizes": "8x8x8", "node": place}) for place in at],
    }
    for name, blocks in groups.items():
        setattr(found, name, measure_all(blocks, lambda items, name=name: bar(items, name), effort=effort))
    if real:
        try:
            found.real_library = library("osu018")
        except UsageError as error:
            found.without_real = str(error)
        else:
            found.real = measure_all(
                [*SUITE, *BASELINES, *PEERS], lambda items: bar(items, "OSU 0.18 um"), found.real_library, prove=True
            )
    else:
        found.without_real = "Not asked for."
    return found
