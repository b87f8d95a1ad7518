"""Basic tests on Amaranth's own simulator, without Verilog and cocotb, so that a fault in one of these shows as a difference."""

import random

import pytest
from amaranth.sim import Simulator

from dsnswitch.hdl.logic.numbers import Magnitude, TrailingOne
from dsnswitch.hdl.routing.gateware import route_logic
from dsnswitch.net.topology.dsn import grid, port_links, ring
from dsnswitch.net.topology.supernode import Coc
from dsnswitch.sim.golden.routing.dsn import route
from dsnswitch.sim.golden.topology.dsn import nodes


def expected(dsn, own, dst):
    """``(out_port, arrived)`` by the golden path and the port numbers."""
    hops = route(dsn, own, dst)
    if not hops:
        return 0, 1
    hop = hops[0]
    [index] = [
        link.port.index
        for link in port_links(dsn, own[-1])
        if (link.port.kind, link.level, link.port.direction, link.to_id) == (hop.kind, hop.level, hop.direction, hop.target[-1])
    ]
    return 1 << index, 0


@pytest.mark.parametrize("dsn", [ring(7, 4), ring(6, 3, "forward"), grid(5, 3), grid(4, 4, Coc(2, 3))], ids=lambda d: d.name)
@pytest.mark.parametrize("register", [False, True], ids=["combinational", "registered"])
def test_decisions(dsn, register):
    logic = route_logic(dsn, register=register)
    assert logic.latency == register
    everyone = list(nodes(dsn))
    rng = random.Random(3)
    names = (*dsn.dimensions, "id")

    async def bench(ctx):
        for _ in range(700):
            own, dst = rng.choice(everyone), rng.choice(everyone)
            for name, here, there in zip(names, own, dst):
                ctx.set(getattr(logic.own, name), here)
                ctx.set(getattr(logic.dst, name), there)
            if register:
                await ctx.tick()
            assert (ctx.get(logic.out_port), ctx.get(logic.arrived)) == expected(dsn, own, dst), (own, dst)
            assert not ctx.get(logic.invalid)

    simulator = Simulator(logic)
    if register:
        simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_magnitude(simulate, width):
    magnitude = Magnitude(width)

    async def every_pair(ctx):
        for a in range(1 << width):
            for b in range(1 << width):
                ctx.set(magnitude.a, a)
                ctx.set(magnitude.b, b)
                below = sum(((a - b) % (1 << width) < 1 << j) << j for j in range(width))
                assert (ctx.get(magnitude.below), ctx.get(magnitude.borrow)) == (below, a < b)

    simulate(magnitude, every_pair)


@pytest.mark.parametrize("width", [1, 2, 5])
def test_trailing_one(simulate, width):
    trailing = TrailingOne(width)

    async def lowest(ctx):
        for number in range(1 << width):
            ctx.set(trailing.i, number)
            assert ctx.get(trailing.o) == number & -number

    simulate(trailing, lowest)
