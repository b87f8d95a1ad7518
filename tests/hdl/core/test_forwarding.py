"""Forwarding in emitted Verilog against the golden models, with new inputs in every cycle; keys; parameters."""

import random

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.forwarding import AddressCheck, Forwarding, RouteSelector, TableKey
from dsnswitch.hdl.table.direct import DirectTable, DirectWrite
from dsnswitch.hdl.table.shape import TableShape
from dsnswitch.hdl.table.ternary import TernaryWrite
from dsnswitch.net.tables.formulas import compile_node
from dsnswitch.net.tables.trie import ANY
from dsnswitch.net.topology.dsn import grid, ring
from dsnswitch.net.topology.supernode import Coc
from dsnswitch.sim.golden.table import table_key
from dsnswitch.sim.golden.topology.dsn import nodes

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
