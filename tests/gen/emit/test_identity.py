"""Components that differ only in a parameter of their signature become different modules."""

import pytest
from amaranth.sim import Simulator

from dsnswitch.gen.emit.verilog.identity import identity
from dsnswitch.hdl.routing.ring import RingTerms


def test_terms_of_rings_with_as_many_levels_differ():
    """11 and 13 supernodes have 4 levels and equal members, but their halves differ."""
    eleven, thirteen, same = RingTerms(11, True), RingTerms(13, True), RingTerms(13, True)
    assert identity(eleven) != identity(thirteen) == identity(same)
    assert None not in (identity(eleven), identity(thirteen))


@pytest.mark.parametrize(("n", "half"), [(11, 5), (13, 6)])
def test_their_halves(n, half):
    terms = RingTerms(n, True)
    found = []

    async def bench(ctx):
        ctx.set(terms.own, 0)
        await ctx.delay(1e-9)
        found.append(ctx.get(terms.terms.half))

    simulator = Simulator(terms)
    simulator.add_testbench(bench)
    simulator.run()
    assert found == [half]


def test_a_rectangle_of_two_rings_with_as_many_levels(lab):
    assert lab.bench("relation_bench", {"topology": "grid:5x6:k4x2"}, pairs=400) == 2
