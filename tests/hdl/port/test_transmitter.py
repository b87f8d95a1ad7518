"""The transmitter of a fabric link: what its link words say while flits are sent again, flits without a head, check bits."""

import random

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import DETAILS_CODE, LINK_CODE, NUMBER_BITS, Kind, link_word_layout
from dsnswitch.hdl.port.transmitter import Numbers, Transmitter
from dsnswitch.sim.golden.fec.secded import encode, numbers, words

VALUES = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4, "retry": True, "round_trip": 16}
PLAIN = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4}
FIELDS = {name: (field.offset, field.width) for name, field in link_word_layout()}


def encoded(code, bits):
    """The codeword of a number, by the golden code."""
    return int(numbers(encode(code, words([bits], code.k)))[0])


def test_counts_are_not_exact_while_flits_are_sent_again(simulate):
    """Kind, number and mark of blocks with urgent counts, while three flits wait to be sent again, and after them.

    The number is that of the next flit on the line.
    """
    unit = Transmitter(build(VALUES).shape)
    found = {"again": [], "after": []}

    def word(ctx):
        bits = ctx.get(unit.block.link_word)
        return tuple(bits >> low & (1 << width) - 1 for low, width in map(FIELDS.get, ("kind", "number", "exact")))

    async def bench(ctx):
        for member in ("active", "taken", "ready", "seen"):
            ctx.set(getattr(unit, member), 1)
        await ctx.tick()
        for place in range(3):
            ctx.set(unit.valid, 1)
            ctx.set(unit.flit, {"data": place, "head": place == 0, "tail": place == 2})
            await ctx.tick()
        ctx.set(unit.valid, 0)
        await ctx.tick().repeat(3)
        ctx.set(unit.answered, 1)
        ctx.set(unit.its_answer, {"accepted": 0, "request": 1})
        await ctx.tick()
        ctx.set(unit.answered, 0)
        ctx.set(unit.urgent, 1)
        for name in found:
            # Urgent counts go before flits that are sent again.
            await ctx.tick().repeat(3)
            for _ in range(3):
                found[name].append(word(ctx))
                await ctx.tick()
            ctx.set(unit.urgent, 0)
            await ctx.tick().repeat(8)
            ctx.set(unit.urgent, 1)

    simulate(unit, bench, clocked=True)
    assert found == {"again": [(Kind.CREDIT, 0, 0)] * 3, "after": [(Kind.CREDIT, 3, 1)] * 3}


def test_numbers_have_their_check_bits(simulate):
    """With and without retransmission: each word is that of its number, with the check bits of the golden code."""

    def bench_of(unit, retries):
        async def bench(ctx):
            rng, packets, number = random.Random(1), 0, 0
            for _ in range(100):
                new_head = rng.getrandbits(1)
                packets = packets + new_head & 0xFFFF if not retries else packets
                ctx.set(unit.new_head, new_head)
                if retries:
                    ctx.set(unit.active, 1)
                    ctx.set(unit.leaves, 1)
                    number = rng.getrandbits(NUMBER_BITS)
                    ctx.set(unit.following, number)
                    ctx.set(unit.target, rng.getrandbits(NUMBER_BITS))
                await ctx.tick()
                assert ctx.get(unit.word) == encoded(LINK_CODE, (number if retries else packets) << FIELDS["number"][0])

        return bench

    for values in (VALUES, PLAIN):
        unit = Numbers(build(values).shape)
        simulate(unit, bench_of(unit, values is VALUES), clocked=True)


def test_details_have_their_check_bits(simulate):
    """Of random hellos and random counts."""
    shape, rng = build(PLAIN).shape, random.Random(2)
    unit = Transmitter(shape)

    async def bench(ctx):
        ctx.set(unit.taken, 1)
        for says_hello in (1, 0):
            for _ in range(30):
                value = rng.getrandbits(len(unit.hello.as_value()) if says_hello else 2 * shape.count_width * shape.per_block)
                ctx.set(unit.says_hello, says_hello)
                ctx.set(unit.hello.as_value() if says_hello else unit.details, value)
                await ctx.tick().repeat(6)
                assert ctx.get(unit.block.details) == encoded(DETAILS_CODE, value)

    simulate(unit, bench, clocked=True)


def test_a_tail_ends_its_packet(simulate):
    """A packet of two flits, then a flit without a head on the same channel, which is dropped."""
    unit = Transmitter(build(PLAIN).shape)
    flits, found = [(1, 0), (0, 1), (0, 1)], []

    async def bench(ctx):
        for member in ("active", "taken", "ready", "seen"):
            ctx.set(getattr(unit, member), 1)
        await ctx.tick()
        for cycle in range(8):
            ctx.set(unit.valid, cycle < len(flits))
            if cycle < len(flits):
                ctx.set(unit.flit, dict(zip(("head", "tail"), flits[cycle])))
            found.extend(name for name in ("sent", "dropped") if ctx.get(getattr(unit, name)))
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    assert found == ["sent", "sent", "dropped"]
