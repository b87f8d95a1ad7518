"""Registers of a switch without the switch: addresses and keys of two words, dead ports, and delays."""

import random

import pytest

from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.port.session import State
from dsnswitch.hdl.switch.management import Management
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.torus import Torus

from ..registers.requester import Requester

#: An address has 35 bits. Host ports have two channels of one class.
SHAPE = CoreShape(Torus((256, 256, 256, 256, 8)), hosts=2, packet=1, depth=4, lookup="forwarding", spread={"host": 2})
INPUTS = {"write": 1, "write_valid": 1, "write_value": 40, "mode": 1}
INPUTS |= dict.fromkeys(("dead", "up"), len(SHAPE.network.ports))


async def begin(ctx, component):
    """``(read, write)`` of the registers of a component."""
    requester, address = Requester(ctx, component.apb), component.registers.address

    async def read(*place):
        data, error = await requester.transfer(address(*place))
        assert not error
        return data

    async def write(value, *place):
        assert await requester.transfer(address(*place), value) == (0, 0)

    return read, write


def networks():
    """``(shape, Management)`` with two virtual networks."""
    shape = CoreShape(Torus((2,)), packet=2, depth=4, virtual_networks=2, spread={"host": (2, 1)}, hosts=1)
    return shape, Management(shape, {})


def weighted():
    """The same with free weights."""
    more = {"virtual_networks": 2, "free_weights": True, "weights": (3, 1), "priorities": (0, 5)}
    shape = CoreShape(parse_network("torus:2"), flit=32, packet=1, depth=4, **more)
    return shape, Management(shape, dict.fromkeys(shape.service_inputs, 14))


def detouring():
    """The same with notices."""
    shape = CoreShape(parse_network("ring:3:ring-3"), packet=1, depth=4, routing="detour")
    return shape, Management(shape, {"dead": len(shape.network.ports)})


async def an_address_of_two_words(ctx, component, read, write):
    ctx.set(component.own_address, 0x5_89ABCDEF)
    assert await read("device", "own_address") == 0x89ABCDEF
    assert await read("device", "own_address", 1) == 0x5


async def ports_that_lead_up(ctx, component, read, write):
    await write(0b101, "device", "table_up")
    assert await read("device", "table_up") == ctx.get(component.up) == 0b101


async def a_key_of_two_words(ctx, component, read, write):
    """The write port has the whole entry in the one cycle of the write, and in no other cycle a write."""
    writes = []
    await write(0x12345678, "device", "table_value")
    await write(0xFFFFFF9A, "device", "table_value", 1)
    await write(1, "device", "table_valid")
    assert not ctx.get(component.write)
    address = component.registers.address("device", "table_write")
    for name, value in (("psel", 1), ("pwrite", 1), ("paddr", address), ("pwdata", 1), ("pstrb", 1)):
        ctx.set(getattr(component.apb, name), value)
    await ctx.tick()
    ctx.set(component.apb.penable, 1)
    for _ in range(8):
        if ctx.get(component.write):
            writes.append((ctx.get(component.write_value), ctx.get(component.write_valid)))
        await ctx.tick()
    assert writes == [(0x9A_12345678, 1)]


async def each_port_that_is_down_is_dead(ctx, component, read, write):
    for port in SHAPE.ports:
        if not port.is_host:
            await write(1, port.name, "port_control")
            assert ctx.get(component.dead) == 1 << port.index
            shown = [ctx.get(getattr(component, one.name).down) for one in SHAPE.ports if not one.is_host]
            assert shown.index(1) == SHAPE.ports.index(port)
            assert sum(shown) == 1
            await write(0, port.name, "port_control")


async def each_link_that_is_up_has_a_bit(ctx, component, read, write):
    links = [port for port in SHAPE.ports if not port.is_host]
    for number, port in enumerate(links):
        for state in sorted(State, key=lambda state: state == State.UP):
            ctx.set(getattr(component, port.name).status.state, state)
            assert await read(port.name, "link") == state
            assert await read("device", "links_up") == (1 << number if state == State.UP else 0)
        assert await read(port.name, "link_events") == 0
        ctx.set(getattr(component, port.name).status.state, State.WAIT)
        assert await read(port.name, "link_events") == 1


CHECKS = (
    an_address_of_two_words,
    ports_that_lead_up,
    a_key_of_two_words,
    each_port_that_is_down_is_dead,
    each_link_that_is_up_has_a_bit,
)


def test_registers(simulate):
    """All of them in one simulation, which takes seconds to begin."""
    component = Management(SHAPE, INPUTS)

    async def bench(ctx):
        registers = await begin(ctx, component)
        for check in CHECKS:
            await check(ctx, component, *registers)

    simulate(component, bench, clocked=True)


def test_weights_and_levels_of_outputs(simulate):
    """Reset values are the weights and levels of the shape; each port drives its own output."""
    shape, component = weighted()

    async def bench(ctx):
        read, write = await begin(ctx, component)
        reset = 3 | 1 << 4 | 0 << 8 | 5 << 11
        assert [await read("host_0", f"service_{n}") for n in (0, 1)] == [3, 1 | 5 << 8]
        assert [ctx.get(getattr(component, name)) for name in shape.service_inputs] == [reset] * len(shape.ports)
        await write(0xFFFFF62F, "host_0", "service_0")
        assert await read("host_0", "service_0") == 0x60F
        for port, name in zip(shape.ports, shape.service_inputs):
            expected = 15 | 1 << 4 | 6 << 8 | 5 << 11 if port.is_host else reset
            assert ctx.get(getattr(component, name)) == expected

    simulate(component, bench, clocked=True)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.95])
def test_delays_of_packets(simulate, rate):
    """Queues of two channels in Python: the next packet after the one that is timed counts by its delay.

    Packets have one flit or several; their flits follow each other at once, or those of other channels come between.
    """
    rng = random.Random(rate)
    shape = CoreShape(Torus((2,)), packet=31, depth=600, hosts=1, spread={"host": 2})
    component = Management(shape, {}, more=("delays",))
    queues, rests, expected, timed = [[] for _ in range(2)], [0, 0], [0] * 8, None

    def offered(cycle, busy):
        """Channel and mark of a flit that arrives."""
        able = [v for v, queue in enumerate(queues) if len(queue) < 600]
        if not able or rng.random() > (0.98 if busy else 0.3):
            return None
        v = rng.choice(able)
        head = not rests[v]
        rests[v] = rng.choice((0, 0, 1, 5, 30)) if head else rests[v] - 1
        return v, head

    async def bench(ctx):
        nonlocal timed
        read, write = await begin(ctx, component)
        port = component.host_0
        for cycle in range(6000):
            left, was_timed = [v for v, queue in enumerate(queues) if queue and rng.random() < rate], timed
            for v in left:
                number = queues[v].pop(0)
                if number == timed:
                    delay = cycle - number
                    expected[max(0, delay.bit_length() - 3) if delay < 512 else 7] += 1
                    timed = None
            flit = offered(cycle, cycle // 700 % 2)
            if flit:
                queues[flit[0]].append(cycle)
                # One that arrives as the last one leaves is not timed.
                if flit[1] and was_timed is None:
                    timed = cycle
            ctx.set(port.rx.valid, 1 << flit[0] if flit else 0)
            ctx.set(port.rx.marks.head, bool(flit and flit[1]))
            ctx.set(port.rx_credit, sum(1 << v for v in left))
            await ctx.tick()
        ctx.set(port.rx.valid, 0)
        ctx.set(port.rx_credit, 0)
        await ctx.tick().repeat(3)
        assert [await read("host_0", "delays", n) for n in range(8)] == expected
        assert sum(expected) > 4
        await write(1, "device", "control")
        assert [await read("host_0", "delays", n) for n in range(8)] == [0] * 8

    simulate(component, bench, clocked=True)
