"""Emitted route logic with detours against the golden model."""

import pytest

from dsnswitch.hdl.routing.dsn.detour import local_detour, option_choice, ring_levels, route
from dsnswitch.sim.run import SimulationError

DETOUR = {"routing": "detour"}
REGRESS = pytest.mark.regress
SMALL = [
    pytest.param({"topology": "grid:3x2:k4x2"}, id="3x2"),
    pytest.param({"topology": "ring:5:ring-4", "register": True}, id="ring-5-registered"),
    pytest.param({"topology": "grid:2x2:coc-2x2"}, id="coc", marks=REGRESS),
    pytest.param({"topology": "grid:1x1:k4x2"}, id="supernode", marks=REGRESS),
    pytest.param({"topology": "grid:4x3:k4x2", "node": "3,1,2"}, id="specialised"),
]
LARGE = [{"x": 8, "y": 16}, {"x": 11, "y": 13}, {"x": 32, "y": 2}, {"topology": "ring:22:ring-6"}, {"p": 4}]


@pytest.mark.parametrize("values", SMALL)
def test_every_pair_past_every_failed_link(lab, values):
    assert lab.bench("detour_bench", values | DETOUR) == 1


def test_random_routes_of_512_nodes(lab):
    assert lab.bench("detour_bench", {"p": 3, **DETOUR}, routes=1_500) == 1


@pytest.mark.regress
@pytest.mark.parametrize("values", LARGE)
def test_random_routes(lab, values):
    assert lab.bench("detour_bench", values | DETOUR, routes=4_000) == 1


@pytest.mark.regress
def test_every_pair_of_4_by_4_past_every_failed_link(lab):
    assert lab.bench("detour_bench", {"p": 2, **DETOUR}) == 1


#: Two levels in x, so that a longer and a shorter shortcut exist, and one in y.
MUTANT = {"topology": "grid:4x2:k4x2", **DETOUR}


@pytest.mark.parametrize(
    ("owner", "name", "old", "new"),
    [
        pytest.param(ring_levels.RingLevels, "elaborate", "level % self._m", "level - 1", id="entering-id"),
        pytest.param(option_choice.OptionChoice, "_candidates", "forward[1:]", "forward", id="longer"),
        pytest.param(
            option_choice.OptionChoice, "_candidates", "(forward << 1)", "forward", id="shorter", marks=REGRESS
        ),
        pytest.param(
            option_choice.OptionChoice, "_candidates", "(backward, forward)", "(forward, backward)", id="opposite"
        ),
        pytest.param(
            option_choice.OptionChoice, "_candidates", "y_first & ~dones[1]", "Const(0)", id="y-first", marks=REGRESS
        ),
        pytest.param(
            option_choice.OptionChoice, "_candidates", "(self.mode < mode)", "(self.mode != mode)", id="order"
        ),
        pytest.param(
            option_choice.OptionChoice,
            "_option",
            "Mux(candidate.is_y, self.dead[2:], dead)",
            "dead",
            id="dead",
            marks=REGRESS,
        ),
        pytest.param(local_detour.LocalDetour, "elaborate", "~self.dead & ~self.back", "~self.dead", id="turn-back"),
        pytest.param(
            local_detour.LocalDetour,
            "elaborate",
            "self.alternative & other[target].any()",
            "self.alternative & 0",
            id="table-4-3",
        ),
        pytest.param(
            local_detour.LocalDetour,
            "elaborate",
            "self.back & ~self.dead",
            "self.back & 0",
            id="last-resort",
            marks=REGRESS,
        ),
        pytest.param(
            local_detour.LocalDetour,
            "elaborate",
            "(self.alternative | ~fits.any())",
            "~fits.any()",
            id="remember",
            marks=REGRESS,
        ),
        pytest.param(
            route.DetourRoute,
            "elaborate",
            "choice.detour_target, False",
            "choice.detour_target, True",
            id="forget",
            marks=REGRESS,
        ),
        pytest.param(route.DetourRoute, "_local", "self.in_port[:count]", "0", id="back", marks=REGRESS),
        pytest.param(route.DetourRoute, "elaborate", "(is_over | ~port.any())", "~port.any()", id="no-class"),
        pytest.param(route.DetourRoute, "_class", "(self.in_port & up).any() & ", "", id="class"),
        pytest.param(
            route.DetourRoute,
            "_header",
            "Mux(is_local, choice.next_mode, 0)",
            "choice.next_mode",
            id="header",
            marks=REGRESS,
        ),
    ],
)
def test_a_fault_is_noticed(lab, mutate, request, owner, name, old, new):
    mutate(owner, name, old, new)
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("detour_bench", MUTANT, label=f"-{request.node.callspec.id}", routes=400)


def test_without_a_fault_the_bench_passes(lab):
    assert lab.bench("detour_bench", MUTANT, routes=400) == 1
