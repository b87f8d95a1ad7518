"""Start of a session: each parameter that differs is named, and keeps the link closed until it is right."""

import random
from itertools import pairwise

import pytest
from amaranth.sim import Simulator

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import DETAILS_CODE, Kind
from dsnswitch.hdl.port.session import DIFFERENCES, Session, State
from dsnswitch.hdl.port.shape import VERSION, FabricShape
from dsnswitch.net.topology.registry import parse_network

from ..compared import compare
from .session_model import PATIENCE, SETTLE, Sessions

SMALL = {"block": "fabric-port", "topology": "ring:5:ring-3", "packet": 5, "depth": 12}
ENDS = {"own_address": 5, "own_port": 1, "peer_address": 9, "peer_port": 2}


def hello_of(shape):
    """Parameters in the hello of an end of ``shape``."""
    return {
        "version": VERSION,
        "flit": shape.core.flit,
        "channels": shape.channels,
        "depth": shape.depth,
        "packet": shape.core.packet,
        "replay": shape.replay,
    }


def drive(retry, bench, ends=ENDS):
    """Run ``bench(ctx, unit, hello)`` on an end that receives blocks; ``hello`` is the right one."""
    port = build(SMALL).shape
    shape = FabricShape(port.core, port.port, retry)
    unit = Session(shape, settle=4, patience=64)

    async def drives(ctx):
        for name, value in {**ends, "channels": shape.channels, "depth": shape.depth}.items():
            ctx.set(getattr(unit, name), value)
        for name in ("locked", "arrived", "link_valid", "details_valid", "drained"):
            ctx.set(getattr(unit, name), 1)
        ctx.set(unit.link, {"kind": Kind.HELLO, "seen": 1, "ready": 1})
        await bench(ctx, unit, hello_of(shape) | {"address": ends["peer_address"], "port": ends["peer_port"]})

    simulator = Simulator(unit)
    simulator.add_clock(1e-9)
    simulator.add_testbench(drives)
    simulator.run()


@pytest.mark.parametrize("retry", [0, 64])
def test_an_end_does_as_the_model(simulate, retry):
    port = build(SMALL).shape
    shape = FabricShape(port.core, port.port, retry)
    compare(simulate, Session(shape, SETTLE, PATIENCE), lambda: Sessions(shape), 1500, resets=0.003)


def start(changes, retry=0):
    """What an end does that receives hellos with ``changes``, and then right ones: ``(state, mismatch)`` of both times."""
    found = []

    async def bench(ctx, unit, right):
        for hello in (right | changes, right):
            ctx.set(unit.hello, hello)
            await ctx.tick().repeat(12)
            found.append((State(ctx.get(unit.state)), ctx.get(unit.mismatch), ctx.get(unit.tx_open)))

    drive(retry, bench)
    return found


@pytest.mark.parametrize("retry", [0, 64])
@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_named(name, retry):
    wrong, corrected = start({name: 6}, retry=retry)
    assert wrong == (State.MISMATCH, 1 << DIFFERENCES.index(name), 0)
    assert corrected == (State.UP, 0, 1)


@pytest.mark.parametrize("retry", [0, 64])
def test_a_session_waits_for_the_lock(retry):
    """With retransmission, at most for ``patience`` blocks; else it ends with the lock."""
    waited = []

    async def bench(ctx, unit, hello):
        ctx.set(unit.hello, hello)
        await ctx.tick().repeat(12)
        for cause in ("locked", "down") if retry else ("locked",):
            assert ctx.get(unit.state) == State.UP
            ctx.set(getattr(unit, cause), int(cause == "down"))
            ctx.set(unit.link_valid, 0)
            cycles = 0
            while not ctx.get(unit.restarted):
                await ctx.tick()
                cycles += 1
                assert ctx.get(unit.state) == State.UNLOCKED or cause == "down"
            waited.append(cycles)
            ctx.set(getattr(unit, cause), int(cause == "locked"))
            ctx.set(unit.link_valid, 1)
            await ctx.tick().repeat(12)

    drive(retry, bench)
    assert waited == ([65, 1] if retry else [1])


def test_a_session_waits_for_the_count_of_lost_packets():
    states = []

    async def bench(ctx, unit, hello):
        ctx.set(unit.hello, hello)
        for counting in (1, 0):
            ctx.set(unit.counting, counting)
            await ctx.tick().repeat(12)
            states.append((State(ctx.get(unit.state)), ctx.get(unit.tx_open)))

    drive(0, bench)
    assert states == [(State.WAIT, 0), (State.UP, 1)]


def test_all_differences_are_named():
    wrong, _ = start(dict.fromkeys(DIFFERENCES, 6))
    assert wrong == (State.MISMATCH, (1 << len(DIFFERENCES)) - 1, 0)


def tag_of(end, other):
    """The tag of the end with ``(address, port)`` ``end`` toward ``other``, as the check bits of details state it."""
    bits = end[1] | end[0] << 8
    sums = sum(((bits & row).bit_count() & 1) << place for place, row in enumerate(DETAILS_CODE.rows))
    return int(end[::-1] < other[::-1]) | sums << 1


def test_tag_of_an_end(simulate):
    unit, rng = Session(build(SMALL).shape), random.Random(1)

    async def bench(ctx):
        # Also ends with the same address, or the same port.
        ends = [(rng.choice((7, rng.getrandbits(64))), rng.choice((3, rng.getrandbits(8)))) for _ in range(200)]
        for end, other in pairwise(ends):
            for side, values in (("own", end), ("peer", other)):
                for name, value in zip(("address", "port"), values):
                    ctx.set(getattr(unit, f"{side}_{name}"), value)
            await ctx.tick()
            assert ctx.get(unit.tag) == tag_of(end, other)

    simulate(unit, bench, clocked=True)


@pytest.mark.parametrize("topology", ["torus:2", "torus:3x4", "ring:8", "dsn-f:64", "grid:2x2:ring-9", "grid:8x8", "grid:16x16"])
def test_a_port_notices_the_lines_of_all_other_ports_of_its_switch(topology):
    """The tags that the ports of a switch expect differ from each other and from their own. So crossed lines are noticed."""
    network = parse_network(topology)
    places = [sum(field.width for field in network.fields[:index]) for index in range(len(network.fields))]
    compared = 0

    def address(switch):
        return sum(value << place for value, place in zip(switch, places))

    for switch in network.switches():
        tags = []
        for port in network.ports:
            if far := network.neighbour(switch, port.index):
                own, other = (address(switch), port.index), (address(far[0]), far[1])
                tags.append(tag_of(other, own))
                assert tag_of(own, other) != tags[-1]
        assert len(set(tags)) == len(tags), f"ports of {switch} expect equal tags"
        compared += len(tags)
    assert compared >= network.nodes


@pytest.mark.parametrize("flipped", [None, *range(10)])
def test_counts_of_another_end_start_the_link_again(flipped):
    """Counts with the tag of the peer keep the link up, and so does one with another tag; two with its own, or any other, do not.

    Noise may say that the peer accepts no flits; one that does not starts again.
    """
    seen = []

    async def bench(ctx, unit, hello):
        ctx.set(unit.hello, hello)
        await ctx.tick().repeat(12)
        right = tag_of((9, 2), (5, 1))
        wrong = right ^ (0 if flipped is None else 1 << flipped)
        for value in (wrong, right, wrong, wrong):
            counts = {"kind": Kind.CREDIT, "seen": 1, "ready": 0}
            ctx.set(unit.link, counts | {"single": value & 1, "channel": value >> 1 & 31, "freed": value >> 6 << 10})
            await ctx.tick()
            seen.append((ctx.get(unit.tx_open), ctx.get(unit.restarted)))

    drive(0, bench)
    assert seen == [(1, 0)] * 3 + [(1, 0) if flipped is None else (0, 1)]


@pytest.mark.parametrize("seed", range(4))
def test_tags_of_any_two_ends(seed):
    """Random addresses and ports of all bits: the own tag, and counts with the tag of the peer keep the link up."""
    rng = random.Random(seed)
    own, peer = ((rng.getrandbits(64), rng.getrandbits(8)) for _ in range(2))

    async def bench(ctx, unit, hello):
        ctx.set(unit.hello, hello)
        await ctx.tick().repeat(12)
        assert ctx.get(unit.tag) == tag_of(own, peer)
        value = tag_of(peer, own)
        counts = {"kind": Kind.CREDIT, "seen": 1, "ready": 1}
        ctx.set(unit.link, counts | {"single": value & 1, "channel": value >> 1 & 31, "freed": value >> 6 << 10})
        for _ in range(6):
            await ctx.tick()
            assert (ctx.get(unit.tx_open), ctx.get(unit.restarted)) == (1, 0)

    ends = {"own_address": own[0], "own_port": own[1], "peer_address": peer[0], "peer_port": peer[1]}
    drive(0, bench, ends)
