"""The counter of credits, in Amaranth's simulator: credits that the receiver should not have returned."""

import pytest

from dsnswitch.hdl.core.output_port import CreditCounter


@pytest.mark.parametrize(("depth", "packet"), [(1, 1), (4, 3), (7, 7)])
def test_a_surplus_credit_is_not_counted(simulate, depth, packet):
    """At the full count, a credit changes nothing, and a credit with a flit that is sent counts."""
    counter = CreditCounter(depth, packet)

    async def bench(ctx):
        async def cycle(sent, credit):
            ctx.set(counter.sent, sent)
            ctx.set(counter.credit, credit)
            await ctx.tick()
            ctx.set(counter.sent, 0)
            return ctx.get(counter.left), ctx.get(counter.late("any")), ctx.get(counter.late("packet"))

        assert await cycle(0, 1) == (depth, 1, 1)
        assert await cycle(0, 1) == (depth, 1, 1)
        assert await cycle(1, 1) == (depth, 1, 1)
        for left in reversed(range(depth)):
            assert await cycle(1, 0) == (left, left >= 1, left >= packet)
        assert await cycle(0, 1) == (1, 1, packet == 1)

    simulate(counter, bench, clocked=True)
