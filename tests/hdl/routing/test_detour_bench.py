"""Emitted route logic with detours against the golden model."""

import pytest

from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.sim.run import SimulationError

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


def test_random_routes_of_512_nodes(lab):
    assert lab.bench("detour_bench", {"p": 3, **DETOUR}, routes=600) == 1


@pytest.mark.regress
@pytest.mark.parametrize("values", LARGE)
def test_random_routes(lab, values):
    assert lab.bench("detour_bench", values | DETOUR, routes=4_000, lanes=16) == 1


@pytest.mark.regress
def test_every_pair_of_4_by_4_past_every_failed_link(lab):
    assert lab.bench("detour_bench", {"p": 2, **DETOUR}, lanes=16) == 1


#: Two levels in x, so that a longer and a shorter shortcut exist, and one in y.
MUTANT = {"topology": "grid:4x2:k4x2", **DETOUR}


def test_a_fault_is_noticed(lab, mutate):
    """The class of a packet rises with every hop up. ``tests/mutants`` has more mutants."""
    mutate(Turns, "elaborate", "(self.in_port & self.rising).any() & ", "")
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("detour_bench", MUTANT, label="-class", routes=400)


def test_without_a_fault_the_bench_passes(lab):
    assert lab.bench("detour_bench", MUTANT, routes=400) == 1
