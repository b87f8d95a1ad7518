"""The blocks that budgets bound, ``dsnswitch synth --all`` measures and the report shows.

They are built when they are first asked for: a block with near-minimal routing takes seconds.
"""

from functools import cache

from dsnswitch.gen.config import build
from dsnswitch.hdl.baseline.secded import CONSTRUCTIONS
from dsnswitch.hdl.pcs.pcs260.tx import FORMATS

__all__ = ["baselines", "is_proved", "peers", "suite"]

_SUITE = (
    *({"p": p} for p in (2, 3, 4, 8)),
    {"p": 3, "register": True},
    {"p": 3, "node": "3,5,7"},
    {"p": 4, "node": "9,6,1"},
    {"block": "secded-encoder", "n": 270, "k": 260},
    {"x": 12, "y": 10},
    {"topology": "ring", "n": 36},
    {"x": 16, "y": 16, "supernode": "coc-4x4"},
    *({"p": p, "routing": routing} for routing in ("near-minimal", "detour") for p in (3, 4)),
    {"max_p": 3},
    {"max_p": 5},
    *(
        {**values, "straps": "registered"}
        for values in ({"p": 3}, {"p": 4}, {"max_p": 3}, {"p": 3, "routing": "detour"})
    ),
    {"topology": "dsn-f:160"},
    {"block": "table-ternary", "entries": 6, "key": 5, "action": 3},
    {"block": "secded-decoder", "n": 270, "k": 260},
    *({"block": f"secded-{side}", "n": 270, "k": 260, "stages": 1} for side in ("encoder", "decoder")),
    *({"block": f"secded-{side}", "n": n, "k": k} for n, k in ((72, 64), (39, 32)) for side in ("encoder", "decoder")),
    *({"block": f"pcs{width}-{way}"} for width in (66, 257) for way in ("tx", "rx")),
    *({"block": f"pcs260-{way}", "format": layout} for layout in FORMATS for way in ("tx", "rx")),
    {"block": "gearbox", "from": 257, "to": 160, "group": 5140},
    {"block": "gearbox", "from": 160, "to": 257, "group": 5140},
    {"block": "rs-encoder", "code": "rs-528-514"},
    {"block": "rs-encoder", "code": "rs-255-239"},
    {"block": "rs-encoder", "code": "rs-255-239", "symbols": 1},
    {"block": "rs-decoder", "code": "rs-528-514"},
    *({"block": f"mii257-{way}"} for way in ("tx", "rx")),
    *({"block": f"strict-link-{way}"} for way in ("tx", "rx")),
    *({"block": f"selected-link-{way}"} for way in ("tx", "rx")),
    {"block": "light-link-tx"},
    {"block": "light-link-rx"},
    {"block": "table-ternary", "entries": 16, "key": 9, "action": 4},
    {"block": "table-ternary", "entries": 16, "key": 9, "action": 4, "stages": 2},
    {"block": "table-direct", "words": 512, "action": 4},
    {"block": "forwarding", "p": 3, "entries": 18},
    {"block": "switch-core", "p": 3},
    *({"block": "fabric-port", "p": 3, "port": "x_forward", **more} for more in ({}, {"retry": True})),
    *({"block": "fabric-port", "p": 3, "port": "x_forward", "link": link} for link in ("strict", "selected")),
    # A whole switch with one line and one host: it has every path across the border of core and fabric port.
    {"block": "switch", "topology": "torus:2", "apb": False},
)

#: Blocks for which the solver ends without a verdict. Benches simulate the RTL only.
#: 2026-11-22: the codeword of the fabric port is a sum of XOR networks of up to 270 inputs, which the mapper restructures.
_UNPROVED = frozenset({"fabric-port", "switch"})

_BASELINES = (
    {"block": "baseline-torus", "sizes": "8x8"},
    {"block": "baseline-torus", "sizes": "8x8x8"},
    {"block": "baseline-torus", "sizes": "8x8x8", "node": "3,5,7"},
    {"block": "baseline-tcam", "entries": 14, "key": 9, "action": 4},
    {"block": "baseline-tcam", "entries": 16, "key": 11, "action": 4},
)


def is_proved(block):
    """Whether the netlist of ``block`` is proved equal to its RTL when it is measured."""
    return block.block not in _UNPROVED


@cache
def suite():
    """Every measured configuration of this project's own blocks."""
    return tuple(map(build, _SUITE))


@cache
def baselines():
    """Baselines: 8 x 8 x 8 torus and 8 x 8 torus, universal and at a node, and the dissertation's tables.

    The tables have the number of entries of D 4.1.2, m + 2 log N, rounded for N = 512 and N = 2048. The key is the whole address.
    """
    return tuple(map(build, _BASELINES))


@cache
def peers():
    """SECDED codecs as public generators write them, measured by the same scripts as this project's."""
    return tuple(
        build({"block": f"baseline-secded-{side}", "n": 270, "k": 260, "construction": construction})
        for construction in CONSTRUCTIONS
        for side in ("encoder", "decoder")
    )
