"""The switch core with detours: delivery past dead ports, packets that cannot be delivered, random traffic, bad input."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.dsn import grid

CORE = {"block": "switch-core", "topology": "ring:1:ring-3", "flit": 48, "packet": 2, "routing": "detour"}


@pytest.mark.parametrize("spelling", ["ring:1:ring-3", pytest.param("ring:3:ring-3", marks=pytest.mark.regress)])
def test_every_pair_past_any_single_link(lab, spelling):
    assert lab.bench("core_detour_bench", CORE | {"topology": spelling}) == 2


@pytest.mark.regress
def test_pairs_of_512_switches_past_any_single_link(lab):
    values = {"block": "switch-core", "p": 3, "flit": 64, "packet": 2, "routing": "detour"}
    assert lab.bench("core_detour_bench", values, optimise="-O1", pairs=300) == 2


@pytest.mark.regress
@pytest.mark.parametrize("node", ["1,1,0", "2,0,2"])
def test_random_traffic(lab, node):
    """Every channel of every port at once. Without dead ports, some packets from odd inputs run out of classes."""
    values = {"block": "switch-core", "topology": "grid:3x2:k4x2", "flit": 64, "packet": 3, "routing": "detour"}
    tests = ["random_traffic", "zero_load_latency"]
    assert lab.bench("core_bench", values | {"node": node}, tests, own=None, packets=30) == 2


def test_header():
    """Mode, alternative and y_first, and the marks of a packet that cannot be delivered and of a notice."""
    flags = Header(CoreShape(grid(8, 8), routing="detour")).layout["flags"].shape
    assert {name: flags[name].width for name in ("by_table", "detour", "undeliverable", "notice")} == {
        "by_table": 1,
        "detour": 4,
        "undeliverable": 1,
        "notice": 1,
    }


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lookup": "table"}, "Routing detour is for lookup by algorithm, not by table"),
        ({"topology": "torus:4x4"}, "Routing of torus:4x4 must be base or bubble, not detour"),
        ({"channels": "2", "topology": "grid:8x8"}, "Virtual channels of all ports must be in 1..80, not 82"),
    ],
)
def test_bad_input(values, message):
    with pytest.raises(UsageError) as error:
        build(CORE | values)
    assert str(error.value) == message
