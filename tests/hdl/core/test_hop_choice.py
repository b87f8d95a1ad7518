"""The choice of a waiting packet between two hops: when it is taken, and which packets have one."""

from itertools import combinations

import pytest

from dsnswitch.hdl.core.hop_choice import HopChoice, free_width
from dsnswitch.hdl.core.route_unit import RouteUnit
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.routing.registry import ADAPTIVE, relation_of
from dsnswitch.net.topology.registry import parse_network

SHAPE = CoreShape(parse_network("grid:3x3:ring-3"), flit=64, packet=4, routing=ADAPTIVE)


def place(port, channel):
    """Bit of a channel among the free ones, and bit of the choice of channel in a tag."""
    before = sum(one.channels for one in SHAPE.ports[:port])
    one = SHAPE.ports[port]
    return before + channel, SHAPE.selections[one.classes, one.spread] + channel


def test_the_other_hop_is_taken_if_only_its_channel_is_free(simulate):
    dut = HopChoice(SHAPE)
    ports = [number for number, port in enumerate(SHAPE.ports) if not port.is_host]
    everything = (1 << free_width(SHAPE)) - 1

    async def bench(ctx):
        for (first, other), channel in zip(combinations(ports, 2), 5 * (0, 1, 2)):
            (mine, choice), (its, _) = place(first, channel), place(other, channel)
            ctx.set(dut.tag.route, 1 << first)
            ctx.set(dut.tag.channel, 1 << choice)
            ctx.set(dut.tag.other.route, 1 << other)
            ctx.set(dut.tag.other.channel, 1 << choice)
            for busy, wanted in ((0, 0), (1 << mine, 1), (1 << its, 0), (1 << mine | 1 << its, 0)):
                ctx.set(dut.free, everything & ~busy)
                await ctx.delay(1e-9)
                assert ctx.get(dut.other) == wanted

    simulate(dut, bench)


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
