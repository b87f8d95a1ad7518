"""Finds figures that are stale or missing, and measures them."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock

from dsnswitch.gen.config import build
from dsnswitch.lab.figures.computed import refresh_computed, stale_computed
from dsnswitch.lab.figures.fingerprint import block_sources, recipe_hash, rtl_hash
from dsnswitch.lab.figures.measured_set import VARIANTS, measured_set
from dsnswitch.lab.figures.store import plain
from dsnswitch.lab.synth.breakdown import breakdown
from dsnswitch.lab.synth.libraries import library
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.measure import design_of, measure_design, measure_source
from dsnswitch.lab.synth.suite import is_proved

__all__ = ["measured", "refresh", "stale", "stale_names"]

#: Results of :func:`measure_block` that are not recorded: long lists that no page states.
DROPPED = ("cells_by_type", "tried", "notes")


def stale(store, blocks, name, bar):
    """Blocks whose figures on the library called ``name`` are missing, or belong to another RTL or recipe.

    The RTL of a block is only made if the code that determines it has changed. ``bar(items, label)`` is a context manager for an
    iterator over ``items``, which may show progress.
    """
    found, asked, recipe = [], [], recipe_hash(name)
    for block in blocks:
        entry = store.blocks.get(name, {}).get(block.name)
        module, sources = block_sources(block)
        if entry is None or entry["recipe"] != recipe or not _describes(entry, block, name):
            found.append(block)
        elif store.sources.get(module) != sources:
            asked.append((block, entry["rtl"]))
    if asked:
        with bar(asked, "fingerprints") as items:
            found += [block for block, rtl in items if rtl_hash(design_of(block)) != rtl]
    return found


def measured(store, blocks, bar, name=MODEL.name, keep=False):
    """Figures of ``blocks`` on the library called ``name``, in their order.

    Stale figures are measured, two blocks at a time. ``keep`` writes the store after every block, so that an interrupted run can
    be resumed.
    """
    todo = stale(store, blocks, name, bar)
    if todo:
        _measure(store, todo, bar, library(name), keep)
    return [store.of(block, name) for block in blocks]


def _measure(store, blocks, bar, cells, keep):
    lock = Lock()

    def one(block):
        entry = _entry(block, cells)
        with lock:
            store.put(cells.name, entry)
            if keep:
                store.write()

    pool = ThreadPoolExecutor(2)
    try:
        jobs = [pool.submit(one, block) for block in blocks]
        with bar(jobs, f"{len(jobs)} blocks, {cells.name}") as waiting:
            for job in waiting:
                job.result()
    finally:
        pool.shutdown(cancel_futures=True)


def refresh(store, bar):
    """Measure and compute every stale figure of ``store``, and write it."""
    wanted = measured_set()
    for name, blocks in wanted.items():
        measured(store, blocks.values(), bar, name, keep=True)
    refresh_computed(store, bar)
    store.sources = dict(block_sources(block) for blocks in wanted.values() for block in blocks.values())
    store.blocks = {
        name: {known: entry for known, entry in store.blocks[name].items() if known in blocks}
        for name, blocks in wanted.items()
    }
    store.write()


def stale_names(store, bar):
    """A line for each figure that is missing or stale."""
    lines = []
    for name, blocks in measured_set().items():
        lines += [f"{block.name} ({name}): no current figures" for block in stale(store, blocks.values(), name, bar)]
    return lines + [f"{name}: no current figures" for name in stale_computed(store, bar)]


def _entry(block, cells):
    design = design_of(block)
    found = measure_design(design, cells, is_proved(block) and block.name not in _slow_to_prove())
    tried = {"period_cut": [], "period_whole": []}
    for name, one in found["tried"].items():
        cut = found["cut"] is not None and not name.endswith(" whole")
        tried["period_cut" if cut else "period_whole"].append(one["period"])
    found |= {name: min(periods, default=None) for name, periods in tried.items()}
    found |= {"rtl": rtl_hash(design), "recipe": recipe_hash(cells.name)}
    if _wants_parts(block, cells.name):
        found["parts"] = breakdown(design, measure_source, cells)
    return {key: value for key, value in found.items() if key not in DROPPED}


def _describes(entry, block, name):
    """Whether an entry has the parameters of the block, and the areas of its modules if they are wanted."""
    return entry["parameters"] == plain(block.parameters) and _wants_parts(block, name) == ("parts" in entry)


def _wants_parts(block, name):
    """Whether the figures of a block on the library called ``name`` state the areas of its modules."""
    return block.breakdown and name == MODEL.name


@cache
def _slow_to_prove():
    return {build(values).name for values in VARIANTS if values["block"].startswith("rs-")}
