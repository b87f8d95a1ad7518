"""The choice of a source between the straight route and one over a random switch, the loads, and the way over the latter."""

import random
from collections import Counter

import pytest

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.route_unit import RouteUnit, routing_logic
from dsnswitch.hdl.core.shape import CoreShape, TableOptions
from dsnswitch.hdl.core.two_stage import OutputLoad, TwoStageSource
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.core.two_stage import Source, target

TABLE = TableOptions("direct", memory="flip-flops")


def shape_of(spelling="hyperx:3x3", routing="indirect", node=None, **more):
    network, more = parse_network(spelling), {"turns": 3, "hosts": 2, "table": TABLE, **more}
    return CoreShape(network, node, flit=64, packet=4, lookup="table", routing=routing, **more)


def key_of(network, switch):
    key = 0
    for field, value in zip(network.fields, switch):
        key = key << field.width | value
    return key


async def load_table(ctx, dut, network, entries):
    """Write ``{switch: (port, other)}``; ``other`` None if there is one port in an entry."""
    bits = len(network.ports).bit_length()
    for switch, (port, other) in entries.items():
        action = port if other is None else other << bits | port
        values = {"write": 1, "write_word": key_of(network, switch), "write_valid": 1, "write_action": action, "loaded": 1}
        for name, value in values.items():
            ctx.set(getattr(dut, name), value)
        await ctx.tick()
    ctx.set(dut.write, 0)


def set_address(ctx, group, network, switch):
    for field, value in zip(network.fields, switch):
        if field.width:
            ctx.set(getattr(group, field.name), value)


@pytest.mark.parametrize(
    ("routing", "spelling", "node", "more"),
    [
        ("indirect", "hyperx:3x3", None, {}),
        ("indirect", "mlfm:h=2", (4,), {"turns": 2}),
        ("ugal", "hyperx:3x3", None, {"candidates": 3, "penalty": 3, "threshold": 10}),
        ("ugal", "torus:3x4", (1, 2), {"adaptive": True, "turns": 4}),
    ],
)
def test_the_source_chooses_as_the_model(simulate, routing, spelling, node, more):
    shape = shape_of(spelling, routing, node, **more)
    network, chance = shape.network, random.Random(3)
    dut, ugal = TwoStageSource(shape, routing_logic(shape)), routing == "ugal"
    switches, own = list(network.terminals()), node or (2, 1)
    numbers = {one.index: number for number, one in enumerate(shape.ports) if not one.is_host}
    ports = [one.index for one in shape.ports if not one.is_host]
    entries = {switch: (chance.choice(ports), chance.choice(ports) if shape.adaptive else None) for switch in switches}
    entries[own] = (len(network.ports),) * 2 if shape.adaptive else (len(network.ports), None)
    del entries[switches[-1] if switches[-1] != own else switches[0]]
    widths = [field.width for field in network.fields]
    # A port of the network has two channels of eight flits per class.
    most = next(shape.storage(one) for one in shape.ports if not one.is_host)
    model = Source(widths, shape.candidates if ugal else 1, shape.penalty * ugal, -(-shape.threshold * most // 100))
    host = Header(shape).address.size - sum(widths)
    seen, expected = Counter(), []

    def answer(switch, dead):
        """Ports of an entry that lead to another switch, each None if it is dead; None without an entry."""
        if switch not in entries or switch == own:
            return None
        port, other = entries[switch]
        return None if port in dead else (port, None if other in dead else other)

    async def bench(ctx):
        if node is None:
            set_address(ctx, dut.own, network, own)
        # While the table is written, the model sees it empty, and the random number goes on.
        ctx.set(dut.asks, 1)
        set_address(ctx, dut.dst, network, own)
        for _ in entries:
            model.choose(own, None, pack(own, (0, 0), 0), {}, (), False)
        await load_table(ctx, dut, network, entries)
        for step in range(1500):
            asks, dead = chance.random() < 0.6, {chance.choice(ports)} if step // 50 % 3 == 1 else set()
            destination, source = (chance.choice(switches) for _ in range(2))
            number, ordered = chance.getrandbits(1), chance.random() < 0.1
            loads = {port: chance.choice((0, 1, 3, 4, 9, 12, 20)) for port in ports}
            set_address(ctx, dut.dst, network, destination)
            set_address(ctx, dut.origin, network, source)
            if host:
                ctx.set(dut.origin.host, number)
            for name, value in (("asks", asks), ("ordered", ordered), ("dead", sum(1 << port for port in dead))):
                ctx.set(getattr(dut, name), value)
            for port, value in loads.items() if ugal else ():
                ctx.set(dut.load[numbers[port]], value)
            if asks:
                found = answer(destination, dead)
                way = model.choose(destination, found and found[0], pack(destination, source, number), loads, dead, ordered)
                expected.append(outcome(destination, found, way))
                seen[way and way.switch] += 1
            else:
                found = answer(model.drawn, dead)
                model.wait(found)
                expected.append(None)
            if not ugal:
                check(ctx, expected[-1])
            await ctx.tick()
            if ugal:
                check(ctx, expected[-1])

    def pack(destination, source, number):
        bits, place = 0, 0
        for value, width in zip((*destination, *source, number), (*widths, *widths, host)):
            bits, place = bits | value << place, place + width
        return bits

    def outcome(destination, found, way):
        arrived = destination == own
        port, other = (way.port, way.other) if way else found or (None, None)
        state = 0
        if way:
            state, place = 1, 1
            for value, width in zip(way.switch, widths):
                state, place = state | value << place, place + width
        return int(arrived), 0 if port is None else 1 << port, 0 if other is None else 1 << other, state

    def check(ctx, wanted):
        if wanted is None:
            return
        other = ctx.get(dut.other_port) if shape.adaptive and wanted[1] else wanted[2]
        got = ctx.get(dut.arrived), ctx.get(dut.out_port), other, ctx.get(dut.out_state)
        assert got == wanted
        assert (ctx.get(dut.out_class), ctx.get(dut.no_route)) == (1, not (wanted[0] or wanted[1]))

    simulate(dut, bench, clocked=True)
    assert set(seen) == {None, *entries} - {own}
    if not ugal:
        assert max(seen[switch] for switch in entries if switch != own) < 2 * seen.total() / (len(entries) - 1)


def test_a_packet_changes_to_its_destination_at_the_intermediate_switch(simulate):
    """Every pair of destination and intermediate switch, with and without the mark."""
    shape = shape_of("hyperx:3x2", node=None)
    network, chance = shape.network, random.Random(1)
    port = next(one for one in shape.ports if not one.is_host)
    unit, switches, own = RouteUnit(shape, port), list(network.switches()), (1, 1)
    others = [one.index for one in shape.ports if not one.is_host]
    entries = {switch: (chance.choice(others), None) for switch in switches if switch != own}
    entries[own] = len(network.ports), None
    names = [field.name for field in network.fields]

    async def bench(ctx):
        set_address(ctx, unit.own, network, own)
        ctx.set(unit.in_port, 1 << port.index)
        await load_table(ctx, unit, network, entries)
        for destination in switches:
            for middle in (None, *switches):
                address = dict(zip(names, middle or chance.choice(switches)))
                header = {
                    "destination": {**dict(zip(names, destination)), "host": 1},
                    "flags": {"intermediate": {"valid": int(middle is not None), **address}},
                }
                channel = 1 << chance.randrange(port.channels)
                ctx.set(unit.channel, channel)
                ctx.set(unit.asked, header)
                ctx.set(unit.header, header)
                to, left = target(own, destination, middle)
                wanted = len(shape.ports) - 1 if to == own else [one.index for one in shape.ports].index(entries[to][0])
                assert ctx.get(unit.tag.route) == 1 << wanted
                # No port leads to a higher rank, so packets keep their class.
                assert to == own or ctx.get(unit.tag.channel) == channel
                state = 0
                if left:
                    state, place = 1, 1
                    for value, field in zip(left, network.fields):
                        state, place = state | value << place, place + field.width
                assert ctx.get(unit.state) == state

    simulate(unit, bench, clocked=True)


def test_the_load_counts_flits_on_their_way_and_packets_that_wait(simulate):
    shape = shape_of(routing="ugal")
    port = next(one for one in shape.ports if not one.is_host)
    dut, chance, seen = OutputLoad(shape, port), random.Random(1), set()

    async def bench(ctx):
        count = waiting = 0
        for step in range(400):
            # The buffer fills, then it drains, with credits in excess in the end.
            fills = step // 50 % 2 == 0
            sent = chance.random() < (0.9 if fills else 0.3) and count < shape.storage(port)
            credit = chance.getrandbits(port.channels) & chance.getrandbits(port.channels) * (not fills)
            if not fills and chance.random() < 0.2:
                credit = (1 << port.channels) - 1
            waits = chance.getrandbits(len(shape.sources)) & chance.getrandbits(len(shape.sources))
            for name, value in (("sent", int(sent)), ("credit", credit), ("waits", waits)):
                ctx.set(getattr(dut, name), value)
            count = max(0, count + sent - credit.bit_count())
            await ctx.tick()
            assert ctx.get(dut.load) == count + shape.packet * waiting
            seen.add(count)
            waiting = waits.bit_count()

    simulate(dut, bench, clocked=True)
    assert {0, 1, shape.storage(port)} <= seen


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"turns": 1}, "Turn classes of routing indirect must be in 2..16, not 1"),
        ({"lookup": "algorithm", "turns": 1}, "Routing indirect is for lookup by table in one layer, not by algorithm"),
        ({"layers": 2, "turns": 1}, "Routing indirect is for lookup by table in one layer"),
    ],
)
def test_cores_without_two_stages(more, message):
    values = {"lookup": "table", "turns": 3} | more
    with pytest.raises(ValueError, match=message):
        CoreShape(parse_network("hyperx:3x3"), flit=64, packet=4, routing="indirect", **values)
