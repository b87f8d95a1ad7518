"""An output port whose credits do not suffice for every packet, on Amaranth's simulator."""

from dsnswitch.hdl.core.output_port import Allocator
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network


def test_a_short_packet_leaves_credits_to_a_longer_one_that_waits(simulate):
    """Buffers of four flits. Two packets of one flit leave; then a packet of four flits waits, and no other one may begin."""
    shape = CoreShape(parse_network("torus:2"), flit=64, packet=4, depth=4)
    unit = Allocator(shape, shape.ports[0], 2)
    short = {"taken": 1, "head": 1, "single": 1, "channel": 1}

    async def bench(ctx):
        def ask(source, **start):
            ctx.set(unit.requests[source].front, start)

        async def granted(cycles):
            found = []
            for _ in range(cycles):
                await ctx.tick()
                found.append(ctx.get(unit.grant))
            return found

        for front in unit.front:
            ctx.set(front, {"tail": 1, "channel": 1})
        ask(0, **short)
        assert await granted(2) == [0b01, 0b01]
        ask(0)
        await ctx.tick()
        ask(1, **short | {"single": 0})
        await ctx.tick().repeat(2)
        ask(0, **short)
        assert await granted(4) == [0] * 4
        ctx.set(unit.credit, 1)
        assert 0b10 in await granted(4)

    simulate(unit, bench, clocked=True)
