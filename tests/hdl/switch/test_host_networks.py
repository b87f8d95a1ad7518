"""Host ports of several virtual networks: a packet keeps its own, and one whose host has no space stops no other."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import connect, flipped

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.switch.host_port import HostPort, beat_layout

VALUES = {"block": "switch-core", "topology": "torus:4", "flit": 48, "packet": 4, "depth": 8, "hosts": 3}
#: Three virtual networks; a packet can name a fourth, which does not exist.
THREE = VALUES | {"virtual_networks": 3, "channels": "host=2/1/1"}
OWN = 3


class Loop(wiring.Component):
    """A host port with streams whose flits come back."""

    def __init__(self, shape):
        self.port = HostPort(shape, shape.ports[-1], "stream")
        members = self.port.signature.members
        super().__init__({name: members[name] for name in ("own_address", "rx", "tx", "rx_space", "tx_space")})

    def elaborate(self, platform):
        m = Module()
        m.submodules.port = port = self.port
        m.d.comb += [port.own_address.eq(self.own_address), self.rx_space.eq(port.rx_space), port.tx_space.eq(self.tx_space)]
        connect(m, flipped(self.rx), port.rx)
        connect(m, port.tx, flipped(self.tx))
        core = port.core
        m.d.comb += [core.tx.valid.eq(core.rx.valid), core.tx.flit.eq(core.rx.flit), core.rx.credit.eq(core.tx.credit)]
        return m


def packet(rng, number, network):
    """The beats of a packet with a number."""
    length, address = rng.choice((1, 1, 2, 4)), {"dim0": rng.randrange(4), "host": rng.randrange(3)}
    user, last = {"length": length, "virtual_network": network}, length - 1
    return [
        {
            **{"data": number << 40 | rng.getrandbits(40), "address": address, "last": n == last},
            "user": user | {"bad": rng.getrandbits(1)},
        }
        for n in range(length)
    ]


def run(simulate, packets, space, obeys, cycles):
    """``([(cycle, beat)], packets that were not sent, cycles in which a flit waited)`` of a loop.

    ``space(cycle)`` is what the host can take; with ``obeys``, it begins a packet only where the switch has space.
    """
    shape = build(THREE).shape
    loop, layout, found, stalls = Loop(shape), beat_layout(shape), [], []
    queues, current = [list(queue) for queue in packets], []

    async def bench(ctx):
        nonlocal current
        for cycle in range(cycles):
            ctx.set(loop.own_address, OWN)
            ctx.set(loop.tx_space, space(cycle))
            ctx.set(loop.tx.ready, 1)
            open_networks = ctx.get(loop.rx_space)
            if not current:
                able = [queue for n, queue in enumerate(queues) if queue and (not obeys or open_networks >> n % 3 & 1)]
                current = able[cycle % len(able)].pop(0) if able else []
            if current:
                ctx.set(loop.rx.payload, layout.const(current[0]))
            ctx.set(loop.rx.valid, bool(current))
            _, _, ready, valid, payload = await ctx.tick().sample(loop.rx.ready, loop.tx.valid, loop.tx.payload)
            if current and ready:
                current = current[1:]
            elif current:
                stalls.append(cycle)
            if valid:
                found.append((cycle, payload))

    simulate(loop, bench, clocked=True)
    return found, queues, stalls


def test_packets_keep_their_virtual_network(simulate):
    """In order in each, one after the other on the stream; one begins only where the host had space in the cycle before."""
    rng = random.Random(1)
    packets = [[packet(rng, number, n) for number in range(60)] for n in range(4)]
    spaces = [rng.randrange(8) for _ in range(2600)]
    found, left, _ = run(simulate, packets, spaces.__getitem__, obeys=False, cycles=2600)
    assert not any(left)
    shape = build(THREE).shape
    width, newest, begins, seen, place = Header(shape).width, {}, True, 0, 0
    for cycle, beat in found:
        network, number = beat.user.virtual_network, beat.data >> 40
        place, same = 0 if begins else place + 1, beat.data
        sent = packets[network][number][place]
        assert (beat.last, beat.user.bad) == (sent["last"], sent["last"] & sent["user"]["bad"])
        assert (beat.user.length, beat.address.dim0, beat.address.host) == (sent["user"]["length"], OWN, 2)
        if begins:
            header = data.Const(Header(shape).layout, beat.data & (1 << width) - 1)
            assert header.virtual_network == network
            # A number without a virtual network goes to the first.
            assert spaces[cycle - 1] >> network % 3 & 1
            assert [header.destination[name] for name in ("dim0", "host")] == [*sent["address"].values()]
            assert (header.length, header.source) == (sent["user"]["length"], beat.address)
            newest.setdefault(network, []).append(number)
            same, seen = same >> width << width | sent["data"] & (1 << width) - 1, seen + 1
        assert same == sent["data"]
        begins = beat.last
    assert seen == 240
    for network, numbers in newest.items():
        # Two channels of the first virtual network may overtake each other.
        assert (sorted(numbers) if network in (0, 3) else numbers) == list(range(60))


@pytest.mark.parametrize("blocked", range(3))
def test_a_host_without_space_stops_one_virtual_network(simulate, blocked):
    """A host that begins packets only where the switch has space never waits, and all others arrive."""
    rng = random.Random(2)
    packets = [[packet(rng, number, n) for number in range(40)] for n in range(3)]
    found, left, stalls = run(simulate, packets, lambda _: 7 & ~(1 << blocked), obeys=True, cycles=1200)
    assert [bool(queue) for queue in left] == [n == blocked for n in range(3)]
    assert {beat.user.virtual_network for _, beat in found} == {0, 1, 2} - {blocked}
    assert sum(beat.last for _, beat in found) == 80
    assert not stalls
    # Without a look at the space, its packets stop the stream.
    found, left, stalls = run(simulate, packets, lambda _: 7 & ~(1 << blocked), obeys=False, cycles=1200)
    assert all(left)
    assert stalls
