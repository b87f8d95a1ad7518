"""The choice of a waiting packet between two hops: when it is taken, and which packets have one."""

import random
from collections import Counter

import pytest

from dsnswitch.hdl.core.hop_choice import HopChoice, free_width
from dsnswitch.hdl.core.input_channel import InputChannel
from dsnswitch.hdl.core.route_unit import RouteUnit
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.routing.registry import ADAPTIVE, relation_of
from dsnswitch.net.topology.registry import parse_network

SHAPE = CoreShape(parse_network("grid:3x3:ring-3"), flit=64, packet=4, routing=ADAPTIVE)


def place(port, channel):
    """Bit of a channel among the free ones, and bit of the choice of channel in a tag."""
    before = sum(one.channels for one in SHAPE.ports[:port])
    one = SHAPE.ports[port]
    return before + channel, SHAPE.selections[one.classes, one.spreads[0]] + channel


#: Two channels per class on shortcuts, one on local links.
WIDE = CoreShape(parse_network("grid:3x3:ring-3"), flit=64, packet=4, routing=ADAPTIVE, spread={"x": 2, "y": 2})


def wanted(shape, hops, flow, free):
    """``(other, shift)`` by the definition: ``hops`` are the port and the class of the first and of the other hop."""
    for other, (port, number) in enumerate(hops):
        spread = shape.ports[port].spreads[0]
        for shift in range(2):
            if free[port] >> (number * spread + (flow ^ shift) % spread) & 1:
                return other, shift
    return 0, 0


@pytest.mark.parametrize("may", [True, False])
def test_a_waiting_packet_takes_any_free_channel_of_its_class(simulate, may):
    chance, dut, seen = random.Random(1), HopChoice(WIDE), Counter()
    ports = [number for number, port in enumerate(WIDE.ports) if not port.is_host]

    async def bench(ctx):
        for _ in range(400):
            hops, flow = (
                [(chance.choice(ports), chance.randrange(WIDE.ports[0].classes)) for _ in range(2)],
                chance.randrange(2),
            )
            free = {number: chance.getrandbits(WIDE.ports[number].channels) & chance.getrandbits(8) for number in ports}
            for tag, (port, number) in zip((dut.tag, dut.tag.other), hops):
                channel = sum(1 << first + number * spread + flow % spread for (_, spread), first in WIDE.selections.items())
                ctx.set(tag.route, 1 << port if may or tag is dut.tag else 0)
                ctx.set(tag.channel, channel)
            value = place = 0
            for number in ports:
                value |= free[number] << place
                place += WIDE.ports[number].channels
            ctx.set(dut.free, value)
            await ctx.delay(1e-9)
            other, shift = ctx.get(dut.other), ctx.get(dut.shift)
            right = wanted(WIDE, hops, flow, free) if may else (0, 0)
            assert other == right[0]
            # A port with one channel per class takes it, whatever the number is.
            assert shift == right[1] or WIDE.ports[hops[other][0]].spreads == (1,)
            seen[other, shift] += 1

    simulate(dut, bench)
    assert len(seen) == (4 if may else 1)


@pytest.mark.parametrize("ordered", [0, 1])
def test_ordered_packets_have_one_hop(simulate, ordered):
    network, relation = SHAPE.network, relation_of(SHAPE.network, ADAPTIVE)
    host = next(port for port in SHAPE.ports if port.is_host)
    dut, several = RouteUnit(SHAPE, host), []

    async def bench(ctx):
        for own in network.representatives():
            for destination in network.switches():
                hops = relation.hops(own, None, destination)
                for field, here, there in zip(network.fields, own, destination):
                    ctx.set(getattr(dut.own, field.name), here)
                    for header in (dut.asked, dut.header):
                        ctx.set(header.destination[field.name], there)
                ctx.set(dut.header.flags.ordered, ordered)
                await ctx.delay(1e-9)
                wanted = 1 << hops[-1][0] if hops and not ordered else 0
                assert ctx.get(dut.tag.other.route) == wanted
                several.append(len(hops) > 1)

    simulate(dut, bench)
    assert any(several)


def test_a_head_that_does_not_count_changes_no_hop(simulate):
    """The body of a packet follows its head, which took its other hop; a head that does not count came between."""
    dut, (first, other) = InputChannel(SHAPE, SHAPE.ports[0], speculative=True), (1, 2)
    busy, choice = place(first, 0)
    everything = (1 << free_width(SHAPE)) - 1

    async def bench(ctx):
        tag = dut.entry.tag
        for hop, port in ((tag, first), (tag.other, other)):
            ctx.set(hop.route, 1 << port)
            ctx.set(hop.channel, 1 << choice)
        ctx.set(dut.free, everything & ~(1 << busy))

        async def offer(head, confirmed):
            ctx.set(dut.valid, 1)
            ctx.set(dut.confirmed, confirmed)
            ctx.set(dut.entry.flit.head, head)
            ctx.set(dut.begins, head)
            ctx.set(dut.continues, not head)
            asked = ctx.get(dut.asks.body)
            await ctx.tick()
            ctx.set(dut.valid, 0)
            return asked

        await offer(head=1, confirmed=1)
        # The head waits, and finds its first hop busy.
        await ctx.tick()
        ctx.set(dut.granted, 1 << other)
        await ctx.tick()
        ctx.set(dut.granted, 0)
        await offer(head=1, confirmed=0)
        assert await offer(head=0, confirmed=1) == 1 << other

    simulate(dut, bench, clocked=True)
