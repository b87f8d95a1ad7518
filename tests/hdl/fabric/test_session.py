"""Start of a session: each parameter that differs is named, and keeps the link closed until it is right."""

import pytest
from amaranth.sim import Simulator

from dsnswitch.gen.config import build
from dsnswitch.hdl.fabric import DIFFERENCES, FabricShape, State
from dsnswitch.hdl.fabric.line_format import Kind
from dsnswitch.hdl.fabric.session import Session
from dsnswitch.hdl.fabric.shape import VERSION

SMALL = {"block": "fabric-port", "topology": "ring:5:ring-3", "packet": 5, "depth": 12}
ENDS = {"own_address": 5, "own_port": 1, "peer_address": 9, "peer_port": 2}


def start(changes, session=Session, retry=0):
    """What an end does that receives hellos with ``changes``, and then right ones: ``(state, mismatch)`` of both times."""
    port = build(SMALL).shape
    shape = FabricShape(port.core, port.port, retry)
    unit = session(shape, settle=4, patience=64)
    right = {
        "version": VERSION,
        "flit": shape.core.flit,
        "channels": shape.channels,
        "depth": shape.depth,
        "packet": shape.core.packet,
        "replay": shape.replay,
        "address": 9,
        "port": 2,
    }
    found = []

    async def bench(ctx):
        for name, value in ENDS.items():
            ctx.set(getattr(unit, name), value)
        for name in ("locked", "arrived", "link_valid", "details_valid", "drained"):
            ctx.set(getattr(unit, name), 1)
        for hello in (right | changes, right):
            ctx.set(unit.hello, hello)
            ctx.set(unit.link, {"kind": Kind.HELLO, "seen": 1, "ready": 1})
            for _ in range(12):
                await ctx.tick()
            found.append((State(ctx.get(unit.state)), ctx.get(unit.mismatch), ctx.get(unit.tx_open)))

    simulator = Simulator(unit)
    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()
    return found


@pytest.mark.parametrize("retry", [0, 64])
@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_named(name, retry):
    wrong, corrected = start({name: 3}, retry=retry)
    assert wrong == (State.MISMATCH, 1 << DIFFERENCES.index(name), 0)
    assert corrected == (State.UP, 0, 1)


def test_all_differences_are_named():
    wrong, _ = start(dict.fromkeys(DIFFERENCES, 3))
    assert wrong == (State.MISMATCH, (1 << len(DIFFERENCES)) - 1, 0)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_that_is_not_compared_is_noticed(mutant, name):
    broken = mutant(Session, "_expected", "name in DIFFERENCES[:6]]", f"name in DIFFERENCES[:6] if name != '{name}']")
    if name in ("address", "port"):
        broken = mutant(Session, "_expected", f'("{name}", self.peer_{name})', f'("{name}", self.hello.{name})')
    wrong, _ = start({name: 3}, broken)
    assert wrong[0] != State.MISMATCH
