"""Injector and ejector of a host port, alone and in the port: flits, beats, credits and handshakes in every cycle."""

import random
from collections import deque
from itertools import pairwise
from types import SimpleNamespace

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.switch import host_port
from dsnswitch.hdl.switch.host_port import Ejector, HostPort, Injector, beat_layout
from dsnswitch.sim.golden.core.core import Flit, HeaderFormat

from .notifier_bench import bits_of
from .test_notices import shape

DEPTH, PACKET = 5, 3
#: Three virtual networks, the first with two channels, and detours.
SHAPE = shape(virtual_networks=3, spread=(("host", (2, 1, 1)),), depth=DEPTH, packet=PACKET)
PORT = [port for port in SHAPE.ports if port.is_host][-1]
CHANNELS, WIDTH = PORT.channels, Header(SHAPE).width
FIELDS = bits_of(Header(SHAPE).layout)
HEADER = HeaderFormat(FIELDS, Header(SHAPE).code.columns, PACKET)
ADDRESS = Header(SHAPE).address.size
OWN = 2 | 1 << 2


def of_port(way):
    """``(a host port, the members of its injector or ejector)``"""
    whole = HostPort(SHAPE, PORT, "stream")
    ends = {"rx": ("i", whole.rx, whole.rx_space), "tx": ("o", whole.tx, whole.tx_space)}
    name, packets, space = ends[way]
    return whole, SimpleNamespace(
        **{"own_address": whole.own_address, "flits": getattr(whole.core, way), name: packets, "space": space}
    )


@pytest.mark.parametrize("alone", [True, False])
def test_injector(simulate, alone):
    """Beats of packets with any header, also of a network that does not exist; the core returns credits, sometimes too many."""
    rng = random.Random(1)
    whole, unit = of_port("rx") if not alone else [Injector(SHAPE, PORT)] * 2
    source = OWN | PORT.index << 4

    async def bench(ctx):
        held, left, free, core = None, [DEPTH] * CHANNELS, [DEPTH] * CHANNELS, [0] * CHANNELS
        rest = channel = 0
        ctx.set(unit.own_address, OWN)
        for cycle in range(1500):
            if cycle % 60 == 0:
                share, back = rng.choice(((1, 0.1), (1, 1), (0.5, 0.5)))
            user = {"length": rng.randrange(4), "virtual_network": rng.randrange(4), "bad": rng.getrandbits(1)}
            word, address, last = rng.getrandbits(SHAPE.flit), rng.getrandbits(ADDRESS), rng.getrandbits(1)
            valid = rng.random() < share
            ctx.set(unit.i.valid, valid)
            ctx.set(unit.i.payload.data, word)
            ctx.set(unit.i.payload.address, data.Const(Header(SHAPE).address, address))
            ctx.set(unit.i.payload.user, user)
            ctx.set(unit.i.payload.last, last)
            leaves = held is not None and left[held[0]] > 0
            taken = valid and (leaves or held is None)
            credits = [int(core[v] and rng.random() < back) for v in range(CHANNELS)]
            if held is None and not taken:
                # A credit too many is ignored.
                credits = [int(bit or (not core[v] and rng.random() < 0.2)) for v, bit in enumerate(credits)]
            ctx.set(unit.flits.credit, sum(bit << v for v, bit in enumerate(credits)))
            assert ctx.get(unit.i.ready) == (leaves or held is None), cycle
            assert ctx.get(unit.flits.valid) == (1 << held[0] if leaves else 0), cycle
            if leaves:
                found = ctx.get(unit.flits.flit)
                assert Flit(*(found[name] for name in Flit._fields)) == held[1], cycle
            if cycle:
                spaces = [all(free[v] >= PACKET for v in share.range) for share in PORT.shares]
                assert ctx.get(unit.space) == sum(bit << n for n, bit in enumerate(spaces)), cycle
            if leaves:
                left[held[0]] -= 1
                core[held[0]] += 1
                held = None
            if taken:
                if not rest:
                    network = user["virtual_network"] % 3
                    channel = PORT.shares[network].first + (not network and (address | source << ADDRESS).bit_count() % 2)
                    names = {"destination": address, "source": source, "length": user["length"]}
                    names["virtual_network"] = user["virtual_network"]
                    bits = sum(value << Header(SHAPE).layout[name].offset for name, value in names.items())
                    word = word >> WIDTH << WIDTH | HEADER.pack(HEADER.read(bits))
                held = channel, Flit(word, int(not rest), last, last & user["bad"])
                rest = not last
                free[channel] -= 1
            for v in range(CHANNELS):
                left[v] = min(DEPTH, left[v] + credits[v])
                free[v] = min(DEPTH, free[v] + credits[v])
                core[v] -= credits[v] and core[v] > 0
            await ctx.tick()

    simulate(whole, bench, clocked=True)


class Queue(wiring.Component):
    """A buffer of a channel without a bubble, with the ports of the real one."""

    def __init__(self, layout, depth):
        self._depth = depth
        members = {"valid": In(1), "entry": In(layout), "pop": In(1), "front": Out(layout), "front_valid": Out(1)}
        members |= {"second": Out(layout), "second_valid": Out(1), "stays": Out(1), "direct": Out(1)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        places = [self.front, *(Signal.like(self.front, name=f"place_{number}") for number in range(self._depth))]
        count = Signal(range(self._depth + 1))
        m.d.comb += self.front_valid.eq(count.any())
        m.d.sync += count.eq(count + self.valid - self.pop)
        for number, (place, after) in enumerate(pairwise(places)):
            with m.If(self.valid & (count - self.pop == number)):
                m.d.sync += place.eq(self.entry)
            with m.Elif(self.pop):
                m.d.sync += place.eq(after)
        return m


@pytest.mark.parametrize("alone", [True, False])
def test_ejector(simulate, monkeypatch, alone):
    """Packets of all channels at once: channels in turn, where the host had space, and the header with every beat."""
    monkeypatch.setattr(host_port, "ChannelBuffer", Queue)
    rng, layout = random.Random(2), beat_layout(SHAPE, True)
    whole, unit = of_port("tx") if not alone else [Ejector(SHAPE, PORT)] * 2
    header = Header(SHAPE).layout

    async def bench(ctx):
        queues, rests, able = [deque() for _ in range(CHANNELS)], [0] * CHANNELS, [DEPTH] * CHANNELS
        held, last, kept, spaces, back, seen = None, -1, None, 0, [0] * CHANNELS, [0] * CHANNELS
        for cycle in range(1500):
            if cycle % 60 == 0:
                share, takes = rng.choice(((1, 0.5), (1, 1), (0.4, 0.9)))
            ready = int(rng.random() < takes)
            ctx.set(unit.o.ready, ready)
            begin = [v for v in range(CHANNELS) if queues[v] and spaces >> PORT.virtual_network_of(v) & 1]
            if held is None and begin:
                held = last = next((v for v in begin if v > last), begin[0])
            offered = held is not None and bool(queues[held])
            assert ctx.get(unit.o.valid) == offered, cycle
            if offered:
                flit = queues[held][0]
                if flit.head:
                    kept = data.Const(header, flit.data & (1 << WIDTH) - 1)
                user = {name: kept[name] for name in ("length", "virtual_network")}
                user |= {name: kept.flags[name] for name in ("undeliverable", "notice")}
                user["bad"] = flit.tail & flit.bad
                beat = {"data": flit.data, "address": kept.source, "user": user, "last": flit.tail}
                assert ctx.get(unit.o.payload) == layout.const(beat), cycle
            assert ctx.get(unit.flits.credit) == sum(bit << v for v, bit in enumerate(back)), cycle
            able = [number + bit for number, bit in zip(able, back)]
            pops = [int(offered and ready and v == held) for v in range(CHANNELS)]
            if offered and ready:
                seen[held] += flit.tail
                queues[held].popleft()
                held = None if flit.tail else held
            channels = [v for v in range(CHANNELS) if able[v]]
            channel = rng.choice(channels) if channels and rng.random() < share else None
            flit = Flit(rng.getrandbits(SHAPE.flit), 1, 1, 0)
            if channel is not None:
                rest = rests[channel] or rng.choice((1, 1, 2, 3))
                flit = Flit(flit.data, int(not rests[channel]), int(rest == 1), rng.getrandbits(1))
                rests[channel] = rest - 1
                queues[channel].append(flit)
                able[channel] -= 1
            ctx.set(unit.flits.valid, 0 if channel is None else 1 << channel)
            ctx.set(unit.flits.flit, flit_layout(SHAPE).const(flit._asdict()))
            spaces, back = rng.choice((7, rng.randrange(8))), pops
            ctx.set(unit.space, spaces)
            await ctx.tick()
        assert min(seen) > 20

    simulate(whole, bench, clocked=True)
