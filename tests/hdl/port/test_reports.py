"""When a fabric link reports its counts, on Amaranth's simulator."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.credits import Reports

VALUES = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4, "depth": 16}


def test_counts_become_urgent(simulate):
    """When a quarter of a buffer has become free, while this end accepts flits; and after a period without counts, twice."""
    unit = Reports(build(VALUES).shape)

    async def bench(ctx):
        async def urgent(cycles=2, **values):
            for name, value in values.items():
                ctx.set(unit.freed[0] if name == "freed" else getattr(unit, name), value)
            await ctx.tick().repeat(cycles)
            return ctx.get(unit.urgent)

        assert not await urgent(active=1, freed=3)
        assert await urgent(freed=4)
        assert not await urgent(active=0)
        # Counts from before the link was open have been reported.
        assert not await urgent(active=1)
        assert await urgent(freed=8)
        # A head has the count of one channel, and needs no block.
        assert not await urgent(1, entry_sent=1)
        assert not await urgent(entry_sent=0)
        assert not await urgent(freed=11)
        assert await urgent(freed=12)
        # Urgent counts that are sent are urgent no more.
        assert not await urgent(1, counts_sent=1)
        assert not await urgent(counts_sent=0)
        assert not await urgent(Reports.PERIOD - 3)
        assert await urgent()
        assert await urgent(1, counts_sent=1)
        assert not await urgent(1)
        assert not await urgent(counts_sent=0)

    simulate(unit, bench, clocked=True)
