"""An output port whose credits do not suffice for every packet, on Amaranth's simulator."""

from collections import deque

import pytest
from amaranth.lib import data

from dsnswitch.hdl.core.output_port import Allocator
from dsnswitch.hdl.core.ring_pause import PASSES
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network


def put(ctx, vectors, source, values):
    """Set the bits of ``source`` in a structure of vectors; a field without a value becomes 0."""
    for name, field in vectors.shape():
        value = values.get(name, 0)
        if isinstance(field.shape, data.StructLayout):
            put(ctx, vectors[name], source, value or {})
        elif isinstance(field.shape, data.ArrayLayout):
            for channel, vector in enumerate(vectors[name]):
                ctx.set(vector[source], value >> channel & 1)
        else:
            ctx.set(vectors[name][source], int(value))


def test_a_short_packet_leaves_credits_to_a_longer_one_that_waits(simulate):
    """Buffers of four flits. Two packets of one flit leave; then a packet of four flits waits, and no other one may begin."""
    shape = CoreShape(parse_network("torus:4"), flit=64, packet=4, depth=4)
    unit = Allocator(shape, shape.ports[0], 2)
    short = {"taken": 1, "head": 1, "single": 1, "channel": 1}

    async def bench(ctx):
        def ask(source, **start):
            put(ctx, unit.requests.waiting, source, start)

        async def granted(cycles):
            found = []
            for _ in range(cycles):
                await ctx.tick()
                found.append(ctx.get(unit.grant))
            return found

        for source in range(2):
            put(ctx, unit.front, source, {"tail": 1, "channel": 1})
        ask(0, **short)
        assert await granted(2) == [0b01, 0b01]
        ask(0)
        await ctx.tick()
        ask(1, **short | {"single": 0})
        await ctx.tick().repeat(2)
        ask(0, **short)
        assert await granted(4) == [0] * 4
        ctx.set(unit.credit, 1)
        assert 0b10 in await granted(4)

    simulate(unit, bench, clocked=True)


def test_a_packet_goes_on_in_a_ring_by_single_credits(simulate):
    """Buffers of four flits. A packet of three from a host takes all but one; the next one waits, but not one of the ring."""
    shape = CoreShape(parse_network("torus:4"), flit=64, packet=3, depth=4, routing="bubble")
    unit = Allocator(shape, shape.ports[0], 3)
    (ring,), host = shape.ring_sources(shape.ports[0]), 2
    head = {"taken": 1, "head": 1, "channel": 1}

    async def bench(ctx):
        async def granted(credits):
            found = []
            for credit in credits:
                ctx.set(unit.credit, credit)
                await ctx.tick()
                found.append(ctx.get(unit.grant))
            return found

        for source in (host, ring):
            put(ctx, unit.front, source, {"channel": 1})
        put(ctx, unit.requests.waiting, host, head)
        assert await granted([0]) == [1 << host]
        put(ctx, unit.requests, host, {"body": 1})
        assert await granted([0, 0]) == [1 << host] * 2
        put(ctx, unit.front, host, {"channel": 1, "tail": 1})
        # Three flits are there. A packet of one flit may not take the last place, nor may a longer one.
        for single in (1, 0):
            put(ctx, unit.requests, host, {"waiting": head | {"single": single}})
            assert await granted([0] * 4) == [0] * 4
        put(ctx, unit.requests.waiting, ring, head)
        assert await granted([0]) == [1 << ring]
        put(ctx, unit.requests, ring, {"body": 1})
        assert await granted([0, 0, 1, 0, 0]) == [0, 0, 0, 1 << ring, 0]
        put(ctx, unit.front, ring, {"channel": 1, "tail": 1})
        assert await granted([1, 0, 0]) == [0, 1 << ring, 0]
        put(ctx, unit.requests, ring, {})
        # The host's packet begins when all four are free.
        assert await granted([1, 1, 1, 0, 0]) == [0] * 5
        assert 1 << host in await granted([1, 0, 0, 0])

    simulate(unit, bench, clocked=True)


def test_a_ring_pauses_until_a_packet_has_entered(simulate):
    """Packets of one flit take each credit, until a packet of the host has waited for long; not for ever without credits."""
    shape = CoreShape(parse_network("torus:4"), flit=64, packet=2, depth=4, routing="bubble")
    unit = Allocator(shape, shape.ports[0], 3)
    (ring,), host, head = shape.ring_sources(shape.ports[0]), 2, {"taken": 1, "head": 1, "channel": 1}

    async def bench(ctx):
        async def counted(cycles, returns):
            """Packets of the ring and of the host that begin; each flit's credit returns if ``returns``."""
            found = [0, 0]
            for _ in range(cycles):
                ctx.set(unit.credit, ctx.get(unit.sent) if returns else 0)
                await ctx.tick()
                found[0] += ctx.get(unit.grant) >> ring & 1
                found[1] += ctx.get(unit.grant) >> host & 1
            return found

        put(ctx, unit.front, ring, {"channel": 1, "tail": 1})
        put(ctx, unit.front, host, {"channel": 1})
        put(ctx, unit.requests.waiting, ring, head | {"single": 1})
        # The ring takes the places of two flits, then each that becomes free.
        assert await counted(2, False) == [2, 0]
        put(ctx, unit.requests.waiting, ring, {})
        assert await counted(1, False) == [0, 0]
        put(ctx, unit.requests.waiting, ring, head | {"single": 1})
        put(ctx, unit.requests.waiting, host, head)
        passed, entered = await counted(200, True)
        assert PASSES <= passed <= PASSES + 1
        assert not entered
        # It pauses, while a flit is free, until it is told to go on.
        ctx.set(unit.resume, 1)
        await ctx.tick()
        ctx.set(unit.resume, 0)
        assert PASSES <= (await counted(200, True))[0] <= PASSES + 1
        for _ in range(2):
            ctx.set(unit.credit, 1)
            await ctx.tick()
        assert ctx.get(unit.grant) >> host or (await counted(3, False))[1]

    simulate(unit, bench, clocked=True)


def test_a_packet_goes_on_after_a_pause(simulate):
    """A packet of another channel waits; while the one that has begun has flits, it stays the only one that is granted."""
    shape = CoreShape(parse_network("torus:4"), flit=64, packet=4, depth=8)
    unit = Allocator(shape, shape.ports[0], 2)
    assert unit.front.shape()["channel"].shape.length == 2

    async def bench(ctx):
        for source, channel in enumerate((1, 2)):
            put(ctx, unit.requests.waiting, source, {"taken": 1, "head": 1, "channel": channel})
            put(ctx, unit.front, source, {"channel": channel})
            if not source:
                await ctx.tick()
        assert ctx.get(unit.grant) == 0b01
        put(ctx, unit.requests, 0, {"body": 1})
        for stall in (0, 1, 0, 0, 1, 1, 1, 0, 0):
            ctx.set(unit.stall, stall)
            await ctx.tick()
            assert ctx.get(unit.grant) in (0b00, 0b01)
        assert ctx.get(unit.grant) == 0b01
        put(ctx, unit.requests, 0, {})
        await ctx.tick()
        assert ctx.get(unit.grant) == 0b10

    simulate(unit, bench, clocked=True)


@pytest.mark.parametrize("more", [{}, {"pool": {"dim0": 6}}], ids=str)
def test_no_head_waits_for_ever(simulate, more):
    """Single flits of one channel can pass in every cycle. Longer packets wait for the other one, whose credits come late."""
    shape = CoreShape(parse_network("torus:4"), **{"flit": 64, "packet": 4, "depth": 4} | more)
    unit = Allocator(shape, shape.ports[0], 4)
    sources = [_Source(*each) for each in ((1, 1), (1, 1), (4, 2), (2, 2))]

    async def bench(ctx):
        late = deque([0] * 6)
        for cycle in range(400):
            grant = ctx.get(unit.grant)
            for number, source in enumerate(sources):
                passes = grant >> number & 1
                put(ctx, unit.front, number, source.front())
                put(ctx, unit.requests, number, source.request(passes))
                ctx.set(unit.ends[number], source.ends(passes))
                source.advance(passes, cycle)
            late.append(ctx.get(unit.sent))
            ctx.set(unit.credit, late[-2] & 1 | late.popleft() & 2)
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    for source in sources:
        assert source.packets > 10
        assert source.longest < 40


class _Source:
    """An input channel that always has a packet, of one length and for one channel."""

    def __init__(self, length, channel):
        self.length, self.channel = length, channel
        self.at = self.since = self.longest = self.packets = 0

    def front(self):
        return {"tail": self.at == self.length - 1, "channel": self.channel}

    def request(self, passes):
        """The request of the flit that is in front in the next cycle."""
        after = (self.at + passes) % self.length
        if after:
            return {"body": 1}
        return {"waiting": {"taken": 1, "head": 1, "single": self.length == 1, "channel": self.channel}}

    def ends(self, passes):
        return (self.at + passes) % self.length == self.length - 1

    def advance(self, passes, cycle):
        if not self.at:
            self.longest = max(self.longest, cycle - self.since)
        self.at += passes
        if self.at == self.length:
            self.at, self.since, self.packets = 0, cycle, self.packets + 1
