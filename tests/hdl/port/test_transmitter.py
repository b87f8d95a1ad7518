"""The transmitter of a fabric link: what its link words say while flits are sent again, and flits without a head."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import Kind, link_word_layout
from dsnswitch.hdl.port.transmitter import Transmitter

VALUES = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4, "retry": True, "round_trip": 16}
PLAIN = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4}
FIELDS = {name: (field.offset, field.width) for name, field in link_word_layout()}


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
