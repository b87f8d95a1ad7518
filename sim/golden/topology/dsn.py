"""Model of the DSN as a graph (D 3.2). A node is a tuple ``(x, id)`` or ``(x, y, id)``.

Functions import networkx themselves: most benches need no graph, and run for less time than the import takes.
"""

from collections import namedtuple
from functools import cache
from itertools import product

#: One full-duplex link. ``kind`` is ``local``, ``x`` or ``y``; ``level`` is 1..p for a shortcut, which runs forward from
#: ``source`` to ``target``, and None for a local link.
Link = namedtuple("Link", "source target kind level")

#: End of the name of a supernode with two sets of shortcuts.
DOUBLE = ":double"


@cache
def level_count(n):
    """p = ceil(log2 n): the least p with 2^p >= n (D 3.2.2)."""
    p = 0
    while 2**p < n:
        p += 1
    return p


def local_graph(supernode):
    """The links of one supernode as a graph on ids 0..m-1, built from the papers' description."""
    import networkx as nx

    kind, _, size = supernode.name.removesuffix(DOUBLE).partition("-")
    if kind == "ring":
        return nx.path_graph(supernode.m) if supernode.m < 3 else nx.cycle_graph(supernode.m)
    if kind == "k4x2":
        # D Fig. 3.3: v1..v4 complete, v5..v8 complete, and 1-8, 2-7, 3-6, 4-5.
        half = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
        half.add_edges_from([(0, 7), (1, 6), (2, 5), (3, 4)])
        return half
    if kind == "cube":
        cube = nx.hypercube_graph(int(size))
        return nx.relabel_nodes(cube, lambda at: sum(bit << place for place, bit in enumerate(at)))
    if kind == "coc":
        # D 3.2.4: a complete graph of complete graphs is the Cartesian product of the two.
        ms, mn = map(int, size.split("x"))
        pairs = nx.cartesian_product(nx.complete_graph(ms), nx.complete_graph(mn))
        return nx.relabel_nodes(pairs, {(a, b): a * mn + b for a, b in pairs})
    raise ValueError(f"The golden model has no supernode {supernode.name!r}")


def ends(m, level, name=""):
    """``(leaving id, entering id)`` of the shortcuts of a level (D 3.2.2; ids count from 0).

    ``name`` is that of the supernode of ``m`` nodes. A double one has each shortcut again, four ids higher.
    """
    first = level - 1, level % m
    return [first, (level + 3, (level + 4) % m)] if name.endswith(DOUBLE) else [first]


def shortcuts(n, m, name=""):
    """The shortcuts of a ring DSN as ``(s, leaving id, t, entering id, level)``; ``name`` as for :func:`ends`."""
    p = level_count(n)
    for s in range(n):
        for k in range(1, p + 1):
            for leave, enter in ends(m, k, name):
                yield s, leave, (s + 2 ** (p - k)) % n, enter, k


def nodes(dsn):
    """Every node, in order: the id changes fastest, then x, then y."""
    reverse = [range(size) for size in reversed(dsn.sizes)]
    for *coordinates, node in product(*reverse, range(dsn.m)):
        yield (*reversed(coordinates), node)


def links(dsn):
    """Every link of the network as a :class:`Link`, each once."""
    inside = sorted(local_graph(dsn.supernode).edges)
    for supernode in product(*(range(size) for size in dsn.sizes)):
        for a, b in inside:
            yield Link((*supernode, a), (*supernode, b), "local", None)
    for axis, (kind, size) in enumerate(zip("xyz", dsn.sizes)):
        others = [range(other) if position != axis else (0,) for position, other in enumerate(dsn.sizes)]
        for s, leave, t, enter, level in shortcuts(size, dsn.m, dsn.supernode.name):
            for supernode in product(*others):
                source, target = list(supernode), list(supernode)
                source[axis], target[axis] = s, t
                yield Link((*source, leave), (*target, enter), kind, level)


def graph(dsn):
    """The network as a simple graph. Parallel links (two supernodes of one node) are one edge here, but not in :func:`links`."""
    return as_graph(nodes(dsn), links(dsn))


def as_graph(every_node, every_link):
    """A simple graph of the given nodes and links."""
    import networkx as nx

    net = nx.Graph()
    net.add_nodes_from(every_node)
    net.add_edges_from((link.source, link.target) for link in every_link)
    return net


def degrees(dsn):
    """Number of links at each node id, a list of m: all supernodes are equal."""
    count = [degree for _, degree in sorted(local_graph(dsn.supernode).degree)]
    for size in dsn.sizes:
        for s, leave, _, enter, _ in shortcuts(size, dsn.m, dsn.supernode.name):
            if s == 0:
                count[leave] += 1
                count[enter] += 1
    return count
