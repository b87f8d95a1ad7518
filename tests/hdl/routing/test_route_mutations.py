"""Each unit of the route logic is broken once, and the regression notices."""

import pytest
from amaranth.hdl import Cat, Const, Module, Mux

from dsnswitch.hdl.routing.dsn import jump_node, lrouting, selection
from dsnswitch.hdl.routing.dsn.local import first_hop, k4x2
from dsnswitch.hdl.routing.ring import direction, distance
from dsnswitch.sim.run import SimulationError

# Wide enough for a forward distance with two bits set: at 4 x 4 the leading one of every forward distance is its only one.
GRID = {"topology": "grid", "x": 8, "y": 2}


# No power of two, where the direction is found by other logic.
ODD = {"topology": "grid", "x": 6, "y": 1}


def every_length(self, length):
    """Leading one that takes every length which is not too long."""
    return ~self.below[length]


def trailing_one_all(self, platform):
    """Trailing one that keeps every set bit."""
    m = Module()
    m.d.comb += self.o.eq(self.i)
    return m


def always_forward(self, platform):
    m = Module()
    m.d.comb += self.backward.eq(0)
    return m


def half_goes_nowhere(self, length, trailing):
    """Half the ring, which the direction leaves to the jump node, forgotten."""
    return Const(0, 1) if 2 << length >= self._n else self._leading(length)


def half_goes_backward(self, platform):
    """The tie 2 f = n goes backward."""
    m = Module()
    beyond = self.dst >= self.terms.half
    m.d.comb += self.backward.eq(Mux(self.terms.half_wraps, self.wraps & beyond, self.wraps | beyond))
    return m


def early_number(self, platform):
    """Magnitude that forgets the borrow."""
    m = Module()
    m.d.comb += [
        self.borrow.eq(self.a < self.b),
        self.below.eq(Cat((self.a >> j) == (self.b >> j) for j in range(len(self.a)))),
    ]
    return m


def final_before_y(self, platform):
    """Selection that lets the final local route go ahead of y."""
    m = Module()
    local = self.final_local | self.x_local
    m.d.comb += [
        self.out_port.eq(Cat(local, self.x_forward, self.x_backward, self.y_forward, self.y_backward)),
        self.arrived.eq(self.x_done & self.y_done & self.final_here),
    ]
    return m


def wrong_entry(own, target):
    """D Table 4.2 with one entry that goes across."""

    def mutant(supernode, source, goal):
        return k4x2.CROSS if (source, goal) == (own, target) else first_hop(supernode, source, goal)

    return mutant


@pytest.mark.parametrize(
    ("owner", "name", "mutant", "grid"),
    [
        pytest.param(distance.Magnitude, "elaborate", early_number, GRID, id="magnitude"),
        pytest.param(jump_node.JumpNode, "_leading", every_length, GRID, id="leading-one"),
        pytest.param(jump_node.TrailingOne, "elaborate", trailing_one_all, GRID, id="trailing-one"),
        pytest.param(direction.Direction, "elaborate", always_forward, GRID, id="direction-forward"),
        pytest.param(direction.Direction, "elaborate", half_goes_backward, ODD, id="direction-tie"),
        pytest.param(jump_node.JumpNode, "_forward", half_goes_nowhere, GRID, id="jump-node-tie"),
        pytest.param(selection.Selection, "elaborate", final_before_y, GRID, id="selection"),
        pytest.param(lrouting, "first_hop", wrong_entry(0, 6), GRID, id="table-4.2-final"),
        pytest.param(lrouting, "first_hop", wrong_entry(4, 0), GRID, id="table-4.2-jump"),
    ],
)
def test_regression_notices(lab, monkeypatch, request, owner, name, mutant, grid):
    monkeypatch.setattr(owner, name, mutant)
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("route_bench", grid, label=f"-{request.node.callspec.id}")


@pytest.mark.parametrize("grid", [GRID, ODD], ids=["8x2", "6x1"])
def test_unmutated_passes(lab, grid):
    """The bench that the mutants fail passes as it stands, so that it is the mutation that fails it."""
    assert lab.bench("route_bench", grid) == 3
