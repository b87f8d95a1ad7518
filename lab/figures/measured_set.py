"""The blocks that are measured: suite, baselines, curves against the size of the network, and variants that pages mention."""

from functools import cache

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.suite import baselines, peers, suite
from dsnswitch.net.tables.dsn import compile_node
from dsnswitch.net.tables.sizes import sampled_nodes
from dsnswitch.net.topology.dsn import grid

__all__ = [
    "FLAT",
    "LEVELS",
    "LINEAR",
    "MOST",
    "SAMPLE",
    "VARIANTS",
    "curves",
    "entries_of",
    "measured_set",
    "nodes",
    "table_of",
    "torus_of",
]

#: P of the curves: log2 of the number of supernodes in a dimension.
LEVELS = range(2, 9)

#: Largest P at which ternary tables are measured: N = 32,768.
MOST = 6

#: P of the flat tables, which have one entry per node, in flip-flops. Mapping 512 entries takes half an hour.
FLAT = range(2, 3)

#: P of the direct tables. A smaller table would be measured as flip-flops.
LINEAR = range(3, 7)

#: Numbers of the 19 nodes of 8 x 8 x 8 over which averages are taken. Every coordinate and every id occurs among them.
SAMPLE = range(3, 512, 27)

_RS = {"code": "rs-528-514"}

#: Blocks outside the suite whose figures pages state. Proofs of the large ones take too long.
VARIANTS = (
    {"block": "gearbox", "from": 270, "to": 160},
    {"block": "forwarding", "p": 3, "entries": 16, "keys": "folded"},
    {"block": "rs-decoder", **_RS, "unroll": 2},
    *({"block": f"rs-{side}", "code": "rs-544-514"} for side in ("encoder", "decoder")),
    {"block": "rs-decoder", "code": "rs-255-239"},
)

#: Blocks whose figures in real cells pages state.
_REAL = (
    {"p": 3},
    {"p": 4},
    {"block": "rs-encoder", **_RS},
    {"block": "rs-decoder", **_RS},
)


@cache
def entries_of(p):
    """Number of entries that a table in every switch must have: the maximum over the sampled nodes, for absolute keys."""
    dsn = grid(1 << p, 1 << p)
    return max(len(compile_node(dsn, node).entries) for node in sampled_nodes(dsn))


def table_of(p):
    """The dissertation's table for P = p: ``m + 2 log`` entries with the whole address as key (D 4.1.2)."""
    return build({"block": "baseline-tcam", "entries": 8 + 2 * p, "key": 2 * p + 3, "action": 4})


def torus_of(p):
    """A three-dimensional torus with as many nodes as P = p has, as close to a cube as powers of two allow."""
    bits = 2 * p + 3
    sizes = [1 << (bits + axis) // 3 for axis in (2, 1, 0)]
    return build({"block": "baseline-torus", "sizes": "x".join(map(str, sizes))})


def _ternary_of(p):
    return build({"block": "table-ternary", "entries": entries_of(p), "key": 2 * p + 3, "action": 4})


def _flat_of(p):
    return build({"block": "table-ternary", "entries": 8 * 4**p, "key": 2 * p + 3, "action": 4})


def _direct_of(p):
    return build({"block": "table-direct", "words": 8 * 4**p, "action": 4})


def curves(levels=LEVELS):
    """Blocks of the curves against the size of the network: ``{curve: {p: block}}``.

    ``universal`` and ``specialised`` (one node's) logic; ``tables`` of the dissertation's size; ``tori``; ``ternary`` tables that
    contain the algorithm's routes; ``flat`` tables with an entry per node; ``direct`` tables with a word per node in RAM.
    """
    return {
        "universal": {p: build({"p": p}) for p in levels},
        "specialised": {p: build({"p": p, "node": f"{(1 << p) - 3},{(1 << p) // 2 + 1},6"}) for p in levels},
        "tables": {p: table_of(p) for p in levels},
        "tori": {p: torus_of(p) for p in levels},
        "ternary": {p: _ternary_of(p) for p in levels if p <= MOST},
        "flat": {p: _flat_of(p) for p in levels if p in FLAT},
        "direct": {p: _direct_of(p) for p in levels if p in LINEAR},
    }


def nodes(sample=SAMPLE):
    """Specialised logic of 8 x 8 x 8 and of a torus at the nodes of ``sample``, under the keys ``nodes`` and ``places``."""
    at = [f"{number >> 6},{number >> 3 & 7},{number & 7}" for number in sample]
    return {
        "nodes": [build({"p": 3, "node": place}) for place in at],
        "places": [build({"block": "baseline-torus", "sizes": "8x8x8", "node": place}) for place in at],
    }


@cache
def measured_set():
    """Every block whose figures appear in the pages and the report: ``{library: {name of the block: block}}``."""
    blocks = [*suite(), *baselines(), *peers(), *map(build, VARIANTS)]
    blocks += [block for found in curves().values() for block in found.values()]
    blocks += [block for found in nodes().values() for block in found]
    real = [*map(build, _REAL), table_of(3), table_of(4)]
    return {
        MODEL.name: {block.name: block for block in blocks},
        "osu018": {block.name: block for block in real},
    }
