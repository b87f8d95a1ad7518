"""Each unit of the route logic is broken once, and the regression notices."""

import pytest
from amaranth.hdl import Cat, Module

from dsnswitch.hdl.routing import direction, jump_node, lrouting, selection
from dsnswitch.hdl.routing.local import first_hop, k4x2
from dsnswitch.sim.run import SimulationError

# Wide enough for a forward distance with two bits set: at 4 x 4 the leading one of every forward distance is its only one.
GRID = {"topology": "grid", "x": 8, "y": 2}


def leading_one_lowest(self, platform):
    """Leading one that finds the trailing one."""
    m = Module()
    m.d.comb += self.o.eq(self.i & ~(self.i << 1))
    return m


def trailing_one_all(self, platform):
    """Trailing one that keeps every set bit."""
    m = Module()
    m.d.comb += self.o.eq(self.i)
    return m


def always_forward(self, platform):
    m = Module()
    m.d.comb += self.backward.eq(0)
    return m


def half_goes_backward(self, platform):
    """The tie 2 f = n goes backward."""
    m = Module()
    m.d.comb += self.backward.eq(self.forward[-1])
    return m


def final_before_y(self, platform):
    """Selection that lets the final local route go ahead of y."""
    m = Module()
    m.d.comb += [
        self.port.eq(
            Cat(self.final_local | self.x_local, self.x_forward, self.x_backward, self.y_forward, self.y_backward)
        ),
        self.arrived.eq(self.x_done & self.y_done & self.final_done),
    ]
    return m


def wrong_entry(supernode, own, target):
    """D Table 4.2 with one wrong entry: v2 to v8 by v7 instead of v1."""
    return k4x2.CROSS if (own, target) == (1, 7) else first_hop(supernode, own, target)


@pytest.mark.parametrize(
    ("owner", "name", "mutant"),
    [
        pytest.param(jump_node.LeadingOne, "elaborate", leading_one_lowest, id="leading-one"),
        pytest.param(jump_node.TrailingOne, "elaborate", trailing_one_all, id="trailing-one"),
        pytest.param(direction.Direction, "elaborate", always_forward, id="direction-forward"),
        pytest.param(direction.Direction, "elaborate", half_goes_backward, id="direction-tie"),
        pytest.param(selection.Selection, "elaborate", final_before_y, id="selection"),
        pytest.param(lrouting, "first_hop", wrong_entry, id="table-4.2-entry"),
    ],
)
def test_regression_notices(lab, monkeypatch, request, owner, name, mutant):
    monkeypatch.setattr(owner, name, mutant)
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("route_bench", GRID, label=f"-{request.node.callspec.id}")


def test_unmutated_passes(lab):
    """The bench that the mutants fail passes as it stands, so that it is the mutation that fails it."""
    assert lab.bench("route_bench", GRID) == 3
