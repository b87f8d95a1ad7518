"""Emitted route logic with detours against the golden model."""

import pytest

DETOUR = {"routing": "detour"}
REGRESS = pytest.mark.regress
SMALL = [
    pytest.param({"topology": "grid:3x2:k4x2"}, id="3x2", marks=REGRESS),
    pytest.param({"topology": "ring:5:ring-4", "register": True}, id="ring-5-registered"),
    pytest.param({"topology": "grid:2x2:coc-2x2"}, id="coc", marks=REGRESS),
    pytest.param({"topology": "grid:1x1:k4x2"}, id="supernode", marks=REGRESS),
    pytest.param({"topology": "grid:4x3:k4x2", "node": "3,1,2"}, id="specialised-4x3", marks=REGRESS),
    pytest.param({"topology": "grid:3x2:k4x2", "node": "2,1,2"}, id="specialised"),
]
LARGE = [{"x": 8, "y": 16}, {"x": 11, "y": 13}, {"x": 32, "y": 2}, {"topology": "ring:22:ring-6"}, {"p": 4}]


@pytest.mark.parametrize("values", SMALL)
def test_every_pair_past_every_failed_link(lab, values):
    assert lab.bench("detour_bench", values | DETOUR) == 1


def test_many_failed_links_at_one_switch(lab):
    assert lab.bench("detour_bench", {"topology": "grid:3x2:k4x2", "node": "2,1,2", **DETOUR}, routes=2000) == 1


def test_random_routes_of_512_nodes(lab):
    assert lab.bench("detour_bench", {"p": 3, **DETOUR}, routes=600) == 1


@pytest.mark.regress
@pytest.mark.parametrize("values", LARGE)
def test_random_routes(lab, values):
    assert lab.bench("detour_bench", values | DETOUR, routes=4_000, lanes=16) == 1


@pytest.mark.regress
def test_every_pair_of_4_by_4_past_every_failed_link(lab):
    assert lab.bench("detour_bench", {"p": 2, **DETOUR}, lanes=16) == 1
