"""Changes of a table: after every step, each key has its action of before or after the change; bad tables are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.entries import Entry, Table, parse_match
from dsnswitch.net.tables.update import empty, plan

WIDTH, ACTIONS = 4, tuple("abcdefgh")
KEYS = range(1 << WIDTH)


def table(found):
    return Table("test", WIDTH, ACTIONS, tuple(Entry(bits << WIDTH - length, length, a) for (bits, length), a in found.items()))


PREFIX = st.integers(0, WIDTH).flatmap(lambda length: st.tuples(st.integers(0, (1 << length) - 1), st.just(length)))
TABLES = st.dictionaries(PREFIX, st.integers(0, 7), max_size=7).map(table)


def first(places, key):
    """Action of a table in which the first matching row wins."""
    return next((e.action for e in places if e is not None and (key ^ e.value) >> WIDTH - e.length == 0), None)


def walk(places, steps):
    places = list(places)
    for step in steps:
        places[step.address] = step.entry
        yield places


def without_a_wrong_answer(capacity, tables):
    """Change a table from each to the next, and look up every key after every write."""
    places = empty(capacity)
    for old, new in zip([table({}), *tables], tables):
        before, after = ([t.lookup(key) for key in KEYS] for t in (old, new))
        steps, end = plan(places, new)
        for state in walk(places, steps):
            for key in KEYS:
                assert first(state, key) in (before[key], after[key]), (key, state)
        assert all(first(end, key) == after[key] for key in KEYS)
        assert sum(place is not None for place in end) == len(new.entries)
        places = end


@given(st.lists(TABLES, min_size=1, max_size=4))
def test_no_wrong_answer_in_between(tables):
    without_a_wrong_answer(14, tables)


# A change in which the order matters: 0/1 is replaced by its two halves, and a longer prefix below it is removed.
HALVES = [table({(0, 1): 1, (0, 3): 2, (1, 1): 3}), table({(0, 2): 4, (1, 2): 5, (1, 1): 3}), table({(0, 0): 6, (0, 2): 4})]


def test_halves():
    without_a_wrong_answer(6, HALVES)


def test_moves_make_room_in_the_middle():
    """A full region moves towards the free row on either side, but only as far as necessary."""
    long, short, middle = Entry(0, 4, 0), Entry(0, 1, 1), Entry(0, 2, 2)
    for places, writes in (([long, short, None], 2), ([None, long, short], 2), ([long, None, short], 1)):
        steps, end = plan(tuple(places), table({(0, 4): 0, (0, 1): 1, (0, 2): 2}))
        assert len(steps) == writes
        assert end == (long, middle, short)


def test_too_many_entries():
    full = {(bits, 4): 0 for bits in range(4)}
    with pytest.raises(UsageError, match=r"test has 4 entries, more than the 3 of the table"):
        plan(empty(3), table(full))
    places = plan(empty(4), table(full))[1]
    with pytest.raises(UsageError, match="a change under traffic needs 5 rows for old and new entries, more than the 4"):
        plan(places, table({(4, 4): 0}))


def test_rules_of_a_table():
    with pytest.raises(UsageError, match=r"equal length must not overlap; 01\*\* occurs twice, with actions 1 and 2"):
        Table("t", 4, ACTIONS, (Entry(4, 2, 1), Entry(4, 2, 2)))
    with pytest.raises(UsageError, match=r"entry 01\*\*: action must be in 0..7, not 8"):
        Table("t", 4, ACTIONS, (Entry(4, 2, 8),))
    for value, length in ((5, 2), (0, 5), (16, 4)):
        with pytest.raises(UsageError, match=f"a prefix must have 0..4 bits and nothing below them, not {value:#x}/{length}"):
            Table("t", 4, ACTIONS, (Entry(value, length, 0),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0*1", "here: a mask must be a prefix, with every \\* at the end, not '0\\*1'"),
        ("01x", "here: a match must be a word of 0, 1 and \\*, not '01x'"),
        ("", "here: a match must be a word"),
    ],
)
def test_matches_that_are_none(text, message):
    with pytest.raises(UsageError, match=message):
        parse_match(text, "here")


@given(PREFIX)
def test_matches_read_back(prefix):
    bits, length = prefix
    entry = Entry(bits << WIDTH - length, length, 0)
    assert parse_match(entry.match(WIDTH), "") == (entry.value, length, WIDTH)
