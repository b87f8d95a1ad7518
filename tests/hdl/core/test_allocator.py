"""Output ports on Amaranth's simulator: random packets, whose every grant is that of a model."""

import random

import pytest

from dsnswitch.hdl.core.output_port import Allocator, CrossbarColumn
from dsnswitch.hdl.core.packet import flit_layout
from dsnswitch.hdl.core.ring_pause import PASSES
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.registry import parse_network

from .allocator_model import AllocatorModel


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
    "networks": (core("torus:2", packet=2, depth=3, virtual_networks=3, priorities=(0, 1, 0), weights=(2, 1, 1)), 6, False),
    "single-flits": (core(packet=1, depth=2, routing="bubble", spread={"dim0": 2}), 5, False),
}


@pytest.mark.parametrize(("shape", "count", "late"), OUTPUTS.values(), ids=OUTPUTS)
def test_random_packets(simulate, shape, count, late):
    """Credits come in bursts, the link pauses, and every grant is that of the model."""
    port, chance, seen = shape.ports[0], random.Random(1), set()
    unit, model = Allocator(shape, port, count, late), AllocatorModel(shape, port, count, late)
    sources, pauses = [], 0
    for v in range(count):
        network = next(n for n, own in enumerate(model.inputs) if v in own)
        own = [c for c, source in enumerate(model.ring) if source == v]
        sources.append(_Random(chance, own or port.shares[network].range, shape.packet, late))

    async def bench(ctx):
        nonlocal pauses
        owed = [0] * port.channels
        for step in range(1000):
            busy, share = (0.9, 0.5, 1)[step // 50 % 3], (0.6, 0.05, 0.3)[step // 40 % 3]
            stall = chance.random() < 0.2 and step // 100 % 2 == 1
            if step % 40 == 0:
                # Some have no new flits for a while.
                idle = {v for v in range(count) if chance.random() < 0.6}
            # Packets of a ring go on by single credits, and one that would enter waits, until they pause.
            is_full = model.ring and step // 250 % 2
            if is_full:
                idle, busy = {*range(count)} - {*model.ring, count - 1, 0}, 1
            offers = [one.offer(model.grant == v, busy * (v not in idle)) for v, one in enumerate(sources)]
            asks = [one[0] or ("", False, False) for one in offers]
            ends, bad = ([v for v, one in enumerate(offers) if one[place] == value] for place, value in ((1, True), (2, False)))

            def of(name, place=0, channel=None, asks=asks):
                return word(
                    v
                    for v, one in enumerate(asks)
                    if one[0] == name and one[place] and channel in (None, sources[v].next_channel)
                )

            starts = {}
            for name in ("waiting", "entry"):
                # The other inputs of a source without a flit are random.
                taken, noise = of(name), [chance.getrandbits(count) for _ in range(3)]
                others = (1 << count) - 1 & ~taken
                starts[name] = {
                    "taken": taken,
                    "head": of(name, 1) | noise[0] & others,
                    "single": of(name, 2) | noise[1] & others,
                    "channel": [of(name, 0, c) | (noise[2] ^ -(c & 1)) & others * (c < 2) for c in range(port.channels)],
                }
            tails, drops = ([v for v, one in enumerate(sources) if one.flit and one.flit[place]] for place in (1, 2))
            front = [one.channel for one in sources]
            # Now and then a credit too many.
            shares = [share if flits else 0.02 * (not held) for flits, held in zip(owed, model.held)]
            if is_full:
                shares = [0.8 * (flits > 1) for flits in owed]
            credits = [chance.random() < one for one in shares]
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
            owed = [max(0, flits - credits[c] + (c == sent)) for c, flits in enumerate(owed)]
            assert all(flits <= most for flits, most in zip(owed, model.most))
            seen.add(model.grant)
            pauses += PASSES in model.passed
            for one in sources:
                one.advance()
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    assert seen == {None, *range(count)}
    assert not model.ring or pauses > 20


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
