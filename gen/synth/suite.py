"""The whole set: what the budgets hold, ``dsnswitch synth --all`` measures and the report shows."""

from ...hdl.pcs.pcs260 import FORMATS
from ..config import build

__all__ = ["BASELINES", "LARGE", "QUICK", "SUITE"]

_CONFIGURATIONS = (
    *({"p": p} for p in (2, 3, 4, 8)),
    {"p": 3, "register": True},
    {"p": 3, "node": "3,5,7"},
    {"p": 4, "node": "9,6,1"},
    {"x": 12, "y": 10},
    {"topology": "ring", "n": 36},
    {"x": 16, "y": 16, "supernode": "coc-4x4"},
    *(
        {"block": f"secded-{block}", "n": n, "k": k, "stages": stages}
        for n, k in ((270, 260), (72, 64), (39, 32))
        for block in ("encoder", "decoder")
        for stages in ((0, 1) if n == 270 else (0,))
    ),
    *({"block": f"pcs{width}-{way}"} for width in (66, 257) for way in ("tx", "rx")),
)
_LARGE = (
    *({"block": f"pcs260-{way}", "format": layout} for layout in FORMATS for way in ("tx", "rx")),
    {"block": "light-link-tx"},
    {"block": "light-link-rx"},
)

#: What `make test` measures, and what takes longer.
QUICK, LARGE = (tuple(map(build, configurations)) for configurations in (_CONFIGURATIONS, _LARGE))

#: Every measured configuration of this project's own blocks.
SUITE = QUICK + LARGE

#: Yardsticks: 8 x 8 x 8 torus and 8 x 8 torus, universal and at a node; tables with the entries of D 4.1.2, m + 2 log N
#: rounded to what N = 512 and N = 2048 need, and a key of the address.
BASELINES = tuple(
    map(
        build,
        (
            {"block": "baseline-torus", "sizes": "8x8"},
            {"block": "baseline-torus", "sizes": "8x8x8"},
            {"block": "baseline-torus", "sizes": "8x8x8", "node": "3,5,7"},
            {"block": "baseline-tcam", "entries": 14, "key": 9, "action": 4},
            {"block": "baseline-tcam", "entries": 16, "key": 11, "action": 4},
        ),
    )
)
