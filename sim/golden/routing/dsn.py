"""Model of the DSN's custom routing as the paper defines it: whole paths, forward by distance halving, backward by reversal.

D Fig. 4.2. It is independent of the hop-by-hop form of the hardware, which knows only the current node and the destination.
"""

from collections import namedtuple
from functools import cache
from itertools import product

import networkx as nx

from dsnswitch.sim.golden.topology.dsn import ends, level_count, local_graph

# Model of L-routing (D 4.2.2): whole local paths inside a supernode.


# D Table 4.2 as printed, levels 1..8; "4,5" is the path after the first node. The printed header swaps From and To: the row
# is the packet's node, the column its target (docs/papers.md).
TABLE_4_2 = """
-    2    3    4    4,5  3,6  2,7  8
1    -    3    4    4,5  3,6  7    1,8
1    2    -    4    4,5  6    2,7  1,8
1    2    3    -    5    3,6  2,7  1,8
8,1  7,2  6,3  4    -    6    7    8
8,1  7,2  3    5,4  5    -    7    8
8,1  2    6,3  5,4  5    6    -    8
1    7,2  6,3  5,4  5    6    7    -
"""

# D Table 4.3 as printed: the alternative routes. Its lower half equals that of Table 4.2.
TABLE_4_3 = """
-    2    3    4    8,5  8,6  8,7  8
1    -    3    4    7,5  7,6  7    7,8
1    2    -    4    6,5  6    6,7  6,8
1    2    3    -    5    5,6  5,7  5,8
8,1  7,2  6,3  4    -    6    7    8
8,1  7,2  3    5,4  5    -    7    8
8,1  2    6,3  5,4  5    6    -    8
1    7,2  6,3  5,4  5    6    7    -
"""


def read_table(text):
    """The table as lists: ``table[source][target]`` has the ids after the source, counted from 0 (empty on the diagonal)."""
    return [
        [tuple(int(level) - 1 for level in cell.split(",")) if cell != "-" else () for cell in row.split()]
        for row in text.strip().splitlines()
    ]


_K4X2 = read_table(TABLE_4_2)


@cache
def local_path(supernode, source, target):
    """Ids on the papers' local path from ``source`` to ``target``, both included."""
    if source == target:
        return (source,)
    if supernode.name.startswith("k4x2"):
        return (source, *_K4X2[source][target])
    if supernode.name.startswith("ring-"):
        m = supernode.m
        up = [source]
        while up[-1] != target:
            up.append((up[-1] + 1) % m)
        down = [source]
        while down[-1] != target:
            down.append((down[-1] - 1) % m)
        return tuple(up if len(up) <= len(down) else down)
    if supernode.name.startswith("cube-"):
        # Dimension order (D 3.2.4): one bit after the other, from the lowest.
        path = [source]
        for bit in range(supernode.m.bit_length()):
            if (path[-1] >> bit) % 2 != (target >> bit) % 2:
                path.append(path[-1] ^ 2**bit)
        return tuple(path)
    if supernode.name.startswith("coc-"):
        # First to the target's column inside the node's own subgraph, then to the target's subgraph.
        corner = source // supernode.mn * supernode.mn + target % supernode.mn
        return tuple(dict.fromkeys((source, corner, target)))
    raise ValueError(f"The golden model has no supernode {supernode.name!r}")


#: One hop of a path. ``kind`` is ``local``, ``x`` or ``y``; ``level`` and ``direction`` are None for a local hop.
#: In networks of other topologies all three are None, as at most one link joins two switches.
Hop = namedtuple("Hop", "source target kind level direction", defaults=(None, None, None))


def forward_levels(n, distance):
    """Levels of the shortcuts that DSN-FORWARD-ROUTING takes over ``distance`` supernodes, in order.

    D Fig. 4.2 line 17, with the level read as the longest shortcut that does not overshoot: l_k <= d < 2 l_k
    (docs/papers.md says why not as printed).
    """
    p = level_count(n)
    levels = []
    while distance:
        k = next(k for k in range(1, p + 1) if 2 ** (p - k) <= distance)
        levels.append(k)
        distance -= 2 ** (p - k)
    return levels


def ring_moves(n, s, t, directions="both"):
    """Shortcuts from supernode ``s`` to ``t`` of a ring of ``n``: a list of ``(level, direction)`` in the order of travel."""
    return list(_ring_moves(n, (t - s) % n, directions))


@cache
def _ring_moves(n, distance, directions):
    if directions == "forward" or distance <= n / 2:
        return [(k, "forward") for k in forward_levels(n, distance)]
    return [(k, "backward") for k in reversed(forward_levels(n, n - distance))]


def route(dsn, source, target):
    """The path from ``source`` to ``target`` (tuples ``(x, id)`` or ``(x, y, id)``) as a list of :class:`Hop`.

    X first, then Y, then the local route to the destination id (D Fig. 4.2b). Before each shortcut there is the local route
    to the node at its near end. With two sets of shortcuts, that is the near end in the half (ids 0 to 3, 4 to 7) of the node.
    """
    hops = []
    here = tuple(source)

    def go(there, kind, level=None, direction=None):
        nonlocal here
        hops.append(Hop(here, there, kind, level, direction))
        here = there

    def go_local(node):
        for step in local_path(dsn.supernode, here[-1], node)[1:]:
            go((*here[:-1], step), "local")

    for axis, (kind, n) in enumerate(zip("xyz", dsn.sizes)):
        p = level_count(n)
        for level, direction in ring_moves(n, here[axis], target[axis], dsn.directions):
            sets, step = ends(dsn.m, level, dsn.supernode.name), 2 ** (p - level)
            if direction == "backward":
                sets, step = [pair[::-1] for pair in sets], -step
            near, far = next(pair for pair in sets if len(sets) == 1 or pair[0] // 4 == here[-1] // 4)
            go_local(near)
            there = list(here)
            there[axis] = (here[axis] + step) % n
            there[-1] = far
            go(tuple(there), kind, level, direction)
    go_local(target[-1])
    return hops


def route_nodes(dsn, source, target):
    """The nodes of :func:`route`, both ends included."""
    return [tuple(source), *(hop.target for hop in route(dsn, source, target))]


def path_bound(dsn):
    """The paper's bound on hops: ``3 Delta + ceil(log2 X) + 1 + ceil(log2 Y) + 1`` (D 4.2.1); one phase less on a ring."""
    phases = len(dsn.sizes)
    return (phases + 1) * dsn.supernode.diameter + sum(level_count(size) + 1 for size in dsn.sizes)


class SignedShortcuts:
    """Fewest hops of a packet of a DSN that is routed in both directions.

    Parameters
    ----------
    dsn : Dsn
        The network.
    digit : int
        Most shortcuts of one level and direction that a packet takes in each dimension.
    """

    def __init__(self, dsn, digit=1):
        self.dsn = dsn
        self._local = dict(nx.all_pairs_shortest_path_length(local_graph(dsn.supernode)))
        self._sums = [_sums(n, digit) for n in dsn.sizes]
        self._choices = cache(self._every_choice)
        self._in_sets = cache(self._every_set)
        self._orders = cache(self._best_order)

    def hops(self, source, target):
        """Hops from node ``source`` to node ``target``."""
        distances = tuple((t - s) % n for s, t, n in zip(source, target, self.dsn.sizes))
        best = None
        for signs in self._choices(distances):
            if best is not None and len(signs) >= best:  # the following choices have as many hops, or more
                break
            found = min(self._orders(source[-1], each, target[-1]) for each in self._in_sets(signs))
            best = found if best is None else min(best, found)
        return best

    def _every_choice(self, distances):
        """The signed levels of every choice of digits for both distances; choices with fewer hops come first."""
        choices = product(*(sums[distance] for sums, distance in zip(self._sums, distances)))
        return sorted({_signs(digits) for digits in choices}, key=len)

    def _every_set(self, signs):
        """The hops ``(id, id)`` of signed levels in every choice of their sets, sorted: the order of the hops is open."""
        dsn = self.dsn
        every = ([pair[::sign] for pair in ends(dsn.m, level, dsn.supernode.name)] for sign, level in signs)
        return {tuple(sorted(chosen)) for chosen in product(*every)}

    def _best_order(self, here, left, target):
        """Hops from id ``here`` over every hop in ``left`` to id ``target``, local routes between them."""
        if not left:
            return self._local[here][target]
        return min(
            self._local[here][start] + 1 + self._orders(end, left[:index] + left[index + 1 :], target)
            for index, (start, end) in enumerate(left)
            if index == 0 or left[index - 1] != left[index]
        )


def _signs(digits):
    """A choice of digits as sorted ``(sign, level)``, one for each hop: the dimension does not change the ids of a shortcut."""
    found = []
    for levels in digits:
        for level, digit in enumerate(levels, start=1):
            found += [(1 if digit > 0 else -1, level)] * abs(digit)
    return tuple(sorted(found))


def _sums(n, digit):
    """``sums[distance]``: every tuple of digits, one per level, whose shortcuts add up to ``distance`` modulo n.

    Tuples with fewer hops come first.
    """
    p = level_count(n)
    found = [[] for _ in range(n)]
    for digits in product(range(-digit, digit + 1), repeat=p):
        found[sum(value * 2 ** (p - k) for k, value in enumerate(digits, start=1)) % n].append(digits)
    return [sorted(sums, key=lambda digits: sum(map(abs, digits))) for sums in found]
