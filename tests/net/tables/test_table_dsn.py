"""Tables of DSN nodes: Fig. 4.12 entry by entry, every action that of the golden paths, and no smaller table exists."""

from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.net.tables.entries import action_names
from dsnswitch.net.tables.formulas import compile_node
from dsnswitch.net.tables.trie import ANY, MISS, blocks, fewest, trie
from dsnswitch.net.topology.dsn import Dsn, grid, ring
from dsnswitch.net.topology.supernode import Coc, K4x2
from dsnswitch.sim.golden.routing.dsn import route
from dsnswitch.sim.golden.table import LongestPrefix
from dsnswitch.sim.golden.topology.dsn import nodes

# D Fig. 4.12(b), as printed: destination address, and next hop by the remark: the node's own shortcut (S), the node that has a
# shortcut (L), a node of this supernode, or none.
FIG_4_12 = """
000 000 000  this
000 000 ---  same
000 001 ***  L 1 y
000 01* ***  L 2 y
000 1** ***  S 4 y
001 *** ***  L 1 x
01* *** ***  L 2 x
1** *** ***  S 4 x
"""
NETWORKS = [
    pytest.param(grid(8, 8), id="8x8x8"),
    pytest.param(grid(8, 4, directions="forward"), id="forward"),
    pytest.param(grid(5, 7), id="5x7"),
    pytest.param(grid(1, 16), id="1x16"),
    pytest.param(grid(3, 2, Coc(3, 2)), id="coc"),
    pytest.param(grid(3, 4, K4x2(double=True)), id="two-sets"),
    pytest.param(ring(13, 5), id="ring-13-5"),
    pytest.param(ring(2, 1), id="two-nodes"),
]


def printed():
    """Fig. 4.12(b) as ``(match, action)``, from the text of the figure and the links of the model."""
    dsn = grid(8, 8, directions="forward")

    def towards(node):
        """Port of the first local hop from id 0, by the golden path."""
        first = route(dsn, (0, 0, 0), (0, 0, node))[0].target[-1]
        return {1: "local_xor1", 2: "local_xor2", 3: "local_xor3", 7: "local_cross"}[first]

    for line in FIG_4_12.strip().splitlines():
        x, y, node_id, kind, *where = line.split()
        match = x + y + node_id
        if kind == "this":
            yield match, "arrived"
        elif kind == "same":
            for node in range(1, 8):
                yield match[:6] + format(node, "03b"), towards(node)
        else:
            length, axis = where
            # The shortcut of length l has the level 3 - log2 l, and the id of its node is one less.
            holder = 3 - int(length).bit_length()
            assert (holder == 0) == (kind == "S")
            yield match, f"{axis}_forward" if kind == "S" else towards(holder)


def test_fig_4_12():
    """Node 0 of supernode (0, 0) of 8 x 8 x 8, forward half: exactly the entries of the figure, 14 = m + 2 log2 N."""
    table = compile_node(grid(8, 8, directions="forward"), (0, 0, 0), "relative", minimise=False)
    found = {entry.match(9): table.actions[entry.action] for entry in table.entries}
    assert found == dict(printed())
    assert len(table.entries) == 8 + 2 * 3
    remarks = {entry.match(9): entry.remark for entry in table.entries}
    assert remarks["001******"] == "to node 2 for the length-1 x shortcut forward"
    assert remarks["1********"] == "length-4 x shortcut forward"


def test_backward_half_that_fig_4_12_leaves_out():
    """Distances 5, 6 and 7 go backward: three more prefixes in each dimension, two with folded keys."""
    dsn = grid(8, 8)
    full = compile_node(dsn, (0, 0, 0), "relative", minimise=False)
    assert len(full.entries) == 14 + 2 * 3
    rows = {entry.match(9): entry.remark for entry in full.entries}
    assert rows["100******"] == "length-4 x shortcut forward"
    assert rows["101******"] == rows["111******"] == "to node 3 for the length-1 x shortcut backward"
    assert rows["110******"] == "to node 2 for the length-2 x shortcut backward"
    folded = compile_node(dsn, (0, 0, 0), "folded", minimise=False)
    assert len(folded.entries) == 14 + 2 * 2
    rows = {entry.match(11): entry.remark for entry in folded.entries}
    assert rows["11" + "*" * 9] == "to node 3 for the length-1 x shortcut backward"


@cache
def hop(dsn, distance, source, target):
    hops = route(dsn, (0,) * len(distance) + (source,), (*distance, target))
    return hops[0] if hops else None


def goes(dsn, action, own):
    """The next node for an action, by the topology's own definitions: port names, levels, offsets."""
    name = action_names(dsn)[action]
    if name.startswith("local_"):
        return (*own[:-1], dsn.supernode.neighbour(own[-1], action))
    axis = "xy".index(name[0])
    n, p, there = dsn.sizes[axis], (dsn.sizes[axis] - 1).bit_length(), list(own)
    set_size = 4 if dsn.supernode.name.endswith("double") else dsn.m
    if name.endswith("forward"):
        level, there[-1] = own[-1] % set_size + 1, (own[-1] + 1) % dsn.m
        there[axis] = (own[axis] + 2 ** (p - level)) % n
    else:
        level, there[-1] = (own[-1] - 1) % set_size + 1, (own[-1] - 1) % dsn.m
        there[axis] = (own[axis] - 2 ** (p - level)) % n
    assert 1 <= level <= p
    return tuple(there)


@pytest.mark.parametrize("minimise", [True, False], ids=["fewest", "expanded"])
@pytest.mark.parametrize("keys", Dsn.keys)
@pytest.mark.parametrize("dsn", NETWORKS)
def test_every_pair_goes_where_the_golden_path_goes(dsn, keys, minimise):
    """The first hop of every pair, and so every path. The keys of each node come from the independent model."""
    everyone = list(nodes(dsn))
    # The next test shows that relative tables of one id are equal in all supernodes, so one supernode off the origin is enough.
    # Of absolute tables, only the minimised ones are tested in every supernode.
    whole = keys == "absolute" and minimise
    some = everyone if whole else [node for node in everyone if node[:-1] == everyone[-1][:-1]]
    for own in some:
        table = compile_node(dsn, own, keys, minimise)
        model = LongestPrefix(table.width, [(entry.value, entry.length, entry.action) for entry in table.entries])
        answers = {}
        for dst in everyone:
            key = dsn.key(own, dst, keys)
            if key not in answers:
                answers[key] = model.lookup(key)
            assert answers[key] is not None, (own, dst)
            distance = tuple((t - s) % n for s, t, n in zip(own, dst, dsn.sizes))
            golden = hop(dsn, distance, own[-1], dst[-1])
            if golden is None:
                assert table.actions[answers[key][0]] == "arrived"
                continue
            wanted = (*((s + d) % n for s, d, n in zip(own, golden.target, dsn.sizes)), golden.target[-1])
            assert goes(dsn, answers[key][0], own) == wanted, (own, dst)


@pytest.mark.parametrize("dsn", NETWORKS)
@pytest.mark.parametrize("keys", ["relative", "folded"])
def test_relative_tables_depend_on_the_id_alone(dsn, keys):
    places = [node for node in nodes(dsn) if node[-1] == dsn.m - 1]
    assert len({compile_node(dsn, node, keys).entries for node in places}) == 1


@pytest.mark.parametrize("dsn", [grid(5, 7), ring(13, 5)], ids=["5x7", "ring-13-5"])
def test_absent_destinations_miss(dsn):
    own = next(nodes(dsn))
    table = compile_node(dsn, own)
    there = {dsn.key(own, dst) for dst in nodes(dsn)}
    for key in range(1 << dsn.key_width()):
        assert (table.lookup(key) is not None) == (key in there)
    assert len(compile_node(dsn, own, absent=ANY).entries) < len(table.entries)


PREFIXES = [(bits, length) for length in range(3) for bits in range(1 << length)]


def answers(found):
    """Action of each of the four keys of two bits."""
    model = LongestPrefix(2, [(bits << 2 - length, length, action) for bits, length, action in found])
    return tuple((model.lookup(key) or (MISS,))[0] for key in range(4))


@cache
def smallest():
    """Fewest entries of every pattern of actions, by trying all tables with two-bit keys and three actions, smallest first."""
    known = {}
    for size in range(5):
        for places in combinations(PREFIXES, size):
            for actions in product(range(3), repeat=size):
                known.setdefault(answers([(*place, a) for place, a in zip(places, actions)]), size)
    return known


def test_no_table_is_smaller():
    """All assignments of three actions, miss or "never occurs" to four keys."""
    for wishes in product((0, 1, 2, MISS, ANY), repeat=4):
        found = fewest(trie(wishes, 2))
        assert all(wish is ANY or wish == answer for wish, answer in zip(wishes, answers(found))), wishes
        fits = [n for pattern, n in smallest().items() if all(w is ANY or w == a for w, a in zip(wishes, pattern))]
        assert len(found) == min(fits), wishes


WISHES = st.integers(1, 7).flatmap(
    lambda width: st.tuples(
        st.just(width), st.lists(st.sampled_from([0, 1, 2, 3, MISS, ANY]), min_size=1 << width, max_size=1 << width)
    )
)


@given(WISHES)
def test_fewest_and_blocks_say_the_same(drawn):
    width, wishes = drawn
    root = trie(wishes, width)
    found, expanded = fewest(root), list(blocks(root))
    for networks in (found, expanded):
        model = LongestPrefix(width, [(bits << width - length, length, action) for bits, length, action in networks])
        for key, wish in enumerate(wishes):
            assert wish is ANY or (model.lookup(key) or (MISS,))[0] == wish
    assert len(found) <= len(expanded)


def test_trie_refuses_too_many_values():
    with pytest.raises(ValueError, match="3 values do not fit keys of 1 bits"):
        trie([0, 1, 2], 1)
