"""Routing of the packets of one port, on Amaranth's simulator, against relations and tables."""

import random
from collections import Counter
from itertools import product

import pytest

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.route_unit import RouteUnit
from dsnswitch.hdl.core.shape import CoreShape, TableOptions
from dsnswitch.net.routing.detour.decisions import pack, unpack
from dsnswitch.net.routing.detour.relation import UNDELIVERABLE
from dsnswitch.net.topology.registry import parse_network


class Answers:
    """What a switch answers about packets, by the relation of its network or by a table."""

    def __init__(self, shape, own, table, dead, up):
        self.shape, self.network, self.own, self.table, self.dead, self.up = shape, shape.network, own, table, dead, up
        #: Whether every packet follows the table.
        self.mode = False

    def by_table(self, there, arrival, layer, packet_table):
        """``(ports and classes of the table, whether a packet may return)``; a port of None is this switch."""
        shape, found = self.shape, []
        ends = shape.turns > 1 and arrival is not None and self.up >> arrival[0] & 1
        number = arrival[1] if arrival else 0
        for port in self.table.get(there) or ():
            if port == len(self.network.ports):
                found.append((None, 0))
            elif port > len(self.network.ports) or self.dead >> port & 1:
                found.append(None)
            elif ends and self.up >> port & 1:
                found.append((port, number + 1) if number + 1 < shape.turns else None)
            else:
                found.append((port, number if shape.turns > 1 else layer))
        return found or [None], shape.turns > 1 or (shape.lookup == "forwarding" and not packet_table)

    def of(self, there, arrival, layer, packet_table):
        """``(invalid, by_table, may return, hops)``; a hop of None leads nowhere."""
        sizes = [field.size for field in self.network.fields if field.width]
        if any(value >= size for value, size in zip((*self.own, *there), sizes * 2)) or layer >= self.shape.layers:
            return True, None, False, [None]
        if self.shape.lookup == "algorithm":
            return False, False, False, [next(iter(self.hops(there, arrival)), (None, 0))]
        if self.shape.lookup == "forwarding":
            port, number = next(iter(self.hops(there, arrival)), (None, 0))
            if not (self.mode or packet_table or (port is not None and self.dead >> port & 1)):
                return False, False, False, [(port, number)]
        found, may_return = self.by_table(there, arrival, layer, packet_table)
        if self.shape.lookup == "forwarding":
            ports = self.shape.ports
            found = [hop and (hop[0], hop[0] is not None and ports[hop[0]].classes - 1) for hop in found]
        return False, True, may_return, found

    def hops(self, there, arrival):
        relation = self.shape.relation
        return relation.hops(self.own, arrival and relation.arrival_type(*arrival), there)


TABLE = {"table": TableOptions("direct", memory="flip-flops")}
UNITS = {
    "algorithm": ("torus:4x3", {}),
    "layers": ("torus:3x3", {"lookup": "table", "layers": 3, **TABLE}),
    "turns": ("torus:3x3", {"lookup": "table", "turns": 3, "adaptive": True, **TABLE}),
    "forwarding": ("torus:3x3", {"lookup": "forwarding", **TABLE}),
}


@pytest.mark.parametrize(("spelling", "more"), UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("kind", ["dim0", "host"])
def test_routes_of_random_packets(simulate, kind, spelling, more):
    """From addresses that exist or not to such, with any contents of the table; three hosts, whose field has two bits."""
    network = parse_network(spelling)
    shape = CoreShape(network, flit=80, packet=4, hosts=3, spread={"dim0": 2, "dim1": 4, "host": 2}, **more)
    network, port = shape.network, next(port for port in shape.ports if port.kind == kind)
    unit, chance, seen = RouteUnit(shape, port), random.Random(1), Counter()
    names, address = [field.name for field in network.fields if field.width], Header(shape).address
    switches, ports = list(network.switches()), [one.index for one in shape.ports if one.kind == kind]
    bits = len(network.ports).bit_length()
    anywhere = list(product(*(range(1 << field.width) for field in network.fields if field.width)))

    async def bench(ctx):
        answers = Answers(shape, (0, 0), {}, 0, 0)
        for step in range(400):
            if step % 20 == 0:
                answers.own = chance.choice(switches if chance.random() < 0.9 else anywhere)
                answers.dead = chance.choice((0, 1 << chance.randrange(len(network.ports))))
                answers.up = chance.getrandbits(len(network.ports))
                answers.mode = chance.random() < 0.2
                values = {"dead": answers.dead, "up": answers.up, "mode": answers.mode, "loaded": 1}
                for name in values.keys() & unit.inputs.keys():
                    ctx.set(getattr(unit, name), values[name])
                for name, value in zip(names, answers.own):
                    ctx.set(getattr(unit.own, name), value)
            if "write" in unit.inputs:
                there, actions = chance.choice(anywhere), [chance.randrange(len(network.ports) + 2) for _ in range(2)]
                actions = actions[: 1 + shape.adaptive]
                valid = chance.random() < 0.9
                word = sum(value << 2 * (len(names) - 1 - place) for place, value in enumerate(there))
                action = sum(one << bits * place for place, one in enumerate(actions))
                for name, value in {"": 1, "_word": word, "_valid": valid, "_action": action}.items():
                    ctx.set(getattr(unit, f"write{name}"), int(value))
                await ctx.tick()
                answers.table[there] = actions if valid else None
            arrival = None if port.is_host else (chance.choice(ports), chance.randrange(port.classes))
            there, source = chance.choice(switches if chance.random() < 0.9 else anywhere), chance.choice(switches)
            host, layer = chance.randrange(4), chance.randrange(4) if shape.layers > 1 else 0
            ordered, packet_table = chance.random() < 0.2, chance.random() < 0.3
            flags = {"by_table": packet_table} | ({"ordered": ordered} if shape.is_adaptive else {})
            places = {"destination": (there, host), "source": (source, chance.randrange(3))}
            places = {name: dict(zip((*names, "host"), (*one, number))) for name, (one, number) in places.items()}
            header = places | {"flags": flags} | ({"layer": layer} if shape.layers > 1 else {})
            ctx.set(unit.asked, header)
            ctx.set(unit.header, header)
            if arrival:
                ctx.set(unit.in_port, 1 << arrival[0])
                share = port.shares[0]
                ctx.set(unit.channel, 1 << arrival[1] * share.spread + chance.randrange(share.spread))
            invalid, by_table, may_return, hops = answers.of(there, arrival, layer, packet_table)
            invalid |= host >= 3
            assert ctx.get(unit.invalid) == invalid
            hop = None if invalid else hops[0]
            to = hop and (host if hop[0] is None else hop[0])
            number = (
                None
                if hop is None
                else next(place for place, one in enumerate(shape.ports) if (one.is_host, one.index) == (hop[0] is None, to))
            )
            tag = ctx.get(unit.tag)
            assert tag.route == (0 if number is None else 1 << number)
            assert ctx.get(unit.no_route) == (not invalid and hop is None)
            back = hop is not None and arrival is not None and hop[0] == arrival[0]
            assert ctx.get(unit.u_turn) == (back and not may_return)
            if by_table is not None and len(unit.by_table):
                assert ctx.get(unit.by_table) == by_table
            word = address.const(places["destination"]).as_value().value
            word |= address.const(places["source"]).as_value().value << address.size
            check_channel(shape, tag.channel, hop, number, word)
            if shape.is_adaptive:
                other = None if invalid or ordered or len(hops) < 2 else hops[1]
                other = other if other and other[0] is not None else None
                assert tag.other.route == (1 << other[0] if other else 0)
                check_channel(shape, tag.other.channel, other, other and other[0], word)
            seen[invalid, hop is None, back] += 1
            await ctx.delay(1e-10)

    simulate(unit, bench, clocked="write" in unit.inputs)
    assert seen[True, True, False] > 20
    assert seen[False, False, False] > 50


def check_channel(shape, channel, hop, number, word):
    """The channel of a hop to output ``number``: its class, and in it the one of the flow with these addresses."""
    if hop is None:
        return
    share = shape.ports[number].shares[0]
    if share.channels == 1:
        return
    width, flow = (share.spread - 1).bit_length(), 0
    while word and width:
        flow, word = flow ^ word & (1 << width) - 1, word >> width
    first = shape.selections[share.classes, share.spread]
    assert channel >> first & (1 << share.channels) - 1 == 1 << (hop[1] if share.classes > 1 else 0) * share.spread + flow


@pytest.mark.parametrize("kind", ["local", "x"])
def test_detours(simulate, kind):
    """With any dead ports; only a local detour may turn back. A packet that no port leads on goes to host 0."""
    shape = CoreShape(parse_network("ring:8:ring-3"), (0, 0), flit=64, packet=4, hosts=2, routing="detour", spread={"x": 2})
    network, relation, chance, seen = shape.network, shape.relation, random.Random(1), Counter()
    port = next(port for port in shape.ports if port.kind == kind)
    unit, names, switches = (
        RouteUnit(shape, port),
        [field.name for field in network.fields if field.width],
        list(network.switches()),
    )
    states, ports, spread = [0], [(one.is_host, one.index) for one in shape.ports], port.spreads[0]

    async def bench(ctx):
        ctx.set(unit.in_port, 1 << port.index)
        for _ in range(500):
            there, virtual_class, state = chance.choice(switches), chance.randrange(port.classes), chance.choice(states)
            dead = chance.getrandbits(len(network.ports)) & (chance.getrandbits(len(network.ports)) | (kind == "local") << 4)
            ctx.set(unit.dead, dead)
            ctx.set(unit.channel, 1 << virtual_class * spread + chance.randrange(spread))
            header = {"destination": dict(zip((*names, "host"), (*there, 1))), "flags": {"detour": state}}
            ctx.set(unit.asked, header)
            ctx.set(unit.header, header)
            arrival = relation.arrival_type(port.index, virtual_class)
            found = relation.decide((0, 0), arrival, unpack(state), there, lambda one, dead=dead: not dead >> one & 1)
            hop, wanted, lost = None, 0, found == UNDELIVERABLE
            output = ports.index((True, 0 if lost else 1))
            if not isinstance(found, str):
                hop, wanted, output = found[:2], pack(found.detour), ports.index((False, found.port))
                states.append(wanted)
            back = hop is not None and hop[0] == port.index
            assert (ctx.get(unit.tag.route), ctx.get(unit.state), ctx.get(unit.undeliverable)) == (1 << output, wanted, lost)
            assert ctx.get(unit.u_turn) == (back and kind != "local")
            if hop:
                address = Header(shape).address
                check_channel(
                    shape, ctx.get(unit.tag.channel), hop, output, address.const(header["destination"]).as_value().value
                )
            seen[lost, back] += 1

    simulate(unit, bench)
    assert len(seen) == 3
