"""Emitted route logic of every topology against its relation: ports and virtual channel classes."""

import pytest
from amaranth.hdl import Const

from dsnswitch.hdl.routing import classes
from dsnswitch.sim.run import SimulationError

NETWORKS = {
    "torus:5x3x2": {},
    "torus:6x4": {"register": True},
    "mesh:5x3x2": {},
    "mesh:8x8": {"register": True},
    "hypercube:6": {},
    "grid:4x4": {},
    "ring:22:ring-6": {},
    "ring:16:ring-4": {},
    # Half of the ring is passed forward, and a class depends on the direction.
    "ring:8:ring-4": {},
}
LARGE = ["torus:4x4x4", "torus:8x8x8", "grid:8x8", "grid:32x32", "grid:16x16:coc-4x4", "ring:100:ring-7", "ring:32:k4x2"]


@pytest.mark.parametrize("spelling", NETWORKS)
def test_bench(lab, spelling):
    assert lab.bench("route_bench", {"topology": spelling, **NETWORKS[spelling]}, pairs=4_000, against="relation") == 3


@pytest.mark.regress
@pytest.mark.parametrize("spelling", ["torus:6x4", "mesh:5x3x2", "grid:4x4", "ring:22:ring-6", "ring:8:ring-4"])
def test_every_pair(lab, spelling):
    assert lab.bench("route_bench", {"topology": spelling, **NETWORKS[spelling]}, against="relation") == 3


@pytest.mark.parametrize(
    ("spelling", "node"), [("torus:5x3x2", "4,2,1"), ("mesh:8x8", "0,7"), ("mesh:5x3x2", "4,1,0"), ("hypercube:4", "1,0,1,1")]
)
def test_specialised(lab, spelling, node):
    assert lab.bench("route_bench", {"topology": spelling, "node": node}, against="relation") == 3


@pytest.mark.parametrize(("name", "node"), [("tests/graphs/petersen.edges", None), ("examples/net.graphml", "b2")])
def test_graph(lab, root, name, node):
    values = {"topology": f"graph:{root / name}"} | ({"node": node} if node else {})
    assert lab.bench("route_bench", values, against="relation") == 3


@pytest.mark.regress
@pytest.mark.parametrize("spelling", LARGE)
def test_large(lab, spelling):
    pairs = 20_000 if spelling in ("torus:8x8x8", "grid:32x32", "grid:16x16:coc-4x4") else 0
    assert lab.bench("route_bench", {"topology": spelling}, pairs=pairs, lanes=16, against="relation") == 3


def never_between(self, m, phase, name, backward):
    """A class selection that forgets whether the packet has taken a shortcut."""
    return Const(0, 1)


def test_a_wrong_class_is_noticed(lab, monkeypatch):
    monkeypatch.setattr(classes.ClassSelection, "_between", never_between)
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("route_bench", {"topology": "ring:22:ring-6"}, label="-between", against="relation")
