"""Collects the figures that the report shows."""

from dataclasses import dataclass, field

from dsnswitch.lab.figures.refresh import LEVELS, SAMPLE, curves, measured, nodes
from dsnswitch.lab.synth.libraries import library
from dsnswitch.lab.synth.library import MODEL, Library
from dsnswitch.lab.synth.measure import baselines, peers, suite
from dsnswitch.net.messages import UsageError


@dataclass
class Evidence:
    """Figures (:func:`measure_block`) for each part of the report, with times at ``clock`` (MHz)."""

    clock: float
    suite: list = field(default_factory=list)
    yardsticks: list = field(default_factory=list)
    #: ``{curve: {P: figures}}`` of :func:`curves`.
    curves: dict = field(default_factory=dict)
    #: Specialised logic of 8 x 8 x 8 at the nodes of SAMPLE, and that of a torus at the same nodes.
    nodes: list = field(default_factory=list)
    places: list = field(default_factory=list)
    #: The suite and the baselines in real cells, and the library of these cells; or the reason why there are none.
    real: list = field(default_factory=list)
    real_library: Library | None = None
    without_real: str = ""


def collect(store, clock, bar, real=True, levels=LEVELS, sample=SAMPLE):
    """Collect all figures: those of ``store`` that are current; the others are measured.

    Parameters
    ----------
    store : Store
        New figures are added to the store; its file is not written.
    clock : float
        Clock in MHz for times in ns.
    bar : callable
        ``bar(items, label)`` is a context manager for an iterator over ``items``, which may show progress.
    real : bool
        Also measure in OSU 0.18 um, if these cells are available.
    levels, sample : iterable of int
        P of the curves, and numbers of the nodes of 8 x 8 x 8 over which averages are taken.
    """

    def figures(blocks, cells=MODEL):
        return measured(store, blocks, bar, cells.name)

    found = Evidence(clock, figures(suite()), figures([*baselines(), *peers()]))
    for name, blocks in curves(levels).items():
        found.curves[name] = dict(zip(blocks, figures(list(blocks.values()))))
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
