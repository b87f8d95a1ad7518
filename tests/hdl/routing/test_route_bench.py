"""Emitted route logic against the golden model or its relation: every decision, walks, destinations out of range."""

import pytest

ALL = {"lanes": 16}
#: Port and class of every hop, and shortest paths of the golden model, which knows no rules.
BY_RELATION, SHORTEST, CHOICES = ({"against": name} for name in ("relation", "shortest", "choices"))
MINIMAL = {"routing": "minimal"}
ADAPTIVE = MINIMAL | {"adaptive": True}
DIGITS = ADAPTIVE | {"digits": True}
REGISTERED = {"register": True}

#: Network, options of the block, and how the bench asks. First degenerate and unusual networks that the definition allows.
CASES = [
    ("grid:8x8", {}, ALL),
    ("ring:7:ring-4:forward", {}, ALL),
    ("grid:4x2:k4x2:double", {"node": "3,1,6"}, {}),
    ("grid:3x2:cube-2", {}, {}),
    ("grid:5x4", REGISTERED, {}),
    ("grid:8x8", {"node": "3,5,7"}, {}),
    ("torus:6x4", REGISTERED, BY_RELATION | {"pairs": 4_000}),
    ("mesh:5x3x2", {}, BY_RELATION | {"pairs": 4_000}),
    ("hypercube:6", {}, BY_RELATION | {"pairs": 4_000}),
    ("grid:4x4", {}, BY_RELATION | {"pairs": 4_000}),
    ("ring:22:ring-6", {}, BY_RELATION | {"pairs": 4_000}),
    ("torus:5x3x2", {"node": "4,2,1"}, BY_RELATION),
    ("torus:5x3x2", {"routing": "bubble"}, BY_RELATION),
    ("mesh:5x3x2", {"node": "4,1,0"}, BY_RELATION),
    ("graph:tests/graphs/petersen.edges", {}, BY_RELATION),
    ("dsn-f:32", {}, BY_RELATION),
    ("grid:5x2", MINIMAL, BY_RELATION),
    ("grid:4x2:k4x2:double", MINIMAL, BY_RELATION),
    ("grid:3x3:ring-3", ADAPTIVE, BY_RELATION),
    # Both hops and every sign.
    ("ring:8:ring-4", DIGITS, CHOICES),
    ("grid:4x2:ring-3", DIGITS, CHOICES),
]
#: For `make regress`.
SAMPLED = ("grid:12x10", "grid:16x16", "grid:256x256", "grid:16x16:coc-4x4")
LARGE = ("grid:32x2", "grid:8x8:k4x2:double", "grid:32x32", "grid:64x64", "grid:128x128", "grid:4x4", "grid:2x2")
LARGE += ("ring:4096:ring-12", "ring:4095:ring-64", "grid:1000x777:coc-8x8")
LONG = [
    *(
        (name, {}, ALL)
        for name in ("ring:7:ring-4", "ring:16:ring-4", "ring:13:ring-4", "ring:100:ring-7", "grid:5x7", "grid:1x16")
    ),
    *(
        (name, {}, {})
        for name in ("ring:2:ring-1", "ring:1:ring-5", "ring:3:ring-2", "grid:3x2:ring-2", "ring:12:k4x2", "ring:16:k4x2:double")
    ),
    ("grid:3x5:coc-3x2:forward", {}, {}),
    ("grid:12x10", REGISTERED | {"node": "11,0,4"}, {}),
    *((name, {}, {"pairs": 50_000}) for name in SAMPLED + LARGE),
    *((name, {}, ALL) for name in ("grid:12x10", "grid:32x2", "grid:4x4:coc-4x4")),
    *(
        (name, {}, BY_RELATION)
        for name in ("torus:5x3x2", "torus:6x4", "mesh:5x3x2", "grid:4x4", "ring:22:ring-6", "ring:8:ring-4")
    ),
    ("mesh:8x8", REGISTERED, BY_RELATION),
    ("mesh:8x8", {"node": "0,7"}, BY_RELATION),
    ("hypercube:4", {"node": "1,0,1,1"}, BY_RELATION),
    ("graph:examples/net.graphml", {"node": "b2"}, BY_RELATION),
    *((name, {}, BY_RELATION | ALL) for name in ("torus:4x4x4", "grid:8x8", "ring:100:ring-7", "ring:32:k4x2")),
    *((name, {}, BY_RELATION | ALL | {"pairs": 20_000}) for name in ("torus:8x8x8", "grid:32x32", "grid:16x16:coc-4x4")),
    ("dsn-f:32", REGISTERED, BY_RELATION),
    ("dsn-f:32", {"node": "1,2,1"}, BY_RELATION),
    *((f"dsn-f:{n}", {}, BY_RELATION) for n in (24, 100)),
    *((name, MINIMAL, BY_RELATION) for name in ("grid:5x4", "grid:4x3:coc-3x2", "ring:7:ring-4:forward")),
    ("grid:4x5:k4x2:double", MINIMAL | {"node": "3,4,6"}, BY_RELATION),
    ("grid:4x2:k4x2:double", ADAPTIVE, BY_RELATION),
    ("ring:13:ring-4", MINIMAL | REGISTERED, BY_RELATION),
    ("grid:4x5", MINIMAL | {"node": "3,4,2"}, BY_RELATION),
    *((name, MINIMAL, SHORTEST) for name in ("ring:13:ring-4", "grid:8x8", "grid:8x8:k4x2:double")),
    ("grid:8x8", ADAPTIVE, SHORTEST | {"pairs": 8_000}),
    ("ring:8:ring-4", ADAPTIVE, CHOICES),
    *((name, DIGITS, CHOICES | {"pairs": 400}) for name in ("grid:8x8", "grid:8x8:k4x2:double")),
    ("grid:8x8", MINIMAL, BY_RELATION | ALL),
    *((f"grid:{size}", MINIMAL, BY_RELATION | {"pairs": 20_000}) for size in ("8x16", "16x16", "11x13", "32x2", "64x1")),
    ("grid:8x8:k4x2:double", MINIMAL, BY_RELATION | {"pairs": 20_000}),
    *(
        (f"ring:{n}:ring-{max((n - 1).bit_length(), 2)}{way}", {}, {})
        for n in (*range(2, 10), 15, 16, 17, 31, 33)
        for way in ("", ":forward")
    ),
]
#: Networks, and most hops of a path.
MANIFESTS = [("ring:13:ring-4", REGISTERED, 10)]
LONG_MANIFESTS = [("grid:8x8", {}, 14), ("grid:5x7:coc-4x4", {}, 14), ("grid:1x16", {}, 14)]


def named(*case, **more):
    """A case that is named by the network and how it is routed and asked."""
    words = (f"{name}={value}" for part in case[1:] if isinstance(part, dict) for name, value in part.items())
    return pytest.param(*case, id="-".join([case[0], *words]), **more)


def cases(quick, long):
    """Parameters of a test."""
    return [named(*case) for case in quick] + [named(*case, marks=pytest.mark.regress) for case in long]


@pytest.mark.parametrize(("topology", "values", "how"), cases(CASES, LONG))
def test_route(lab, root, topology, values, how):
    values = {"topology": topology.replace("graph:", f"graph:{root}/"), **values}
    assert lab.bench("route_bench", values, **how) == 2


@pytest.mark.parametrize(("topology", "values", "limit"), cases(MANIFESTS, LONG_MANIFESTS))
def test_manifest_is_enough(lab, topology, values, limit):
    """A bench delivers packets with no information but the manifest."""
    assert lab.bench("manifest_bench", {"topology": topology, **values}, walks=200, limit=limit) == 1
