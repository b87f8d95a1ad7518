"""The unit that sees which packets wait for credits, in Amaranth's simulator."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.core import CreditStalls

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
