"""Emitted tables against the golden models: changes under traffic, and proofs."""

import random

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.table.direct import DirectTable
from dsnswitch.hdl.table.shape import TableShape
from dsnswitch.hdl.table.ternary import TernaryTable
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.formulas import compile_node
from dsnswitch.net.tables.update import empty, plan
from dsnswitch.net.topology.dsn import grid

SMALL = {"block": "table-ternary", "entries": 7, "key": 5, "action": 3}
DSN = {"block": "table-ternary", "entries": 40, "key": 9, "action": 4}


def writes(steps, width):
    """Steps in the form that the bench reads."""
    return [[s.address, 1, s.entry.value, s.entry.length, s.entry.action] if s.entry else [s.address, 0, 0, 0, 0] for s in steps]


def changes(tables, capacity):
    """Steps of the bench that turn an empty table into the first table, and each table into the next."""
    places, found = empty(capacity), []
    for table in tables:
        steps, places = plan(places, table)
        found.append({"writes": writes(steps, table.width)})
    return found


def random_tables(count, width, actions, size, seed=1):
    """Tables with many nested prefixes."""
    rng = random.Random(seed)
    for _ in range(count):
        found = {}
        for _ in range(rng.randrange(size + 1)):
            length = rng.randrange(width + 1)
            found[rng.getrandbits(width) >> width - length << width - length, length] = rng.randrange(actions)
        entries = tuple(Entry(value, length, action) for (value, length), action in found.items())
        yield Table("random", width, tuple(map(str, range(actions))), entries)


def random_changes(count=60):
    """Changes between tables of at most 3 entries. Their 7 rows hold old and new entries together, and some entries must move."""
    return changes(random_tables(count, 5, 8, 3), 7)


def test_random_tables_come_and_go_registered(lab):
    assert lab.bench("table_bench", SMALL | {"stages": 2}, changes=random_changes()) == 3


@pytest.mark.regress
@pytest.mark.parametrize("stages", [0, 1])
def test_random_tables_come_and_go(lab, stages):
    assert lab.bench("table_bench", SMALL | {"stages": stages}, changes=random_changes(400)) == 3


def test_routing_tables_come_and_go(lab):
    """Changes from the table of one node of 8 x 8 x 8 to those of other nodes."""
    tables = [compile_node(grid(8, 8), node) for node in ((0, 0, 0), (3, 5, 7), (7, 7, 2), (4, 1, 0))]
    assert lab.bench("table_bench", DSN, changes=changes(tables, 40), pace=0.9) == 3


@pytest.mark.parametrize("words", [5, 200])
def test_direct_table(lab, words):
    assert lab.bench("table_bench", {"block": "table-direct", "words": words, "action": 4}) == 3


def test_direct_table_of_flip_flops(lab):
    values = {"block": "table-direct", "words": 11, "action": 4, "memory": "flip-flops"}
    assert lab.bench("table_bench", values) == 3


@pytest.mark.parametrize(("shape", "stages"), [((40, 9, 4), 0), ((7, 5, 3), 2)], ids=str)
def test_every_entry_alone(simulate, shape, stages):
    """Each entry with prefixes of all lengths: keys with the prefix hit, and those that differ in one bit of it do not."""
    entries, width, actions = shape
    table, rng = TernaryTable(TableShape(*shape), stages=stages), random.Random(4)

    async def bench(ctx):
        async def look(key):
            ctx.set(table.key, key)
            await ctx.tick().repeat(stages) if stages else await ctx.delay(1e-10)
            return ctx.get(table.hit), ctx.get(table.action)

        async def write(place, valid, value=0, length=0, action=0):
            for name, given in {"place": place, "valid": valid, "value": value, "length": length, "action": action}.items():
                ctx.set(getattr(table, f"write_{name}"), given)
            ctx.set(table.write, 1)
            await ctx.tick()
            ctx.set(table.write, 0)

        for place in range(entries):
            ones = (1 << width) - 1
            some = rng.getrandbits(width), place % (width + 1), rng.getrandbits(actions)
            for value, length, action in (some, (ones, width, 0), (0, width, (1 << actions) - 1)):
                await write(place, 1, value, length, action)
                rest = rng.getrandbits(width) >> length
                assert await look(value >> width - length << width - length | rest) == (1, action)
                for bit in range(length):
                    assert await look(value ^ 1 << width - 1 - bit) == (0, 0)
            await write(place, 0)
            assert await look(value) == (0, 0)

    simulate(table, bench, clocked=True)


def test_no_write_beyond_the_words(simulate, monkeypatch):
    """Verilog ignores a write beyond a memory, but a macro of a foundry may change another word."""
    ports, right = [], Memory.write_port
    monkeypatch.setattr(Memory, "write_port", lambda self, **more: ports.append(right(self, **more)) or ports[-1])
    table = DirectTable(5, 4)

    async def bench(ctx):
        ctx.set(table.write, 1)
        for word in range(8):
            ctx.set(table.write_word, word)
            await ctx.delay(1e-9)
            assert ctx.get(ports[0].en) == (word < 5)

    simulate(table, bench, clocked=True)


ORIGINAL = TernaryTable._first


def last_wins(self, found):
    """A priority in the opposite order."""
    return ORIGINAL(self, found[::-1])


class Definition(wiring.Component):
    """The table with free variables for its rows, compared with the definition of a longest-prefix match.

    ``wrong`` is 1 if rows are ordered by length, longest first, equal prefixes have equal actions, and the output is not the
    action of the longest prefix that matches.
    """

    def __init__(self, shape):
        self._shape = shape
        parts = {f"{name}_{place}": In(width) for place in range(shape.entries) for name, width in self.parts().items()}
        super().__init__({"key": In(shape.key), "wrong": Out(1)} | parts)

    def parts(self):
        shape = self._shape
        return {"valid": 1, "value": shape.key, "length": range(shape.key + 1), "action": shape.action}

    def elaborate(self, platform):
        m = Module()
        width, found, spec = self._shape.key, [], []
        for place in range(self._shape.entries):
            valid, value, length, action = (getattr(self, f"{name}_{place}") for name in self.parts())
            refusals = TernaryTable._refusals(self, valid, value, length)
            found.append((TernaryTable._matches(self, *refusals), action))
            match = Signal(name=f"definition_{place}")
            m.d.comb += match.eq(valid & (length <= width) & ((self.key ^ value) >> (width - length)[:4] == 0))
            spec.append((match, length, action))
        hit, action = TernaryTable._first(self, found)
        assumed = [length <= width for _, length, _ in spec]
        for place, (match, length, own) in enumerate(spec):
            for other, below, another in spec[place + 1 :]:
                assumed.append(~(match & other) | (length > below) | (length == below) & (own == another))
        wrong = [hit != Cat(match for match, *_ in spec).any()]
        for match, length, own in spec:
            longest = Cat(~other | (below <= length) for other, below, _ in spec).all()
            wrong.append(match & longest & (action != own))
        m.d.comb += self.wrong.eq(Cat(assumed).all() & Cat(wrong).any())
        return m


@pytest.mark.parametrize("shape", [(4, 4, 2), (5, 3, 2)], ids=str)
def test_match_is_its_definition(prove, shape):
    """SAT proof for all contents and keys: the action is that of the longest prefix that matches."""
    proved, log = prove(Definition(TableShape(*shape)), "wrong")
    assert proved, log


@pytest.mark.prove
def test_match_is_its_definition_larger(prove):
    proved, log = prove(Definition(TableShape(14, 9, 4)), "wrong")
    assert proved, log


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("_first", last_wins),
        ("_matches", lambda self, one, zero: ~(self.key & one).any()),
        ("_refusals", lambda self, valid, value, length: (~value, value)),
    ],
    ids=["priority", "half-a-match", "no-mask"],
)
def test_proof_can_fail(prove, monkeypatch, name, mutant):
    monkeypatch.setattr(TernaryTable, name, mutant)
    proved, log = prove(Definition(TableShape(4, 4, 2)), "wrong")
    assert not proved
    assert "model found: FAIL" in log


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((0, 4, 4), "Table entries must be in 1..1024, not 0"),
        ((4, 65, 4), "Table key width must be in 1..64, not 65"),
        ((4, 4, 0), "Table action width must be in 1..64, not 0"),
    ],
)
def test_sizes(shape, message):
    with pytest.raises(ValueError, match=message):
        TableShape(*shape)


def test_table_parameters(quiet):
    with pytest.raises(TypeError, match=r"Table shape must be a TableShape, not \(4, 4, 2\)"):
        quiet(TernaryTable)((4, 4, 2))
    with pytest.raises(ValueError, match=r"Table stages must be in 0..2, not 3"):
        quiet(TernaryTable)(TableShape(4, 4, 2), stages=3)
