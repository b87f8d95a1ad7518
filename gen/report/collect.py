"""Everything that the report shows."""

from dataclasses import dataclass, field

from ..errors import UsageError
from ..figures.measured_set import LEVELS, SAMPLE, curves, nodes
from ..figures.refresh import measured
from ..synth.libraries import library
from ..synth.library import MODEL, Library
from ..synth.suite import baselines, peers, suite

__all__ = ["Evidence", "collect"]


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


def collect(store, clock, bar, real=True, levels=LEVELS, sample=SAMPLE):
    """Figures of everything: those of ``store`` that are current, the others measured.

    Parameters
    ----------
    store : Store
        Measured figures go there; its file stays as it is.
    clock : float
        MHz, for what is stated in ns.
    bar : callable
        ``bar(items, label)`` puts a progress bar around an iterable, as a context manager.
    real : bool
        Also in OSU 0.18 um, if it can be had.
    levels, sample : iterable of int
        P of the curves, and numbers of the nodes of 8 x 8 x 8 that averages are taken over.
    """
    found = Evidence(clock)

    def figures(blocks, cells=MODEL):
        return measured(store, blocks, bar, cells.name)

    found.suite = figures(suite())
    found.yardsticks = figures([*baselines(), *peers()])
    for name, blocks in curves(levels).items():
        setattr(found, name, dict(zip(blocks, figures(list(blocks.values())))))
    for name, blocks in nodes(sample).items():
        setattr(found, name, figures(blocks))
    if not real:
        found.without_real = "Not asked for."
        return found
    try:
        found.real_library = library("osu018")
    except UsageError as error:
        found.without_real = str(error)
    else:
        found.real = figures([*suite(), *baselines(), *peers()], found.real_library)
    return found
