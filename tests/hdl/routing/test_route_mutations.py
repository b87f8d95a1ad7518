"""The bench of the route logic fails on broken logic."""

import pytest

from dsnswitch.hdl.routing.ring import RingPosition
from dsnswitch.hdl.routing.shortcuts import JumpNode
from dsnswitch.sim.run import SimulationError

# Wide enough for a forward distance with two ones. At 4 x 4, every forward distance has a single one.
GRID = {"topology": "grid", "x": 8, "y": 2}

# A size that is not a power of two has other logic for the direction.
ODD = {"topology": "grid", "x": 6, "y": 1}


@pytest.mark.parametrize(
    ("owner", "name", "old", "new", "grid"),
    [
        pytest.param(
            *(JumpNode, "elaborate", "Cat(self.below[1:], 1) & ~self.below", "~self.below", GRID), id="leading-one"
        ),
        pytest.param(
            *(RingPosition, "elaborate", "bound.borrow", "self.dst >= terms.half", ODD),
            marks=pytest.mark.regress,
            id="direction-tie",
        ),
    ],
)
def test_regression_notices(lab, mutate, request, owner, name, old, new, grid):
    mutate(owner, name, old, new)
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("route_bench", grid, label=f"-{request.node.callspec.id}")


@pytest.mark.regress
@pytest.mark.parametrize("grid", [GRID, ODD], ids=["8x2", "6x1"])
def test_unmutated_passes(lab, grid):
    """The bench succeeds without a mutation, so it is the mutation that makes it fail."""
    assert lab.bench("route_bench", grid) == 3
