"""Start of a session of several virtual networks: their hellos come in turn, and each must agree."""

from itertools import pairwise

import pytest
from amaranth.sim import Simulator

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import Kind
from dsnswitch.hdl.port.session import Session, State, differences
from dsnswitch.hdl.port.shape import SEVERAL, VERSION

from ..compared import compare
from .session_model import PATIENCE, SETTLE, Sessions

#: Channels and depth of each virtual network: ((2, 9), (4, 6), (1, 6)).
VALUES = {"block": "fabric-port", "topology": "torus:5", "packet": 3, "depth": 6, "virtual_networks": 3}
VALUES |= {"channels": "dim0=1/2/1", "classes": None, "pool": "dim0=3/3/0"}
ENDS = {"own_address": 5, "own_port": 1, "peer_address": 9, "peer_port": 2}
NAMES = differences(3)


def hellos(shape, changes=(), of=None):
    """A round of hellos, with ``changes`` of fields in those of the virtual networks ``of``, or in all."""
    common = {"version": VERSION | SEVERAL, "flit": shape.core.flit, "packet": 3, "replay": 0, "address": 9, "port": 2}
    found = []
    for number, (channels, depth) in enumerate(shape.networks):
        turn = {"channels": channels, "depth": depth, "virtual_network": number, "last_network": 2}
        found.append(common | turn | (dict(changes) if of is None or number in of else {}))
    return found


def drive(rounds, settle=4):
    """What an end shows after each of ``rounds``, ``(hellos, times, first of them)`` each: a list of dictionaries."""
    shape = build({key: value for key, value in VALUES.items() if value is not None}).shape
    unit, found = Session(shape, settle=settle, patience=64), []

    async def drives(ctx):
        for name, value in ENDS.items():
            ctx.set(getattr(unit, name), value)
        for number, sizes in enumerate(shape.networks):
            for name, value in zip(("channels", "depth"), sizes):
                ctx.set(getattr(unit, name)[number], value)
        for name in ("locked", "arrived", "link_valid", "details_valid", "drained"):
            ctx.set(getattr(unit, name), 1)
        ctx.set(unit.link, {"kind": Kind.HELLO, "seen": 1, "ready": 1})
        for make, times, first in rounds:
            sent = make(shape)
            for number in range(len(sent) * times):
                ctx.set(unit.hello, sent[(first + number) % len(sent)])
                ctx.set(unit.offered, 1)
                # The link word of a hello comes a cycle later.
                await ctx.tick()
            await ctx.tick()
            shown = {name: ctx.get(getattr(unit, name)) for name in ("mismatch", "differing", "tx_open")}
            peer = ctx.get(unit.peer)
            found.append(shown | {"state": State(ctx.get(unit.state)), "peer": peer})

    simulator = Simulator(unit)
    simulator.add_clock(1e-9)
    simulator.add_testbench(drives)
    simulator.run()
    return found


@pytest.mark.parametrize("of", [(0,), (1,), (2,), (0, 2)])
@pytest.mark.parametrize("name", ["channels", "depth"])
def test_a_virtual_network_that_differs_is_named(name, of):
    """Also if the wrong hello is the first that is heard; the other end's sizes stay shown until they are right."""
    for first in range(3):
        wrong, right = drive([(lambda shape: hellos(shape, {name: 5}, of), 6, first), (hellos, 6, first)])
        assert (wrong["state"], wrong["tx_open"]) == (State.MISMATCH, 0)
        assert wrong["mismatch"] == 1 << NAMES.index(name)
        assert wrong["differing"] == sum(1 << number for number in of)
        assert wrong["peer"].virtual_network in of
        assert wrong["peer"][name] == 5
        assert (right["state"], right["mismatch"], right["differing"], right["tx_open"]) == (State.UP, 0, 0, 1)


@pytest.mark.parametrize("field", ["version", "flit", "packet", "replay", "address", "port", "last_network"])
def test_other_differences_are_named(field):
    """An end with another number of virtual networks has another version, too, if it has one."""
    name = "virtual_networks" if field == "last_network" else field
    wrong, right = drive([(lambda shape: hellos(shape, {field: 1}), 6, 0), (hellos, 6, 0)])
    assert (wrong["state"], wrong["tx_open"]) == (State.MISMATCH, 0)
    assert wrong["mismatch"] == 1 << NAMES.index(name)
    assert (right["state"], right["mismatch"]) == (State.UP, 0)


@pytest.mark.parametrize("missing", range(3))
def test_no_session_without_a_hello_of_each(missing):
    found = drive([(lambda shape: [one for n, one in enumerate(hellos(shape)) if n != missing], 12, 0), (hellos, 3, 0)])
    assert [(one["state"], one["tx_open"]) for one in found] == [(State.HELLO, 0), (State.UP, 1)]


def test_a_hello_that_differs_ends_a_session():
    found = drive([(hellos, 6, 0), (lambda shape: hellos(shape, {"depth": 5}, (1,)), 1, 0)])
    assert found[0]["state"] == State.UP
    assert found[1]["tx_open"] == 0


def test_an_end_describes_each_virtual_network(simulate):
    """With any pattern of blocks that the line takes, and no virtual network is left out."""
    shape = build({key: value for key, value in VALUES.items() if value is not None}).shape
    unit = Session(shape, settle=4, patience=64)

    async def bench(ctx):
        for number, sizes in enumerate(shape.networks):
            for name, value in zip(("channels", "depth"), sizes):
                ctx.set(getattr(unit, name)[number], value)
        for pattern in ([1], [1, 1, 0], [1, 0], [1, 0, 0, 1, 1]):
            # The block on the line has the hello of the cycle before.
            seen, before = [], None
            for cycle in range(60):
                takes = pattern[cycle % len(pattern)]
                ctx.set(unit.hello_sent, takes)
                own = ctx.get(unit.own)
                if takes and before is not None:
                    seen.append(before)
                before = (own.virtual_network, own.channels, own.depth)
                assert (own.version, own.last_network) == (VERSION | SEVERAL, 2)
                await ctx.tick()
            assert set(seen) == {(number, *sizes) for number, sizes in enumerate(shape.networks)}
            steps = [(after[0] - now[0]) % 3 for now, after in pairwise(seen)]
            assert set(steps) <= {0, 1}

    simulate(unit, bench, clocked=True)


def test_an_end_does_as_the_model(simulate):
    shape = build({key: value for key, value in VALUES.items() if value is not None}).shape
    compare(simulate, Session(shape, SETTLE, PATIENCE), lambda: Sessions(shape), 2000, resets=0.003)
