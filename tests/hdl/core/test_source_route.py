"""The choice of a source in gateware, against :meth:`Digits.chosen`, and the loads that it is made from."""

import random

import pytest
from walks import signs_of

from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.core.source_route import PortLoad, SourceRoute, load_width
from dsnswitch.net.routing.registry import DIGITS
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.choices import Choices


def judge(golden, network, pair, signs, used, ordered):
    """A source's choice against the golden model, which knows neither rules nor preferred hops.

    Choices in which the shortest lengths that are needed have the same signs are one option, if all of them are offered. No other
    option has less load whichever of its hops it takes; a packet in order takes a shortest path, and so do all without load.
    """
    own, offered = pair[0], golden.offered(*pair)
    assert signs in offered
    if ordered or not any(used.values()):
        assert golden.hops(*pair, signs) == min(golden.hops(*pair, one) for one in offered)
        return
    ends = {port: end[0] for port in used if (end := network.neighbour(own, port))}
    loads, members = {}, {}
    for one in offered:
        exits = golden.exits(*pair, one)
        needed = [list(golden.needs(t - o, two)) for o, t, two in zip(own, pair[1], one)]
        option = tuple(two[needs.index(True)] if any(needs) else None for needs, two in zip(needed, one))
        loads.setdefault(option, []).extend(used[port] for port, there in ends.items() if there in exits)
        members.setdefault(option, {})[one] = 2 ** sum(max(0, sum(needs) - 1) for needs in needed)
    whole = [max(loads[option]) for option, sizes in members.items() if len(sizes) == max(sizes.values())]
    mine = next(option for option, sizes in members.items() if signs in sizes)
    assert min(loads[mine]) <= min(whole)


def shape_of(spelling, **more):
    return CoreShape(parse_network(spelling), flit=64, packet=4, depth=8, routing=DIGITS, **more)


@pytest.mark.parametrize(
    ("spelling", "node"), [("grid:4x2:ring-3", (1, 0, 2)), ("ring:8:ring-3", None), ("ring:8:ring-4", (3, 1))]
)
def test_digits_are_those_of_the_plain_integers(simulate, spelling, node):
    """In every cycle a packet or none; packets in order have the preferred signs. The hop is the first one of minimal routing."""
    shape = shape_of(spelling, node=node)
    network, found = shape.network, shape.relation.digits
    dut, chance = SourceRoute(shape), random.Random(1)
    switches, bits = list(network.switches()), sum(found.distances.sign_widths)
    own, seen, turn = node or switches[0], set(), 0
    golden = Choices(network, max(shape.relation.classes.values()) - 1, found.distances.sign_widths)
    outputs = ("arrived", "invalid", "out_port", "other_port", "out_state")

    async def bench(ctx):
        nonlocal own, turn
        for step in range(400):
            if node is None and step % 30 == 0:
                own = chance.choice(switches)
                for field, value in zip(network.fields, own):
                    if field.width:
                        ctx.set(getattr(dut.own, field.name), value)
            target = chance.choice([own, *switches])
            for field, value in zip(network.fields, target):
                if field.width:
                    ctx.set(getattr(dut.dst, field.name), value)
            most = chance.getrandbits(load_width(shape))
            loads = [chance.choice((0, 0, 1, 2, 3, most)) * (step % 5 > 0) for _ in shape.ports]
            for number, load in enumerate(loads):
                ctx.set(dut.load[number], load)
            asks, ordered = (chance.random() < share for share in (0.7, 0.2))
            ctx.set(dut.asks, int(asks))
            ctx.set(dut.ordered, int(ordered))
            await ctx.tick()
            if target == own:
                assert tuple(ctx.get(getattr(dut, name)) for name in outputs[:-1]) == (1, 0, 0, 0)
            else:
                distances = tuple((t - o) % n for o, t, n in zip(own, target, network.sizes))
                used = {port.index: load for port, load in zip(shape.ports, loads) if not port.is_host}
                pair = own[-1], target[-1], distances
                choice = found.written(*pair)[0] if ordered else found.chosen(*pair, used, turn)
                signs = signs_of(found, choice)
                judge(golden, network, (own, target), signs, used, ordered)
                seen.add((ordered, choice))
                hop = 1 << int(found.decisions.ports[(*pair[:2], *found.state(distances, choice))])
                other = 1 << int(found.alternatives.ports[(*pair[:2], *found.state(distances, choice))])
                wanted = (0, 0, hop, other, golden.header(own, target, signs))
                assert tuple(ctx.get(getattr(dut, name)) for name in outputs) == wanted
            turn = (turn + asks) % found.options**2

    simulate(dut, bench, clocked=True)
    assert {choice for ordered, choice in seen if not ordered} == set(range(1 << bits))
    assert len(seen) > 1 << bits


def test_the_load_counts_flits_on_their_way(simulate):
    shape = shape_of("grid:4x2:ring-3", spread={"x": 2})
    port = next(port for port in shape.ports if port.kind == "x")
    dut, chance = PortLoad(shape, port), random.Random(1)
    seen = set()

    async def bench(ctx):
        count = 0
        for step in range(800):
            assert ctx.get(dut.load) == count // 2
            seen.add(count)
            # The buffer fills, then it drains, with credits in excess in the end.
            fills = step // 100 % 2 == 0
            sent = chance.random() < (0.9 if fills else 0.3) and count < shape.storage(port)
            credit = chance.getrandbits(port.channels)
            credit &= chance.getrandbits(port.channels) & chance.getrandbits(port.channels) * (not fills)
            if not fills and chance.random() < 0.2:
                credit = (1 << port.channels) - 1
            ctx.set(dut.sent, int(sent))
            ctx.set(dut.credit, credit)
            count = max(0, count + sent - credit.bit_count())
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert seen == set(range(shape.storage(port) + 1))
    assert load_width(shape) >= (shape.storage(port) // 2).bit_length()
