"""Model of DSN-F, the DSN that grows by single nodes (F III-B), as a graph. Nodes are the numbers 0 to n - 1."""

from collections import namedtuple

import networkx as nx

#: A node by level 1..p, layer 0..K-1 and supernode 0..2^p-1.
Label = namedtuple("Label", "level layer supernode")

#: A link between two nodes. ``kind`` is ``local``, ``layer``, ``succ`` or ``shortcut``.
Link = namedtuple("Link", "source target kind")


def level_count(n):
    """p with p 2^p <= n < (p + 1) 2^(p + 1)."""
    p = 1
    while (p + 1) * 2 ** (p + 1) <= n:
        p += 1
    return p


def label(n, node):
    """The :class:`Label` of a node."""
    p = level_count(n)
    return Label(node % p + 1, node // (p * 2**p), node // p % 2**p)


def number(n, level, layer, supernode):
    """Inverse of :func:`label`. The node exists if its number is below n."""
    p = level_count(n)
    return layer * p * 2**p + supernode * p + level - 1


def links(n):
    """All links, each once. The nodes of a partly filled layer form a ring. Two nodes have one link; a single node has none."""
    p = level_count(n)
    for node in range(n):
        level, layer, supernode = label(n, node)
        first = node - level + 1
        last = min(first + p, n) - 1
        if node < last:
            yield Link(node, node + 1, "local")
        elif last - first > 1:
            yield Link(node, first, "local")
        if layer:
            yield Link(node, number(n, level, layer - 1, supernode), "layer")
        elif level == p:
            yield Link(node, number(n, 1, 0, (supernode + 1) % 2**p), "succ")
        else:
            yield Link(node, number(n, level + 1, 0, (supernode + 2 ** (p - level)) % 2**p), "shortcut")


def graph(n):
    """The network as a graph whose edges have the links' ``kind``."""
    net = nx.MultiGraph()
    net.add_nodes_from(range(n))
    for link in links(n):
        net.add_edge(link.source, link.target, kind=link.kind)
    return net
