"""The receiver of a fabric link with retransmission, without lock: it accepts nothing, and asks for nothing."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import Kind, constant_word
from dsnswitch.hdl.port.order import BlockOrder
from dsnswitch.hdl.port.receiver import Receiver

VALUES = {"block": "fabric-port", "topology": "torus:2", "flit": 64, "packet": 4, "retry": True}


def present(ctx, unit, **word):
    """A control block with the link word."""
    ctx.set(unit.line.valid, 1)
    ctx.set(unit.line.plain, constant_word(**word).value << 16)
    ctx.set(unit.line.no_start, word["kind"] != Kind.HEAD)


def accepted(simulate):
    """Whether the head of a packet of one flit is accepted in each cycle; in the first three there is no lock."""
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
    return found


def urgent(simulate):
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
    return found


def test_blocks_without_lock(simulate):
    """The first block with lock is not accepted either: the descrambler sums bits of the one before."""
    assert accepted(simulate) == [0, 0, 0, 0, 1]


def test_requests_without_lock(simulate):
    assert urgent(simulate) == [1, 0, 1]


@pytest.mark.parametrize(
    ("change", "run", "right"),
    [
        ((Receiver, "_watch", "bad.eq(1)", "bad.eq(bad)"), accepted, [0, 0, 0, 0, 1]),
        ((BlockOrder, "elaborate", "acceptance.urgent & self.locked", "acceptance.urgent"), urgent, [1, 0, 1]),
    ],
    ids=["accepts", "asks"],
)
def test_a_receiver_that_ignores_the_lock_is_noticed(simulate, mutate, change, run, right):
    mutate(*change)
    assert run(simulate) != right
