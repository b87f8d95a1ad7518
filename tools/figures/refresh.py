"""The measured blocks: suite, baselines, routing logic and tables by the size of the network, variants that pages state.

Figures that are stale or missing are found and measured.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.fpga import map_only
from dsnswitch.lab.synth.library import MODEL, library
from dsnswitch.lab.synth.measure import (
    CORE,
    ROUTE,
    SWITCH,
    baselines,
    breakdown,
    design_of,
    is_proved,
    measure_design,
    peers,
    suite,
)
from dsnswitch.net.messages import unwatched
from dsnswitch.net.tables.formulas import compile_node, sampled_nodes
from dsnswitch.net.topology.registry import parse_network
from tools.figures.fingerprint import block_sources, recipe_hash, rtl_hash
from tools.figures.kept import Kept
from tools.figures.store import plain

#: P of the tables by size: log2 of the number of supernodes in a dimension.
LEVELS = range(2, 7)

#: Numbers of the 19 nodes of 8 x 8 x 8 over which averages are taken. Every coordinate and every id occurs among them.
SAMPLE = range(3, 512, 27)

_RS = {"code": "rs-528-514"}

_SMALL = {"block": "switch-core", "topology": "torus:8x8", "flit": 64}


def _virtual_networks(core, numbers):
    """Cores with as many virtual networks, which have the same storage. Packets are of up to 16 flits."""
    return {number: core | {"packet": 16, "depth": 64 // number, "virtual_networks": number} for number in numbers}


#: Cores by the number of their virtual networks. One with nine ports and four of them takes hours.
VIRTUAL_NETWORKS = {"nine ports": _virtual_networks(CORE, (1, 2)), "torus of 64-bit flits": _virtual_networks(_SMALL, (1, 2, 4))}

#: Cores with direct tables and as many turn classes.
BY_TABLE = {classes: CORE | {"lookup": "table", "kind": "direct", "classes": classes} for classes in (1, 3)}

#: Blocks outside the suite whose figures pages state. Proofs of the large ones take too long.
VARIANTS = (
    {"block": "gearbox", "from": 270, "to": 160},
    {"block": "forwarding", "p": 3, "entries": 16, "keys": "folded"},
    {"block": "rs-decoder", **_RS, "unroll": 2},
    *({"block": f"rs-{side}", "code": "rs-544-514"} for side in ("encoder", "decoder")),
    {"block": "rs-decoder", "code": "rs-255-239"},
    *(of for some in VIRTUAL_NETWORKS.values() for of in some.values()),
    *BY_TABLE.values(),
)


@cache
def entries_of(p):
    """Number of entries that a table in every switch must have: the maximum over the sampled nodes, for absolute keys."""
    dsn = parse_network(f"grid:{1 << p}x{1 << p}")
    return max(len(compile_node(dsn, node).entries) for node in sampled_nodes(dsn))


def table_of(p):
    """The dissertation's table for P = p: ``m + 2 log`` entries with the whole address as key (D 4.1.2)."""
    return build({"block": "baseline-tcam", "entries": 8 + 2 * p, "key": 2 * p + 3, "action": 4})


def routes_of(p):
    """A ternary table that contains the routes of the algorithm for P = p."""
    return build({"block": "table-ternary", "entries": entries_of(p), "key": 2 * p + 3, "action": 4})


def torus_of(p):
    """A three-dimensional torus with as many nodes as P = p has, as close to a cube as powers of two allow."""
    bits = 2 * p + 3
    sizes = [1 << (bits + axis) // 3 for axis in (2, 1, 0)]
    return build({"block": "baseline-torus", "sizes": "x".join(map(str, sizes))})


#: Blocks whose delay in real cells docs/figures.md states, by their names there.
REAL = {
    "routing logic, 512 switches": build({"p": 3}),
    "ternary table of the dissertation's size": table_of(3),
    "routing logic, 2,048 switches": build({"p": 4}),
    "ternary table of the dissertation's size, 2,048 switches": table_of(4),
    "RS(528,514) encoder, without flip-flops": build({"block": "rs-encoder", **_RS}),
    "RS(528,514) decoder, without flip-flops": build({"block": "rs-decoder", **_RS}),
}


def curves(levels=LEVELS):
    """``{curve: {p: block}}``: universal logic, that of one switch, the dissertation's table, a table of the same routes."""
    return {
        "universal": {p: build({"p": p}) for p in levels},
        "specialised": {p: build({"p": p, "node": f"{(1 << p) - 3},{(1 << p) // 2 + 1},6"}) for p in levels},
        "tables": {p: table_of(p) for p in levels},
        "ternary": {p: routes_of(p) for p in levels},
    }


def nodes(sample=SAMPLE):
    """Logic of single switches of 8 x 8 x 8 and of a torus, at the nodes of ``sample``."""
    at = [f"{number >> 6},{number >> 3 & 7},{number & 7}" for number in sample]
    return {
        "DSN": [build({"p": 3, "node": place}) for place in at],
        "torus 8 x 8 x 8": [build({"block": "baseline-torus", "sizes": "8x8x8", "node": place}) for place in at],
    }


@cache
def measured_set():
    """Every block whose figures appear in the pages: ``{library: {name of the block: block}}``."""
    blocks = [*suite(), *baselines(), *peers(), *map(build, VARIANTS)]
    blocks += [block for found in curves().values() for block in found.values()]
    blocks += [block for found in nodes().values() for block in found]
    real = REAL.values()
    return {MODEL.name: {block.name: block for block in blocks}, "osu018": {block.name: block for block in real}}


#: Blocks that are mapped to LUTs, too, by their names in docs/figures.md.
ON_FPGA = {"routing logic, 512 switches": ROUTE, "switch core, 9 ports": CORE, "switch of one line and one host": SWITCH}

#: Results of :func:`measure_block` that are not recorded: long lists that no page states.
DROPPED = ("cells_by_type", "tried", "notes")


def stale(store, blocks, name, bar=unwatched, kept=None):
    """Blocks whose figures on the library called ``name`` are missing, or belong to another RTL or recipe.

    The RTL of a block is only made if the code that determines it has changed, and its hash is not ``kept`` (:class:`Kept`).
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
        kept = kept or Kept()
        found += [block for block, rtl in bar(asked, "fingerprints") if block_rtl(block, kept) != rtl]
    return found


def block_rtl(block, kept):
    """Hash of the RTL of a block, which is made unless it is ``kept`` (:class:`Kept`)."""
    key = f"{block.name} {plain(block.parameters)} {block_sources(block)[1]}"
    return kept.of(key, lambda: rtl_hash(design_of(block)))


def measured(store, blocks, bar=unwatched, name=MODEL.name, keep=False):
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
        for job in bar(jobs, f"{len(jobs)} blocks, {cells.name}"):
            job.result()
    finally:
        pool.shutdown(cancel_futures=True)


def refresh(store, bar):
    """Measure every stale figure of ``store``, and write it."""
    wanted = measured_set()
    for name, blocks in wanted.items():
        measured(store, blocks.values(), bar, name, keep=True)
    store.sources = dict(block_sources(block) for blocks in wanted.values() for block in blocks.values())
    store.blocks = {
        name: {known: entry for known, entry in store.blocks[name].items() if known in blocks} for name, blocks in wanted.items()
    }
    store.write()


def stale_names(store, bar, kept):
    """A line for each figure that is missing or stale. ``kept`` (:class:`Kept`) has what an earlier check found."""
    lines = []
    for name, blocks in measured_set().items():
        for block in stale(store, blocks.values(), name, bar, kept):
            known = block.name in store.blocks.get(name, {})
            lines.append(f"{block.name} ({name}): {'measured from other Verilog or another recipe' if known else 'not measured'}")
    return lines


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
        found["parts"] = breakdown(design, cells)
    if _wants_luts(block, cells.name):
        found["luts"] = luts(block)
    return {key: value for key, value in found.items() if key not in DROPPED}


def _describes(entry, block, name):
    """Whether an entry has the parameters of the block, and the areas of its modules and its LUTs if they are wanted."""
    wanted = {"parts": _wants_parts(block, name), "luts": _wants_luts(block, name)}
    return entry["parameters"] == plain(block.parameters) and all(one == (key in entry) for key, one in wanted.items())


def _wants_parts(block, name):
    """Whether the figures of a block on the library called ``name`` state the areas of its modules."""
    return block.breakdown and name == MODEL.name


def luts(block):
    """LUTs, flip-flops and RAM cells of a block on an ECP5, without placing it."""
    found = map_only(block)
    return {key: found[key] for key in ("luts", "flip_flops", "rams")}


@cache
def _names_on_fpga():
    return {build(values).name for values in ON_FPGA.values()}


def _wants_luts(block, name):
    """Whether the figures of a block on the library called ``name`` state its LUTs."""
    return name == MODEL.name and block.name in _names_on_fpga()


@cache
def _slow_to_prove():
    return {build(values).name for values in VARIANTS if values["block"].startswith("rs-")}
