"""The choice of a source in gateware, against :meth:`Digits.chosen`, and the loads that it is made from."""

import random

import pytest
from walks import signs_of

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.core.source_choice import PortLoad, SourceChoice, load_width
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
    ("spelling", "node"), [("grid:4x2:ring-3", None), ("ring:8:ring-3", (3, 1)), ("grid:2x8:ring-4", None)]
)
def test_signs_are_those_of_the_plain_integers(simulate, spelling, node):
    """In every cycle a flit; those that are no heads pass, and packets in order have the preferred signs."""
    shape = shape_of(spelling, node=node)
    network, found, header = shape.network, shape.relation.digits, Header(shape)
    host = next(port for port in shape.ports if port.is_host)
    dut, chance = SourceChoice(shape, host), random.Random(1)
    switches = list(network.switches())
    low, bits = header.layout["flags"].offset + header.layout["flags"].shape["signs"].offset, shape.relation.sign_bits
    own, seen, turn, expected = node or switches[0], set(), 0, None
    golden = Choices(network, max(shape.relation.classes.values()) - 1, found.distances.sign_widths)

    async def bench(ctx):
        nonlocal own, turn, expected
        for step in range(400):
            if expected is not None:
                assert (ctx.get(dut.to_valid), ctx.get(dut.to_flit.as_value())) == expected
            if node is None and step % 30 == 0:
                own = chance.choice(switches)
                for field, value in zip(network.fields, own):
                    if field.width:
                        ctx.set(getattr(dut.own, field.name), value)
            target = chance.choice([one for one in switches if one != own])
            loads = [chance.choice((0, 0, 1, 2, 3)) * (step % 5 > 0) for _ in shape.ports]
            for number, load in enumerate(loads):
                ctx.set(dut.load[number], load)
            valid, head, ordered = (chance.random() < share for share in (0.9, 0.7, 0.2))
            ctx.set(dut.valid, int(valid))
            ctx.set(dut.flit.data, chance.getrandbits(64))
            ctx.set(dut.flit.head, head)
            data = ctx.get(dut.flit.data)
            fields = dict(header.layout)
            place = fields["destination"].offset
            for field, value in zip(network.fields, target):
                if field.width:
                    part = header.address[field.name]
                    mask = (1 << part.width) - 1 << place + part.offset
                    data = data & ~mask | value << place + part.offset
            mark = fields["flags"].offset + header.layout["flags"].shape["ordered"].offset
            data = data & ~(1 << mark) | ordered << mark
            ctx.set(dut.flit.data, data)
            after = data
            if head:
                distances = tuple((t - o) % n for o, t, n in zip(own, target, network.sizes))
                used = {port.index: load for port, load in zip(shape.ports, loads) if not port.is_host}
                pair = own[-1], target[-1], distances
                choice = found.written(*pair)[0] if ordered else found.chosen(*pair, used, turn)
                judge(golden, network, (own, target), signs_of(found, choice), used, ordered)
                seen.add((ordered, choice))
                change = (choice << low) ^ data & ((1 << bits) - 1 << low)
                check = sum((change & row).bit_count() % 2 << place for place, row in enumerate(header.code.rows))
                after ^= change ^ check << fields["check"].offset
            rest = ctx.get(dut.flit.as_value()) >> 64
            expected = int(valid), after | rest << 64
            turn = (turn + (valid and head)) % found.options**2
            await ctx.tick()

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
        for _ in range(600):
            assert ctx.get(dut.load) == count // 2
            seen.add(count)
            sent = chance.random() < 0.6 and count < shape.storage(port)
            credit = chance.getrandbits(port.channels) & chance.getrandbits(port.channels) & chance.getrandbits(6)
            ctx.set(dut.sent, int(sent))
            ctx.set(dut.credit, credit)
            count = max(0, count + sent - credit.bit_count())
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert 0 in seen
    assert max(seen) > 20
    assert load_width(shape) >= (shape.storage(port) // 2).bit_length()
