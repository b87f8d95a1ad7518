"""The choice of a waiting packet between two hops: when it is taken, and which packets have one."""

import random
from collections import Counter

from dsnswitch.hdl.core.hop_choice import HopChoice
from dsnswitch.hdl.core.route_unit import RouteUnit
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.routing.registry import ADAPTIVE, relation_of
from dsnswitch.net.topology.registry import parse_network

SHAPE = CoreShape(parse_network("grid:3x3:ring-3"), flit=64, packet=4, routing=ADAPTIVE)


#: Two channels per class on shortcuts, one on local links.
WIDE = CoreShape(parse_network("grid:3x3:ring-3"), flit=64, packet=4, routing=ADAPTIVE, spread={"x": 2, "y": 2})


def offered(chance, shape):
    """``(hops, flow)`` of a packet: port and class of its hop, and perhaps of another one."""
    ports = [number for number, port in enumerate(shape.ports) if not port.is_host]
    count = 1 + (shape.is_adaptive and chance.random() < 0.8)
    if count == 1 and chance.random() < 0.2:
        ports = [len(shape.ports) - 1]
    return [(chance.choice(ports), chance.randrange(shape.ports[0].classes)) for _ in range(count)], chance.randrange(2)


def wanted(shape, tag, free):
    """``(other, shift)`` by the definition, with the word ``free``: any other hop counts only if the packet has one."""
    hops, flow = tag
    if len(hops) == 1:
        return 0, 0
    for other, (port, number) in enumerate(hops):
        spread = shape.ports[port].spreads[0]
        first = sum(one.channels for one in shape.ports[:port] if not one.is_host)
        for shift in range(2):
            if free >> first + number * spread + (flow ^ shift) % spread & 1:
                return other, shift
    return 0, 0


def word_of(shape, hop, flow):
    """``(route, channel)`` of a hop: one-hot, the channel for each kind of output."""
    port, number = hop
    bits = [first + min(number, classes - 1) * spread + flow % spread for (classes, spread), first in shape.selections.items()]
    return 1 << port, sum(1 << bit for bit in bits)


def hop_word(shape, tag, free=None):
    """What a packet asks for: its first hop and flow's channel without ``free``."""
    other, shift = (0, 0) if free is None else wanted(shape, tag, free)
    return word_of(shape, tag[0][other], tag[1] ^ shift)


def tag_of(shape, tag):
    """The tag of a packet."""
    first, *others = [dict(zip(("route", "channel"), word_of(shape, hop, tag[1]))) for hop in tag[0]]
    return first | ({"other": (others or [{"route": 0, "channel": 0}])[0]} if shape.is_adaptive else {})


def test_a_waiting_packet_takes_any_free_channel_of_its_class(simulate):
    chance, dut, seen = random.Random(1), HopChoice(WIDE), Counter()

    async def bench(ctx):
        for _ in range(500):
            tag, free = offered(chance, WIDE), chance.getrandbits(len(dut.free)) & chance.getrandbits(len(dut.free))
            ctx.set(dut.tag, tag_of(WIDE, tag))
            ctx.set(dut.free, free)
            got = ctx.get(dut.other), ctx.get(dut.shift)
            assert got == wanted(WIDE, tag, free)
            seen[got] += 1

    simulate(dut, bench)
    assert len(seen) == 4


def test_ordered_packets_have_one_hop(simulate):
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
                for ordered in (0, 1):
                    ctx.set(dut.header.flags.ordered, ordered)
                    wanted = 1 << hops[-1][0] if hops and not ordered else 0
                    assert ctx.get(dut.tag.other.route) == wanted
                several.append(len(hops) > 1)

    simulate(dut, bench)
    assert any(several)
