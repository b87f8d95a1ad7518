"""The baselines work. A comparison with logic that does not work would be worthless."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.hdl.baseline import PlainMeshRoute, PlainTorusRoute, RouteTcam


@pytest.mark.parametrize(("sizes", "node"), [((8, 4), None), ((2, 4, 2), None), ((8, 8), (3, 7))])
def test_torus_takes_the_shorter_way(simulate, sizes, node):
    route = PlainTorusRoute(sizes, node)
    places = list(product(*map(range, sizes)))

    async def every_pair(ctx):
        for own in places if node is None else [node]:
            for dst in places:
                for axis, (o, d) in enumerate(zip(own, dst)):
                    if node is None:
                        ctx.set(getattr(route.own, f"dim{axis}"), o)
                    ctx.set(getattr(route.dst, f"dim{axis}"), d)
                want = 0
                for axis, size in enumerate(sizes):
                    ahead = (dst[axis] - own[axis]) % size
                    if ahead:
                        want = 1 << 2 * axis + (2 * ahead > size)
                        break
                assert (ctx.get(route.out_port), ctx.get(route.arrived)) == (want, own == dst), (own, dst)

    simulate(route, every_pair)


@pytest.mark.parametrize("sizes", [(8, 4), (2, 4, 2)])
def test_mesh_goes_straight(simulate, sizes):
    route = PlainMeshRoute(sizes)
    places = list(product(*map(range, sizes)))

    async def every_pair(ctx):
        for own, dst in product(places, places):
            for axis, (o, d) in enumerate(zip(own, dst)):
                ctx.set(getattr(route.own, f"dim{axis}"), o)
                ctx.set(getattr(route.dst, f"dim{axis}"), d)
            steps = [1 << 2 * axis + (d < o) for axis, (o, d) in enumerate(zip(own, dst)) if o != d]
            assert (ctx.get(route.out_port), ctx.get(route.arrived)) == ((steps or [0])[0], own == dst), (own, dst)

    simulate(route, every_pair)


@pytest.mark.parametrize("sizes", [(6, 4), (1, 4)])
def test_mesh_sizes(quiet, sizes):
    with pytest.raises(ValueError, match="Mesh sizes must be powers of two from 2"):
        quiet(PlainMeshRoute)(sizes)


@pytest.mark.parametrize("sizes", [(6, 4), (1, 4)])
def test_torus_sizes(quiet, sizes):
    with pytest.raises(ValueError, match="Torus sizes must be powers of two from 2"):
        quiet(PlainTorusRoute)(sizes)


ENTRY = st.tuples(st.integers(0, 15), st.integers(0, 15), st.integers(0, 7))


@given(st.lists(ENTRY, min_size=5, max_size=5))
def test_tcam_first_match_wins(simulate, entries):
    table = RouteTcam(5, 4, 3)

    async def write_and_look(ctx):
        ctx.set(table.write, 1)
        for place, (value, mask, action) in enumerate(entries):
            for name, number in (("entry", place), ("value", value), ("mask", mask), ("action", action)):
                ctx.set(getattr(table, f"write_{name}"), number)
            await ctx.tick()
        ctx.set(table.write, 0)
        for key in range(16):
            ctx.set(table.key, key)
            hits = [action for value, mask, action in entries if (key ^ value) & mask == 0]
            assert (ctx.get(table.action), ctx.get(table.hit)) == (hits[0] if hits else 0, bool(hits))

    simulate(table, write_and_look, clocked=True)


@pytest.mark.parametrize(("arguments", "message"), [((0, 4, 4), "TCAM entries"), ((4, 0, 4), "TCAM key width")])
def test_tcam_sizes(quiet, arguments, message):
    with pytest.raises(ValueError, match=message):
        quiet(RouteTcam)(*arguments)
