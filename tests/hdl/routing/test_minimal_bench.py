"""Emitted minimal route logic: ports and classes of the relation, and shortest paths of the golden model."""

import pytest

from dsnswitch.hdl.routing.digits import DigitRoute
from dsnswitch.hdl.routing.ring import Offset
from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.sim.run import SimulationError

NEAR = {"routing": "minimal"}
GRID_512 = {"p": 3, **NEAR}
#: For mutants too, so that they are compared with the block that passes.
SMALL = {"topology": "grid:5x2:k4x2"}
CORNERS = [
    pytest.param(SMALL, id="5x2"),
    pytest.param({"topology": "grid:5x4:k4x2"}, id="5x4", marks=pytest.mark.regress),
    pytest.param({"topology": "grid:4x2:k4x2:double"}, id="double"),
    pytest.param({"topology": "grid:4x5:k4x2:double", "node": "3,4,6"}, id="double-node", marks=pytest.mark.regress),
    pytest.param({"topology": "grid:3x3:ring-3", "adaptive": True}, id="adaptive"),
    pytest.param({"topology": "grid:4x2:k4x2:double", "adaptive": True}, id="adaptive-double", marks=pytest.mark.regress),
    pytest.param({"topology": "ring:13:ring-4", "register": True}, id="ring-13-registered"),
    pytest.param({"topology": "grid:4x3:coc-3x2"}, id="coc"),
    pytest.param({"topology": "ring:7:ring-4:forward"}, id="forward"),
    pytest.param({"topology": "grid:4x5:k4x2", "node": "3,4,2"}, id="specialised"),
]
#: With a choice of hops, and of signs.
RING = {"topology": "ring:8:ring-4", "adaptive": True, "digits": True}
CHOOSING = [
    pytest.param({"topology": "ring:8:ring-4", "adaptive": True}, id="hops"),
    pytest.param(RING, id="ring"),
    pytest.param(RING | {"topology": "grid:4x2:ring-3"}, id="signs"),
]
LARGE = [
    {"x": 8, "y": 16},
    {"p": 4},
    {"p": 3, "supernode": "k4x2:double"},
    {"x": 11, "y": 13},
    {"x": 32, "y": 2},
    {"x": 64, "y": 1},
]


@pytest.mark.parametrize("values", CORNERS)
def test_every_hop(lab, values):
    """Port and class for every route and arrival, and destinations that do not exist."""
    assert lab.bench("route_bench", values | NEAR, against="relation") == 3


def test_hops_of_512_nodes_are_on_shortest_paths(lab):
    assert lab.bench("route_bench", GRID_512, pairs=8_000, against="shortest") == 3


@pytest.mark.regress
@pytest.mark.parametrize("supernode", ["k4x2", "k4x2:double"])
def test_every_pair_of_512_nodes_is_on_a_shortest_path(lab, supernode):
    assert lab.bench("route_bench", {**GRID_512, "supernode": supernode}, against="shortest") == 3


def test_every_pair_of_a_ring_is_on_a_shortest_path(lab):
    assert lab.bench("route_bench", {"topology": "ring:13:ring-4", **NEAR}, against="shortest") == 3


@pytest.mark.regress
def test_both_hops_of_512_nodes_are_on_shortest_paths(lab):
    assert lab.bench("route_bench", GRID_512 | {"adaptive": True}, pairs=8_000, against="shortest") == 3


@pytest.mark.parametrize("values", CHOOSING)
def test_both_hops_and_every_sign_against_the_golden_model(lab, values):
    """Walks of all choices from hosts; the model searches the graph and knows no rules."""
    assert lab.bench("route_bench", NEAR | values, against="choices") == 3


@pytest.mark.regress
@pytest.mark.parametrize("supernode", ["k4x2", "k4x2:double"])
def test_choices_of_512_nodes_against_the_golden_model(lab, supernode):
    values = {**GRID_512, "supernode": supernode, "adaptive": True, "digits": True}
    assert lab.bench("route_bench", values, pairs=1_000, against="choices") == 3


@pytest.mark.regress
def test_every_route_of_512_nodes(lab):
    assert lab.bench("route_bench", GRID_512, lanes=16, against="relation") == 3


@pytest.mark.regress
@pytest.mark.parametrize("values", LARGE)
def test_large(lab, values):
    assert lab.bench("route_bench", values | NEAR, pairs=20_000, against="relation") == 3


@pytest.mark.parametrize(
    ("owner", "name", "old", "new"),
    [
        pytest.param(Offset, "elaborate", "self.dst < own", "self.dst <= own", id="offset"),
        pytest.param(Turns, "elaborate", " & self.goes_up", "", id="class-up"),
        pytest.param(DigitRoute, "_left", "needs & ~taken", "needs", id="digits"),
    ],
)
def test_a_fault_is_noticed(lab, mutate, request, owner, name, old, new):
    mutate(owner, name, old, new)
    values, against = (RING, "choices") if owner is DigitRoute else (SMALL, "relation")
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("route_bench", values | NEAR, label=f"-{request.node.callspec.id}", pairs=2_000, against=against)
