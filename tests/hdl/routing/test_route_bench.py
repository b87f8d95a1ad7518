"""Emitted Verilog of the route logic against the golden model, with cocotb: decisions, walks, destinations out of range."""

import pytest

GRID_512 = {"topology": "grid", "p": 3}
ALL_PAIRS = [
    pytest.param(GRID_512, id="8x8x8"),
    pytest.param({"topology": "ring", "n": 7, "m": 4, "directions": "forward"}, id="ring-7-4-forward"),
    pytest.param({"topology": "ring", "n": 7, "m": 4}, id="ring-7-4", marks=pytest.mark.regress),
    pytest.param({"topology": "ring", "n": 16, "m": 4}, id="ring-16-4", marks=pytest.mark.regress),
    pytest.param({"topology": "ring", "n": 13, "m": 4}, id="ring-13-4", marks=pytest.mark.regress),
    pytest.param({"topology": "ring", "n": 100, "m": 7}, id="ring-100-7", marks=pytest.mark.regress),
    pytest.param({"topology": "grid", "x": 5, "y": 7}, id="5x7", marks=pytest.mark.regress),
    pytest.param({"topology": "grid", "x": 1, "y": 16}, id="1x16", marks=pytest.mark.regress),
]
# Degenerate and unusual networks that the definition allows.
CORNERS = [
    pytest.param({"topology": "ring", "n": 2, "m": 1}, id="two-nodes"),
    pytest.param({"topology": "ring", "n": 1, "m": 5}, id="one-supernode"),
    pytest.param({"topology": "ring", "n": 3, "m": 2}, id="level-p-on-id-0"),
    pytest.param({"topology": "grid", "x": 3, "y": 2, "m": 2}, id="grid-of-rings"),
    pytest.param({"topology": "ring", "n": 12, "supernode": "k4x2"}, id="ring-of-k4x2"),
    pytest.param({"topology": "ring", "n": 16, "supernode": "k4x2:double"}, id="two-sets"),
    pytest.param({"topology": "grid:4x2:k4x2:double", "node": "3,1,6"}, id="two-sets-specialised"),
    pytest.param({"topology": "grid:3x2:cube-2"}, id="cube"),
    pytest.param({"topology": "grid", "x": 3, "y": 5, "supernode": "coc-3x2", "directions": "forward"}, id="coc-forward"),
    pytest.param({"topology": "grid", "x": 5, "y": 4, "register": True}, id="registered"),
    pytest.param({"topology": "grid", "p": 3, "node": "3,5,7"}, id="specialised"),
    pytest.param({"topology": "grid", "x": 12, "y": 10, "node": "11,0,4", "register": True}, id="specialised-registered"),
]
SAMPLED = [
    pytest.param({"topology": "grid", "x": 12, "y": 10}, id="12x10"),
    pytest.param({"topology": "grid", "p": 4}, id="p4"),
    pytest.param({"topology": "grid", "p": 8}, id="p8"),
    pytest.param({"topology": "grid", "p": 4, "supernode": "coc-4x4"}, id="coc-16"),
]
LARGE = [
    pytest.param({"topology": "grid", "x": 32, "y": 2}, id="32x2"),
    pytest.param({"topology": "grid", "p": 3, "supernode": "k4x2:double"}, id="p3-double"),
    pytest.param({"topology": "grid", "p": 5}, id="p5"),
    pytest.param({"topology": "grid", "p": 6}, id="p6"),
    pytest.param({"topology": "grid", "p": 7}, id="p7"),
    pytest.param({"topology": "grid", "p": 2}, id="p2"),
    pytest.param({"topology": "grid", "p": 1}, id="p1"),
    pytest.param({"topology": "ring", "n": 4096, "m": 12}, id="ring-4096-12"),
    pytest.param({"topology": "ring", "n": 4095, "m": 64}, id="ring-4095-64"),
    pytest.param({"topology": "grid", "x": 1000, "y": 777, "supernode": "coc-8x8"}, id="1000x777-coc-64"),
]


@pytest.mark.parametrize("values", ALL_PAIRS)
def test_every_pair(lab, values):
    assert lab.bench("route_bench", values, lanes=16) == 3


@pytest.mark.parametrize("values", CORNERS)
def test_corner(lab, values):
    assert lab.bench("route_bench", values) == 3


@pytest.mark.parametrize("values", SAMPLED)
def test_random_pairs(lab, values):
    assert lab.bench("route_bench", values, pairs=2_000, walks=100) == 3


@pytest.mark.regress
@pytest.mark.parametrize("values", SAMPLED + LARGE)
def test_large(lab, values):
    assert lab.bench("route_bench", values, pairs=50_000, walks=1_000) == 3


@pytest.mark.regress
@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"topology": "grid", "x": 12, "y": 10}, id="12x10"),
        pytest.param({"topology": "grid", "x": 32, "y": 2}, id="32x2"),
        pytest.param({"topology": "grid", "p": 2, "supernode": "coc-4x4"}, id="coc-16"),
    ],
)
def test_every_pair_exhaustive(lab, values):
    """Up to 960 switches. The 4.2 million pairs of 16 x 16 x 8 take a minute of CPU time; :func:`test_large` draws some."""
    assert lab.bench("route_bench", values, label="-all", lanes=16) == 3


@pytest.mark.regress
@pytest.mark.parametrize("n", [*range(2, 10), 15, 16, 17, 31, 33])
def test_every_ring(lab, n):
    m = max((n - 1).bit_length(), 2)
    for directions in ("both", "forward"):
        assert lab.bench("route_bench", {"topology": "ring", "n": n, "m": m, "directions": directions}) == 3


@pytest.mark.parametrize(
    ("values", "limit"),
    [
        pytest.param(GRID_512, 14, id="8x8x8"),
        pytest.param({"topology": "ring", "n": 13, "m": 4, "register": True}, 10, id="ring-registered"),
        pytest.param({"topology": "grid", "x": 5, "y": 7, "supernode": "coc-4x4"}, 14, id="coc", marks=pytest.mark.regress),
        pytest.param({"topology": "grid", "x": 1, "y": 16}, 14, id="1x16", marks=pytest.mark.regress),
    ],
)
def test_manifest_is_enough(lab, values, limit):
    """A bench delivers packets with no information but the manifest."""
    assert lab.bench("manifest_bench", values, walks=200, limit=limit) == 1
