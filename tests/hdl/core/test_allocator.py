"""Output ports on Amaranth's simulator: random packets against a model, and cases in which credits do not suffice for all."""

import random
from collections import deque

import pytest
from amaranth.lib import data

from dsnswitch.hdl.core.output_port import Allocator, CrossbarColumn
from dsnswitch.hdl.core.packet import flit_layout
from dsnswitch.hdl.core.ring_pause import PASSES
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network

from .allocator_model import AllocatorModel


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


class _Random:
    """An input channel with random packets for some of ``channels``, with pauses and packets for other outputs.

    ``late``: an arriving flit may not count, and a head may turn out to be wrong when it is in front.
    """

    def __init__(self, chance, channels, packet, late):
        self.chance, self.channels, self.packet, self.late = chance, channels, packet, late
        self.left = self.channel = self.next_channel = 0
        #: The flit in front: ``(whether it is a head, a tail, dropped, goes elsewhere)``, and that of the next cycle.
        self.flit = self.following = None

    def offer(self, passes, busy):
        """What the next flit asks for: ``(name, head for this output, single)`` or None; whether it is a known tail, counts."""
        chance, flit, source, counts = self.chance, self.flit, "waiting", True
        if passes and not flit[2]:
            self.left = 0 if flit[1] else (self.packet if flit[0] else self.left) - 1
        if flit and not (passes or flit[2] or (flit[3] and chance.random() < 0.5)):
            self.following = flit
        elif chance.random() < busy:
            # Without a bubble, the next flit has waited in the buffer behind this one.
            source = "waiting" if flit and chance.random() < 0.5 else "entry"
            counts = source == "waiting" or not self.late or chance.random() < 0.8
            self.following = self.new(counts and self.late and source == "entry" and chance.random() < 0.2)
        else:
            self.following = None
            return None, False, True
        head, tail, _, elsewhere = self.following
        asks = (source, not elsewhere, tail and (source == "waiting" or chance.random() < 0.9 or self.packet == 1))
        if not head:
            asks = ("body", True, False)
        if not counts:
            self.following = None
        return asks, tail and chance.random() < 0.8, counts

    def new(self, drop):
        if self.left:
            return False, self.left == 1 or self.chance.random() < 0.1, False, False
        self.next_channel = self.chance.choice(self.channels)
        return True, self.packet == 1 or self.chance.random() < 0.3, drop, self.chance.random() < 0.1

    def advance(self):
        """The next flit comes in front."""
        self.flit = self.following
        if self.flit:
            self.channel = self.next_channel


def word(numbers):
    return sum(1 << number for number in numbers)


def core(spelling="torus:4", **more):
    return CoreShape(parse_network(spelling), flit=64, **more)


#: Credits for a packet or two; turn classes with a pool, whose packets choose; virtual networks with levels and weights.
OUTPUTS = {
    "one-channel": (core(packet=4, depth=5), 3, False),
    "ring": (core(packet=3, depth=4, routing="bubble", spread={"dim0": 2}), 5, True),
    "pool": (core(packet=3, depth=4, lookup="table", turns=2, adaptive=True, pool={"dim0": 7}), 4, True),
    "networks": (
        core("torus:2", packet=2, depth=3, virtual_networks=3, priorities=(0, 1, 0), weights=(2, 1, 1), spread={"dim0": 2}),
        9,
        False,
    ),
    "single-flits": (core(packet=1, depth=2, routing="bubble", spread={"dim0": 2}), 5, False),
}


@pytest.mark.parametrize(("shape", "count", "late"), OUTPUTS.values(), ids=OUTPUTS)
def test_random_packets(simulate, shape, count, late):
    """Credits come in bursts, the link pauses, and every grant is that of the model."""
    port, chance, seen = shape.ports[0], random.Random(1), set()
    unit, model = Allocator(shape, port, count, late), AllocatorModel(shape, port, count, late)
    sources = []
    for v in range(count):
        network = next(n for n, own in enumerate(model.inputs) if v in own)
        sources.append(_Random(chance, port.shares[network].range, shape.packet, late))

    async def bench(ctx):
        owed = [0] * port.channels
        for step in range(1200):
            busy, share = (0.9, 0.5, 1)[step // 50 % 3], (0.6, 0.05, 0.3)[step // 40 % 3]
            stall = chance.random() < 0.2 and step // 100 % 2 == 1
            offers = [one.offer(model.grant == v, busy) for v, one in enumerate(sources)]
            asks = [one[0] or ("", False, False) for one in offers]
            ends, bad = ([v for v, one in enumerate(offers) if one[place] == value] for place, value in ((1, True), (2, False)))

            def of(name, place=0, channel=None, asks=asks):
                return word(
                    v
                    for v, one in enumerate(asks)
                    if one[0] == name and one[place] and channel in (None, sources[v].next_channel)
                )

            starts = {
                name: {
                    "taken": of(name),
                    "head": of(name, 1),
                    "single": of(name, 2),
                    "channel": [of(name, 0, c) for c in range(port.channels)],
                }
                for name in ("waiting", "entry")
            }
            tails, drops = ([v for v, one in enumerate(sources) if one.flit and one.flit[place]] for place in (1, 2))
            front = [one.channel for one in sources]
            credits = [bool(flits) and chance.random() < share for flits in owed]
            ctx.set(unit.requests, starts | {"body": of("body")})
            channels = [word(v for v, one in enumerate(front) if one == c) for c in range(port.channels)]
            ctx.set(unit.front, {"tail": word(tails), "drop": word(drops), "channel": channels})
            resume = chance.random() < 0.02
            more = {"resume": resume} if model.ring else {}
            more |= {"unconfirmed": word(bad)} if late else {}
            values = {"ends": word(ends), "credit": sum(bit << c for c, bit in enumerate(credits)), "stall": stall} | more
            for name, value in values.items():
                ctx.set(getattr(unit, name), int(value))
            heads = [
                (sources[v].next_channel, one[2]) if one[0] in ("waiting", "entry") and one[1] else None
                for v, one in enumerate(asks)
            ]
            bodies = [v for v, one in enumerate(asks) if one[0] == "body"]
            assert ctx.get(unit.grant) == (0 if model.grant is None else 1 << model.grant)
            if shape.is_adaptive:
                assert ctx.get(unit.free) == word(c for c, free in enumerate(model.free) if free)
            sent = model.step(heads, bodies, front, tails, drops, ends, credits, stall, bad, resume)
            assert ctx.get(unit.sent) == (0 if sent is None else 1 << sent)
            owed = [flits - credits[c] + (c == sent) for c, flits in enumerate(owed)]
            for c, most in enumerate(model.most):
                assert owed[c] <= most + 1
            seen.add(model.grant)
            for one in sources:
                one.advance()
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    assert seen == {None, *range(count)}


def test_a_column_of_the_crossbar(simulate):
    """The flit of the source that is granted, with the channel; a cycle later."""
    shape, chance, port = OUTPUTS["ring"][0], random.Random(2), OUTPUTS["ring"][0].ports[0]
    unit, width = CrossbarColumn(shape, port, 3), flit_layout(shape).size

    async def bench(ctx):
        for _ in range(60):
            granted, sent = chance.choice((None, 0, 1, 2)), chance.choice((0, 1, 2))
            flits = [chance.getrandbits(width) for _ in range(3)]
            ctx.set(unit.grant, 0 if granted is None else 1 << granted)
            ctx.set(unit.sent, sent)
            ctx.set(unit.front.as_value(), sum(flit << width * v for v, flit in enumerate(flits)))
            await ctx.tick()
            assert ctx.get(unit.valid) == sent
            assert granted is None or ctx.get(unit.flit.as_value()) == flits[granted]

    simulate(unit, bench, clocked=True)
