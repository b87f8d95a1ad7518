"""The baselines work. A comparison with logic that does not work would be worthless."""

from itertools import product
from random import Random

import pytest

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


def test_tcam_first_match_wins(simulate):
    table, rng = RouteTcam(5, 4, 3), Random(0)
    entries = [(0, 0, 0)] * 5

    async def write_and_look(ctx):
        for place in [*range(4, -1, -1), *(rng.randrange(8) for _ in range(120))]:
            # Many masks, so that an entry often stands before others and often lets them win.
            value, mask, action = rng.randrange(16), rng.choice([15, 15, 7, 13, 9, 0, 6]), rng.randrange(8)
            write = rng.random() < 0.8
            for name, number in (("entry", place), ("value", value), ("mask", mask), ("action", action)):
                ctx.set(getattr(table, f"write_{name}"), number)
            ctx.set(table.write, write)
            await ctx.tick()
            if write and place < 5:
                entries[place] = value, mask, action
            for key in range(16):
                ctx.set(table.key, key)
                hits = [action for value, mask, action in entries if (key ^ value) & mask == 0]
                assert (ctx.get(table.action), ctx.get(table.hit)) == (hits[0] if hits else 0, bool(hits))

    simulate(table, write_and_look, clocked=True)


@pytest.mark.parametrize(("arguments", "message"), [((0, 4, 4), "TCAM entries"), ((4, 0, 4), "TCAM key width")])
def test_tcam_sizes(quiet, arguments, message):
    with pytest.raises(ValueError, match=message):
        quiet(RouteTcam)(*arguments)
