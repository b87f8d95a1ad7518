"""Networks of one core whose sizes are inputs: every pair at several sizes, and a network that grows."""

from dataclasses import replace

import pytest
from cores import CORE, RING

from dsnswitch.net.messages import UsageError
from dsnswitch.net.plan.plan import expand
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

SIZED = CORE | {"supernode": "ring-3", "max_p": 3, "flit": 64, "packet": 2, "depth": 4}
SUPERNODE = "ring-3"


@pytest.fixture
def made(core):
    return core(SIZED)


def grid(size):
    return parse_network(f"grid:{size}:{SUPERNODE}")


def every_pair(network):
    """A point with a packet between each pair of switches."""
    numbers = range(network.nodes)
    return Point(trace=[(0, a, b, 1 + (a + b) % 2) for a in numbers for b in numbers], log=True)


def check(engine):
    """Each packet takes as many hops as the golden path."""
    network = engine.core.network
    engine.run(100)
    engine.drain()
    log = engine.delivered(0)
    assert len(log) == network.nodes**2
    for one in log:
        ends = network.switch(int(one["source"])), network.switch(int(one["destination"]))
        assert one["hops"] == 1 + (len(path(network, *ends)) if ends[0] != ends[1] else 0)


@pytest.mark.parametrize("size", ["1x2", pytest.param("3x1", marks=pytest.mark.regress), "5x3"])
def test_every_pair(made, size):
    """A dimension of one supernode, and sizes that are no powers of two. The largest core has 8 x 8 supernodes."""
    check(Engine(made.of(grid(size)), [every_pair(grid(size))]))


def test_a_machine_grows(made):
    """From 4 x 4 over 4 x 5 to 5 x 5, as the plan says, while the switches keep their state."""
    engine = Engine(made.of(grid("4x4")), [every_pair(grid("4x4"))])
    check(engine)
    for size in ("4x5", "5x5"):
        plan = expand(engine.core.network, grid(size))
        assert plan.moved != {switch: switch for switch in plan.moved}
        orders = order_of(engine)
        engine.become(plan.after, [every_pair(plan.after)], plan.moved)
        assert {plan.moved[switch]: order for switch, order in orders.items()}.items() <= order_of(engine).items()
        check(engine)
    # Without a change of size, and with random traffic.
    engine.become(grid("5x5"), [Point(load=0.3)])
    engine.run(500)
    engine.drain()


def order_of(engine):
    """``{switch: bits}`` of the registers of the arbiters, which differ from switch to switch after traffic."""
    found = [rows for name, rows in engine.core.layout.registers.items() if "allocator" in name and "order" in name]
    rows = [row for some in found for row in some if row >= 0]
    found = {}
    for switch in engine.core.network.switches():
        copy = engine.core.network.number(switch)
        bits = engine._rows[copy // 512][rows, copy % 512 // 8] >> copy % 8 & 1
        found[switch] = bits.tobytes()
    assert len(set(found.values())) > 1
    return found


def test_sizes_that_the_core_does_not_serve(made, core):
    for other in ("grid:4x4:ring-4", "grid:4x4:ring-3:forward", "ring:4:ring-3", "torus:4x4", "grid:4x4"):
        with pytest.raises(UsageError, match=f"This core serves sizes of grid:8x8:ring-3, not {other}"):
            made.of(parse_network(other))
    assert made.network == replace(grid("1x1"), sizes=(8, 8))
    engine = Engine(made.of(grid("1x2")), [Point()])
    with pytest.raises(ValueError, match="A network goes on with as many points, 1, not 2"):
        engine.become(grid("1x2"), [Point(), Point()])
    with pytest.raises(UsageError, match="This core serves torus:4, not torus:5"):
        core(RING).of(parse_network("torus:5"))
