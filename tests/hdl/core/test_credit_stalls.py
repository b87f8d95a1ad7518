"""The unit that sees which packets wait for credits, in Amaranth's simulator."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.core import CreditStalls

RING = {"block": "switch-core", "topology": "torus:4", "routing": "bubble", "flit": 24, "packet": 2, "depth": 4}
CORE = {"block": "switch-core", "topology": "torus:2", "flit": 24, "packet": 3, "depth": 4}


def test_a_credit_and_a_flit_in_one_cycle(simulate):
    """Flits leave as fast as credits return, so a long packet never waits; without the credits, it waits at once."""
    shape = build(CORE).shape
    unit = CreditStalls(shape, shape.ports[0], 1)

    async def bench(ctx):
        async def cycles(count, valid, credit):
            stalled = []
            for _ in range(count):
                ctx.set(unit.valid, valid)
                ctx.set(unit.credit, credit)
                await ctx.tick()
                stalled.append(ctx.get(unit.stalled))
            return stalled

        ctx.set(unit.tail, 1)
        ctx.set(unit.waits, 1)
        ctx.set(unit.front, {"asks": 1, "single": 0, "channel": [1] + [0] * (len(unit.front.channel) - 1)})
        # A credit counts a cycle after it came.
        await cycles(1, 1, 1)
        assert not any(await cycles(20, 1, 1))
        await cycles(3, 1, 0)
        assert all((await cycles(5, 0, 0))[2:])

    simulate(unit, bench, clocked=True)


def test_credits_of_a_ring(simulate):
    """A packet that enters needs a credit more than its longest; one that goes on needs one, whatever its length."""
    shape = build(RING).shape
    (ring,), port = shape.ring_sources(shape.ports[0]), shape.ports[0]
    unit = CreditStalls(shape, port, len(shape.sources))
    host = len(shape.sources) - 1

    async def bench(ctx):
        async def stalled(source, single):
            ctx.set(unit.waits, 1 << source)
            ctx.set(unit.front, {"asks": 1 << source, "single": single << source, "channel": [1 << source]})
            await ctx.tick().repeat(4)
            return ctx.get(unit.stalled)

        ctx.set(unit.tail, 1)
        found = []
        for _ in range(4):
            found.append([await stalled(*one) for one in ((host, 0), (host, 1), (ring, 0), (ring, 1))])
            ctx.set(unit.valid, 1)
            await ctx.tick()
            ctx.set(unit.valid, 0)
        found.append([await stalled(*one) for one in ((host, 0), (host, 1), (ring, 0), (ring, 1))])
        # With four credits, three, two, one, and none.
        assert found == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]

    simulate(unit, bench, clocked=True)
