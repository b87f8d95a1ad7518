"""The choice of a source in gateware, against :meth:`Digits.chosen`, and the loads that it is made from."""

import random

import pytest

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.core.source_choice import PortLoad, SourceChoice, load_width
from dsnswitch.net.routing.registry import DIGITS
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.choices import Choices


def judge(golden, network, pair, signs, used, ordered):
    """A source's choice against the golden model, which knows neither rules nor preferred hops.

    No other choice has less load whichever of its hops it takes; a packet in order takes a shortest path, and so do all without
    load.
    """
    own, offered = pair[0], golden.offered(*pair)
    assert signs in offered
    ends = {port: end[0] for port in used if (end := network.neighbour(own, port))}
    loads = {}
    for one in offered:
        exits = golden.exits(*pair, one)
        loads[one] = [used[port] for port, there in ends.items() if there in exits]
    if ordered or not any(used.values()):
        assert golden.hops(*pair, signs) == min(golden.hops(*pair, one) for one in offered)
    else:
        assert min(loads[signs]) <= min(max(found) for found in loads.values())


def shape_of(spelling, **more):
    return CoreShape(parse_network(spelling), flit=64, packet=4, depth=8, routing=DIGITS, **more)


@pytest.mark.parametrize(("spelling", "node"), [("grid:4x2:ring-3", None), ("ring:8:ring-3", (3, 1))])
def test_signs_are_those_of_the_plain_integers(simulate, spelling, node):
    """In every cycle a flit; those that are no heads pass, and packets in order have the preferred signs."""
    shape = shape_of(spelling, node=node)
    network, found, header = shape.network, shape.relation.digits, Header(shape)
    host = next(port for port in shape.ports if port.is_host)
    dut, chance = SourceChoice(shape, host), random.Random(1)
    switches = list(network.switches())
    low, bits = header.layout["flags"].offset + header.layout["flags"].shape["signs"].offset, shape.relation.sign_bits
    own, seen, turn, expected = node or switches[0], set(), 0, None
    golden = Choices(network, max(shape.relation.classes.values()) - 1)

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
                number = found.chosen(own[-1], target[-1], distances, used, turn)
                if ordered:
                    number = int(found.preferred[(own[-1], target[-1], *distances)])
                judge(golden, network, (own, target), tuple(map(bool, found.signs[number])), used, ordered)
                seen.add((ordered, number))
                change = (found.bits(number) << low) ^ data & ((1 << bits) - 1 << low)
                check = sum((change & row).bit_count() % 2 << place for place, row in enumerate(header.code.rows))
                after ^= change ^ check << fields["check"].offset
            rest = ctx.get(dut.flit.as_value()) >> 64
            expected = int(valid), after | rest << 64
            turn = (turn + (valid and head)) % len(found.signs)
            await ctx.tick()

    simulate(dut, bench, clocked=True)
    assert seen == {(ordered, number) for ordered in (False, True) for number in range(len(found.signs))}


def test_the_load_counts_flits_on_their_way(simulate):
    shape = shape_of("grid:4x2:ring-3", spread={"x": 2})
    port = next(port for port in shape.ports if port.kind == "x")
    dut, chance = PortLoad(shape, port), random.Random(1)
    seen = set()

    async def bench(ctx):
        count = 0
        for _ in range(600):
            assert ctx.get(dut.load) == count // 4
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
    assert load_width(shape) >= (shape.storage(port) // 4).bit_length()
