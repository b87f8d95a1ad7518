"""D 4.5.1: local links that are separate for each phase, with one virtual channel, in grids of ``k4x2`` (docs/papers.md).

A channel is one direction of a link. The phases with local hops are X (to the first shortcut in x, and between shortcuts in x),
Y, and the final one, E. Two facts are computed here: how many channels the phases need at least, and that orders of the 32
channels of a supernode exist that make small networks free of deadlock. Supernodes are alike, so a channel of one supernode
stands for those of all (a translation maps every channel to one of supernode 0).
"""

from functools import cache
from itertools import pairwise, permutations, product
from statistics import mean

import pytest

from dsnswitch.net.routing.dependencies import cycle
from dsnswitch.net.topology.dsn import grid
from dsnswitch.net.topology.supernode import K4x2
from dsnswitch.sim.golden.routing.dsn import ring_moves
from dsnswitch.sim.golden.topology.dsn import level_count

K4X2 = K4x2()
LOCAL = {(own, K4X2.neighbour(own, port)) for own in range(8) for port in range(4)}


def ends(level, direction):
    """Ids at which a shortcut leaves and arrives."""
    found = level - 1, level % 8
    return found if direction == "forward" else found[::-1]


# Too few channels -----------------------------------------------------------------------------------------------------


def fewest_calls(count, targets):
    """The fewest one-way calls, one after the other, after which each of ``targets`` knows what all of ``count`` ids knew.

    If routes lead from every id to every target, and packets take channels in rising order, the channels are such calls: in
    their order, each tells its end what its start knows.
    """
    reached, calls = {tuple(1 << own for own in range(count))}, 0
    while not any(all(known[own] == (1 << count) - 1 for own in targets) for known in reached):
        following = set()
        for known in reached:
            for a, b in permutations(range(count), 2):
                after = list(known)
                after[b] |= known[a]
                following.add(tuple(after))
        reached, calls = following, calls + 1
    return calls


def least(targets, count=8):
    """Least number of channels that lead from all of ``count`` ids to each of ``targets`` ids."""
    return count - 1 + targets - 1


@pytest.mark.parametrize(("count", "targets"), [(count, t) for count in (2, 3, 4) for t in range(1, count + 1)])
def test_least_number_of_channels_to_some_ids(count, targets):
    """``count - 1 + targets - 1`` channels, searched for few ids."""
    assert fewest_calls(count, range(targets)) == least(targets, count)


@cache
def leaving(n):
    """Ids at which packets leave by a shortcut in a ring of ``n`` supernodes."""
    return {ends(*move)[0] for distance in range(n) for move in ring_moves(n, 0, distance)}


def channels_needed(x, y):
    """Least number of channels for the phases X, Y and E together."""
    return sum(least(len(leaving(n))) for n in (x, y) if n > 1) + least(8)


def test_the_channels_of_k4x2_are_too_few():
    """From 8 x 4, 16 x 3 and 32 x 2 on, and in no smaller grid, the phases need more than the 32 channels of a supernode."""
    assert len(LOCAL) == 32
    sizes = list(product(range(1, 130), repeat=2))
    too_few = {(x, y) for x, y in sizes if channels_needed(x, y) > 32}
    for first in ((8, 4), (16, 3), (32, 2)):
        assert {(x, y) for x, y in sizes if x >= first[0] and y >= first[1]} <= too_few
    assert too_few == {(x, y) for x, y in sizes if any(max(x, y) >= a and min(x, y) >= b for a, b in ((8, 4), (16, 3), (32, 2)))}
    assert (channels_needed(8, 4), channels_needed(7, 7), channels_needed(129, 1)) == (33, 32, 28)


def test_whole_links_are_too_few():
    """If both directions of a link serve the same phase, each phase needs a connected graph of links: 7, and there are 16."""
    for x, y in product(range(2, 10), repeat=2):
        assert leaving(x)
        assert leaving(y)  # all ids must reach one of these, and every id in the final phase
    assert len(LOCAL) // 2 < 3 * (8 - 1)


# Orders that are free of deadlock -------------------------------------------------------------------------------------

#: Channels of a supernode in rising order: ``01X`` is the local channel from id 0 to id 1, which serves phase X; ``x2f`` is the
#: shortcut of level 2 in x forward, ``y1b`` that of level 1 in y backward. Found by a SAT solver.
SEPARATE = {
    "4x4": """
        13X 32X 56E 64E 45X 67X 25X 57X 70X 01X x2f x1f 12X x2b 03Y 31Y 16Y 74Y 46Y 65Y 52Y 20Y 21Y y2f 23E 34E 47E y2b
        y1f 10E 07E 75E 54E 43E 30E 76E 61E 02E
    """,
    "4x7": """
        64Y 57Y 45X 07Y 74Y 43Y 30X 25X 56X 76X 61X 10X 02X x1f x2b 01X x2f 32Y 21Y 13Y y3b y2f 12Y y2b 16E 67E 75E 54E
        20E 03E y3f 34E 47E 70E 46E 65E 52E 23E 31E
    """,
    "7x4": """
        30X 07X 76Y 47X 16X 67X 75X 52X 21X x2f x3f 23X x3b x2b 02Y 25Y 65E 54Y 46Y 31Y 61Y 10Y 12Y y2f 20E 03E y1f y2b
        13E 34E 74E 45E 56E 64E 43E 57E 70E 01E 32E
    """,
    "7x7": """
        64X 47X 56E 12X 25X 57X 70X 03X 32X 01Y x3b x2b 13Y 46E 74Y 31X x2f x3f 34Y 45Y 65Y 52Y 21Y y2f y3f 30E 23Y y3b
        y2b 20E 07E 76E 61E 10E 02E 16E 67E 75E 54E 43E
    """,
    "8x3": """
        01E 20X 07X 74X 56X 64X 43X 31X 12X 23X 10X x2f x3b x3f x1f x2b 13Y 30Y 47Y 76Y 65Y 02Y 52Y y2b 16E 21Y y2f 25E
        67E 34E 45E 57E 75E 54E 70E 03E 46E 61E 32E
    """,
    "3x8": """
        10X 07X 74X 67Y 56X 64X 43X 32X x2b 21X x2f 31Y 25Y 45Y 57Y 70Y 01Y 12Y 20Y 03Y y1f y3b y2b 16E y2f y3f 02E 23E
        34E 76E 65E 54E 47E 46E 75E 61E 13E 52E 30E
    """,
    "15x2": """
        67X 75E 32X 21X 10X 07X 76Y 57X 74X 43X x4b 31X x2f 12X x3f 23X x4f 46Y 65Y 52Y x3b x2b 20Y 34E 13Y 30Y y1f 01E
        25E 54E 16E 64E 47E 70E 03E 45E 02E 56E 61E
    """,
    "2x15": """
        32X 30Y 76X 25X 45X 56X 61X 67E 10X x1f 02Y 21Y 16Y 64Y 75Y 54Y y4b 43Y 31Y y2f y3b 12Y 23Y y2b 13E y3f 34E 57E
        y4f 47E 70E 20E 03E 07E 74E 01E 46E 65E 52E
    """,
}

#: An order for 8 x 8 in which phases share channels.
SHARED = """
    57 64 47 70 12 23 30 01 03 x3b x2f x1f 02 x2b 21 13 x3f 32 31 y2f y3f 34 10 y1f 46 y3b y2b 16 45 25 56 67 75 74 54
    43 65 52 20 07 61 76
"""


class Order:
    """Routes of a grid whose local hops follow an order of the channels, with as few hops as possible."""

    def __init__(self, text):
        words = text.split()
        self._shortcuts = {word: place for place, word in enumerate(words) if not word[0].isdigit()}
        self.local = [(place, int(word[0]), int(word[1]), word[2:]) for place, word in enumerate(words) if word[0].isdigit()]

    def _hops(self, phase, own, target, after, before):
        """Local channels from ``own`` to ``target`` that rise, between the shortcuts ``after`` and ``before``."""
        first, last = self._shortcuts.get(after, -1), self._shortcuts.get(before, 1000)
        assert first < last
        best = {own: ()}
        for place, a, b, serves in self.local:
            allowed = first < place < last and serves in ("", phase) and a in best
            if allowed and len(best[a]) + 1 < len(best.get(b, range(99))):
                best[b] = (*best[a], (phase if serves else "", a, b))
        return best[target]

    def route(self, sizes, own, distances, target):
        """Channels from id ``own`` of supernode 0 to id ``target`` at ``distances``."""
        moves = [
            (kind, level, direction)
            for kind, n, distance in zip("xy", sizes, distances)
            for level, direction in ring_moves(n, 0, distance)
        ]
        found, before = [], None
        for kind, level, direction in moves:
            leaves, arrives = ends(level, direction)
            word = f"{kind}{level}{direction[0]}"
            found += [*self._hops(kind.upper(), own, leaves, before, word), (kind, level, direction)]
            own, before = arrives, word
        return [*found, *self._hops("E", own, target, before, None)]

    def routes(self, sizes):
        """All routes from supernode 0 of a grid."""
        for own, target, *distances in product(range(8), range(8), *map(range, sizes)):
            yield self.route(sizes, own, distances, target)


def dependencies(routes):
    graph = {}
    for route in routes:
        for channel in route:
            graph.setdefault(channel, set())
        for first, second in pairwise(route):
            graph[first].add(second)
    return graph


def longest_local(routes):
    """The most local hops in a row."""
    most = 0
    for route in routes:
        run = 0
        for channel in route:
            run = 0 if channel[0] in ("x", "y") else run + 1
            most = max(most, run)
    return most


@pytest.mark.parametrize("name", SEPARATE)
def test_separate_channels_are_free_of_deadlock(name):
    """Each channel serves one phase, every pair has a route, and the channels have no cycle of dependencies."""
    sizes, order = tuple(map(int, name.split("x"))), Order(SEPARATE[name])
    assert sorted((a, b) for _, a, b, _ in order.local) == sorted(LOCAL)
    assert {serves for *_, serves in order.local} == {"X", "Y", "E"}
    routes = list(order.routes(sizes))
    assert cycle(dependencies(routes)) is None
    assert longest_local(routes) == 5
    if name == "7x7":
        assert round(mean(map(len, filter(None, routes))), 1) == 8.5


@pytest.mark.parametrize("sizes", list(product(range(2, 8), repeat=2)), ids=str)
def test_an_order_serves_smaller_grids(sizes):
    """Every grid up to 7 x 7 has one of the orders above."""
    order = Order(SEPARATE["x".join("4" if n in (2, 4) else "7" for n in sizes)])
    assert cycle(dependencies(order.routes(sizes))) is None


def test_channels_of_a_whole_network_are_free_of_deadlock():
    """4 x 4 without the symmetry of supernodes: all 16,384 routes, with every channel of every supernode for itself."""
    order, graph = Order(SEPARATE["4x4"]), {}
    network = grid(4, 4)
    for x, y in product(range(4), repeat=2):
        for route in order.routes((4, 4)):
            at, placed = [x, y], []
            for kind, *rest in route:
                placed.append((*at, kind, *rest))
                if kind in ("x", "y"):
                    level, direction = rest
                    step = 2 ** (level_count(4) - level) * (1 if direction == "forward" else -1)
                    at["xy".index(kind)] = (at["xy".index(kind)] + step) % 4
            for channel in placed:
                graph.setdefault(channel, set())
            for first, second in pairwise(placed):
                graph[first].add(second)
    assert len(graph) == 16 * 32 + network.nodes // 8 * 3 * 2
    assert cycle(graph) is None


def test_shared_channels_are_free_of_deadlock_at_8x8():
    """Without separation one virtual channel is enough at 8 x 8, with local routes of up to 4 hops."""
    order = Order(SHARED)
    assert sorted((a, b) for _, a, b, _ in order.local) == sorted(LOCAL)
    routes = list(order.routes((8, 8)))
    assert cycle(dependencies(routes)) is None
    assert longest_local(routes) == 4
    assert round(mean(map(len, filter(None, routes))), 1) == 7.1
