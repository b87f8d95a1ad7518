"""Forwarding in emitted Verilog against the golden models, with new inputs in every cycle; keys; parameters."""

import random
from collections import Counter
from itertools import product

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.forwarding import AddressCheck, Forwarding, RouteSelector, TableKey
from dsnswitch.hdl.core.route_unit import routing_logic
from dsnswitch.hdl.core.shape import CoreShape, TableOptions
from dsnswitch.hdl.table.direct import DirectTable, DirectWrite
from dsnswitch.hdl.table.shape import TableShape
from dsnswitch.hdl.table.ternary import TernaryWrite
from dsnswitch.net.tables.formulas import compile_node
from dsnswitch.net.tables.trie import ANY
from dsnswitch.net.topology.dsn import grid, ring
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.supernode import Coc
from dsnswitch.sim.golden.table import table_key
from dsnswitch.sim.golden.topology.dsn import nodes

from .test_route_unit import Answers

DSN = grid(4, 2)

# Together they cover every kind of table and of keys, every latency, and every field with addresses of no node.
QUICK = {
    "ring-7x5-relative-s1": {"topology": "ring", "n": 7, "m": 5, "keys": "relative", "entries": 13, "stages": 1},
    "5x3-folded-s2": {"x": 5, "y": 3, "supernode": "coc-3x2", "keys": "folded", "entries": 21, "stages": 2},
    "one-node-11x3": {"x": 11, "y": 3, "node": "7,2,2", "entries": 19},
    "6x3-direct": {"x": 6, "y": 3, "kind": "direct"},
    "5x3-flip-flops": {"x": 5, "y": 3, "kind": "direct", "memory": "flip-flops"},
}
SIZES = {
    "7x3": {"x": 7, "y": 3, "entries": 15},
    "6x5-forward": {"x": 6, "y": 5, "directions": "forward", "entries": 21},
    "ring-3x2": {"topology": "ring", "n": 3, "m": 2, "entries": 6},
}
REST = {
    f"{size}-{keys}-s{stages}": values | {"keys": keys, "stages": stages}
    for size, values in SIZES.items()
    for keys in ("absolute", "relative", "folded")
    for stages in (0, 1, 2)
} | {
    "11x3-relative": {"x": 11, "y": 3, "keys": "relative", "entries": 24},
    "one-node-12x5-s2": {"x": 12, "y": 5, "node": "7,4,2", "entries": 19, "stages": 2},
    "ring-5x3-direct": {"topology": "ring", "n": 5, "m": 3, "kind": "direct"},
    "one-node-direct": {"x": 3, "y": 7, "node": "2,5,7", "kind": "direct"},
}
BY_TABLE = ["random_packets", "the_algorithm_as_a_table"]


def writes(table, kind):
    """Writes to the write port that load a table."""
    if kind == "ternary":
        return [[place, 1, e.value, e.length, e.action] for place, e in enumerate(table.entries)]
    answers = [table.lookup(key) for key in range(1 << table.width)]
    return [[key, int(action is not None), action or 0] for key, action in enumerate(answers)]


def algorithm_as_tables(values, count):
    """The algorithm as tables, for the block's own node, else for ``count`` nodes.

    A destination that does not exist may match any entry, so that only the hardware can refuse its packets.
    """
    block = build(values)
    everyone = list(nodes(block.network))
    chosen = random.Random(4).sample(everyone, min(count, len(everyone)))
    if block.node:
        chosen = [block.node]
    tables = {node: compile_node(block.network, node, block.table.keys, absent=ANY) for node in chosen}
    if block.table.kind == "ternary":
        for table in tables.values():
            table.check_capacity(block.table.entries)
    return [{"node": list(node), "writes": writes(table, block.table.kind)} for node, table in tables.items()]


@pytest.mark.parametrize("values", QUICK.values(), ids=QUICK)
def test_forwarding(lab, values):
    values = {"block": "forwarding"} | values
    assert lab.bench("forwarding_bench", values, BY_TABLE, tables=algorithm_as_tables(values, 5)) == 2


@pytest.mark.regress
@pytest.mark.parametrize("values", REST.values(), ids=REST)
def test_forwarding_of_any_size(lab, values):
    values = {"block": "forwarding"} | values
    tables = algorithm_as_tables(values, 40)
    assert lab.bench("forwarding_bench", values, BY_TABLE, tables=tables, nodes=40, packets=400) == 2


@pytest.mark.parametrize("keys", ["absolute", "relative", "folded"])
@pytest.mark.parametrize(
    "dsn", [grid(8, 4), grid(5, 3, Coc(3, 2)), ring(7, 3), grid(4, 6, directions="forward"), ring(2, 1)], ids=str
)
def test_keys(simulate, dsn, keys):
    """The keys of the hardware, the compiler and the golden model are equal for every pair of supernodes."""
    unit = TableKey(dsn, keys)

    async def every_pair(ctx):
        for own in nodes(dsn):
            for dst in nodes(dsn) if own[-1] == 0 else ():
                for address, node in ((unit.own, own), (unit.dst, dst)):
                    for name, value in zip((*dsn.dimensions, "id"), node):
                        if hasattr(address, name):
                            ctx.set(getattr(address, name), value)
                golden = table_key(dsn, keys, own, dst)
                assert ctx.get(unit.key) == dsn.key(own, dst, keys) == int(golden, 2), (own, dst)
                assert len(unit.key) == len(golden)

    simulate(unit, every_pair)


def test_addresses_that_exist(simulate):
    """Every pair of addresses, of which 9 times 10 exist."""
    sizes = 3, 3, 3
    unit, seen = AddressCheck(parse_network("torus:3x3x3"), None), set()

    async def bench(ctx):
        for own in product(range(4), repeat=3):
            for dst in product(range(4), repeat=3) if max(own) < 3 else [(1, 2, 0)]:
                for address, values in ((unit.own, own), (unit.dst, dst)):
                    for number, value in enumerate(values):
                        ctx.set(getattr(address, f"dim{number}"), value)
                invalid = any(value >= size for value, size in zip((*own, *dst), sizes * 2))
                assert (ctx.get(unit.invalid), ctx.get(unit.out_port), ctx.get(unit.arrived)) == (invalid, 0, 0)
                seen.add(invalid)

    simulate(unit, bench)
    assert len(seen) == 2


def test_who_decides(simulate):
    """Any answers of route logic and table, any dead ports: where a packet goes, and whether it follows the table."""
    ports, chance, seen = 5, random.Random(1), Counter()
    unit = RouteSelector(ports, adaptive=True)

    async def bench(ctx):
        for _ in range(600):
            mode, packet_table, hit, invalid = (chance.random() < share for share in (0.2, 0.2, 0.8, 0.1))
            port, action, other = chance.choice((None, *range(ports))), chance.randrange(8), chance.randrange(8)
            dead = chance.getrandbits(ports) & chance.getrandbits(ports)
            given = {"mode": mode, "packet_table": packet_table, "dead": dead, "action": action, "other": other, "hit": hit}
            given |= {"route_port": 0 if port is None or invalid else 1 << port, "route_invalid": invalid}
            given["route_arrived"] = port is None and not invalid
            for name, value in given.items():
                ctx.set(getattr(unit, name), int(value))
            alive = [1 << one if hit and not invalid and one < ports and not dead >> one & 1 else 0 for one in (action, other)]
            follows = mode or packet_table or given["route_port"] & dead > 0
            arrived = hit and action == ports and not invalid if follows else given["route_arrived"]
            out = alive[0] if follows else given["route_port"]
            nowhere = follows and not invalid and not (out or arrived)
            names = "out_port", "other_port", "arrived", "invalid", "no_route", "by_table"
            assert tuple(ctx.get(getattr(unit, name)) for name in names) == (out, alive[1], arrived, invalid, nowhere, follows)
            seen[follows, bool(out), arrived, nowhere] += 1

    simulate(unit, bench)
    assert len(seen) == 7


TABLES = {
    "layers": {"lookup": "table", "layers": 3},
    "turns": {"lookup": "table", "turns": 3, "adaptive": True},
    "forwarding": {"lookup": "forwarding"},
}


@pytest.mark.parametrize("more", TABLES.values(), ids=TABLES)
def test_any_table(simulate, more):
    """A new question and a new entry in every cycle, from any port; the answer comes a cycle later, by the dead ports of then."""
    shape = CoreShape(parse_network("torus:3x3"), flit=64, packet=4, table=TableOptions("direct"), **more)
    unit, chance, network = routing_logic(shape), random.Random(2), shape.network
    names, count = [field.name for field in network.fields], len(network.ports)
    anywhere, bits = list(product(range(4), repeat=2)), count.bit_length()
    answers, seen = Answers(shape, (0, 0), {}, 0, 0), Counter()

    async def bench(ctx):
        question, table = None, {}
        for step in range(700):
            if step % 20 == 0:
                answers.own, question = chance.choice(anywhere[:3] + anywhere[4:6] * 2), None
                answers.up, answers.mode = chance.getrandbits(count), chance.random() < 0.2
                for name, value in zip(names, answers.own):
                    ctx.set(getattr(unit.own, name), value)
                for name in ("up", "mode"):
                    if len(getattr(unit, name)):
                        ctx.set(getattr(unit, name), int(getattr(answers, name)))
            answers.dead = chance.getrandbits(count) & chance.getrandbits(count) & chance.getrandbits(count)
            there, layer, flag = chance.choice(anywhere), chance.randrange(shape.layers), chance.random() < 0.2
            arrival = None if chance.random() < 0.2 else (chance.randrange(count), chance.randrange(shape.ports[0].classes))
            if shape.lookup == "forwarding" and arrival:
                # The last class is that of packets that follow tables.
                arrival = arrival[0], arrival[1] % max(1, shape.ports[0].classes - 1)
            place, valid = chance.choice(anywhere), chance.random() < 0.9
            entry = [chance.randrange(count + 2) for _ in range(1 + shape.adaptive)]
            given = {"packet_table": flag, "layer": layer, "dead": answers.dead, "loaded": step > 30, "write": 1}
            given |= {"in_port": 1 << arrival[0] if arrival else 0, "in_class": arrival[1] if arrival else 0}
            given |= {"write_word": place[0] << 2 | place[1], "write_valid": valid}
            given["write_action"] = sum(one << bits * number for number, one in enumerate(entry))
            for name, value in given.items():
                if len(getattr(unit, name)):
                    ctx.set(getattr(unit, name), int(value))
            for name, value in zip(names, there):
                ctx.set(getattr(unit.dst, name), value)
            if question:
                check(ctx, *question)
            question = there, arrival, layer, flag, table.get(there) if step > 30 else None
            table[place] = entry if valid else None
            await ctx.tick()

    def check(ctx, there, arrival, layer, flag, entry):
        answers.table = {there: entry}
        invalid, by_table, may_return, hops = answers.of(there, arrival, layer, flag)
        hop = hops[0]
        said = "invalid", "arrived", "no_route"
        wanted = invalid, hop is not None and hop[0] is None, not invalid and hop is None
        assert tuple(ctx.get(getattr(unit, name)) for name in said) == wanted
        port = hop[0] if hop else None
        assert ctx.get(unit.out_port) == (0 if port is None else 1 << port)
        if not invalid:
            assert ctx.get(unit.by_table) == by_table
            assert ctx.get(unit.returns) == (may_return if len(unit.returns) else 0)
        if port is not None and not (by_table and shape.lookup == "forwarding"):
            assert ctx.get(unit.out_class) == (1 << hop[1] if shape.turns > 1 else hop[1])
        if shape.adaptive and not invalid:
            other = hops[1] if len(hops) > 1 else None
            other = other and (None if other[0] is None else other)
            assert ctx.get(unit.other_port) == (1 << other[0] if other else 0)
            assert not other or ctx.get(unit.other_class) == 1 << other[1]
        seen[wanted] += 1

    simulate(unit, bench, clocked=True)
    assert min(seen.values()) > 10
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("component", "arguments", "message"),
    [
        (DirectTable, (1, 4), "Direct table words must be in 2..65536, not 1"),
        (DirectTable, (4, 0), "Direct table action width must be in 1..64, not 0"),
        (RouteSelector, (0,), "Selector ports must be in 1..256, not 0"),
        (TableKey, (DSN, "near"), "Keys must be one of absolute, relative, folded, not 'near'"),
    ],
)
def test_parameters(quiet, component, arguments, message):
    with pytest.raises(ValueError, match=message):
        quiet(component)(*arguments)


def test_kind_of_table(quiet):
    with pytest.raises(ValueError, match="kind must be one of ternary, direct, not 'none'"):
        quiet(Forwarding)(DSN, kind="none")


@pytest.mark.parametrize("kind", ["ternary", "direct"])
def test_the_write_port_is_that_of_the_table(quiet, kind):
    forwarding = quiet(Forwarding)(DSN, kind=kind)
    key, action = DSN.key_width("absolute"), len(DSN.ports).bit_length()
    wanted = TernaryWrite(TableShape(16, key, action)) if kind == "ternary" else DirectWrite(1 << key, action)
    inputs = {name: member for name, member in forwarding.signature.members.items() if name in wanted.members}
    assert inputs == dict(wanted.flip().members)
    assert {name for name in forwarding.signature.members if name.startswith(("write", "load"))} == set(inputs)


def test_parameters_are_public_and_constant(quiet):
    table = quiet(DirectTable)(16, 4)
    assert dict(table.write_port.members) == dict(DirectWrite(16, 4).members)
    with pytest.raises(AttributeError, match="Parameter write_port of DirectTable cannot be changed"):
        table.write_port = None


def test_a_member_that_no_logic_has():
    """A misspelt or superfluous member is an error, and not ignored."""
    with pytest.raises(TypeError, match="Route logic has no member register"):
        AddressCheck(grid(2, 1), None, register=False)
