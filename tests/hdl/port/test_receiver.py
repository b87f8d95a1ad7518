"""The receiver of a fabric link with retransmission, without lock: it accepts nothing, and asks for nothing."""

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import Kind, constant_word
from dsnswitch.hdl.port.receiver import Receiver

VALUES = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4, "retry": True}


def present(ctx, unit, **word):
    """A control block with the link word."""
    ctx.set(unit.line.valid, 1)
    ctx.set(unit.line.plain, constant_word(**word).value << 16)
    ctx.set(unit.line.no_start, word["kind"] != Kind.HEAD)


def test_blocks_without_lock(simulate):
    """A head is not accepted in three cycles without lock, nor in the first with it: the descrambler sums the block before."""
    unit, found = Receiver(build(VALUES).shape), []

    async def bench(ctx):
        ctx.set(unit.active, 1)
        ctx.set(unit.space, 1)
        await ctx.tick()
        present(ctx, unit, kind=Kind.HEAD, single=1)
        for cycle in range(5):
            ctx.set(unit.locked, cycle >= 3)
            await ctx.tick()
            found.append(ctx.get(unit.into))

    simulate(unit, bench, clocked=True)
    assert found == [0, 0, 0, 0, 1]


def test_requests_without_lock(simulate):
    """Whether a request is urgent at some time after a flit was found missing: with lock, without, and with it again."""
    unit, found = Receiver(build(VALUES).shape), []

    async def bench(ctx):
        ctx.set(unit.active, 1)
        ctx.set(unit.locked, 1)
        await ctx.tick().repeat(2)
        present(ctx, unit, kind=Kind.CREDIT, number=5)
        await ctx.tick()
        ctx.set(unit.line.valid, 0)
        for locked in (1, 0, 1):
            ctx.set(unit.locked, locked)
            seen = 0
            for _ in range(8):
                await ctx.tick()
                seen |= ctx.get(unit.urgent)
            found.append(seen)

    simulate(unit, bench, clocked=True)
    assert found == [1, 0, 1]
