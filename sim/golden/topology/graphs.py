"""Models of the papers' other topologies as networkx graphs: each from the words of its paper, with labels as the paper has them.

A function takes the parameters of its topology. A vertex is the address of the switch in the product, or a label that
:func:`numbered` maps to a number in the order of the product.
"""

from itertools import combinations, pairwise, product
from types import SimpleNamespace

import networkx as nx

from dsnswitch.sim.golden.topology import dsn


def numbered(graph, order):
    """The graph with the label at place i of ``order`` replaced by ``(i,)``."""
    return nx.relabel_nodes(graph, {label: (index,) for index, label in enumerate(order)})


def hyperx(sizes):
    """The Cartesian product of complete graphs (T 2.1.1)."""
    found = nx.relabel_nodes(nx.complete_graph(sizes[0]), lambda at: (at,))
    for size in sizes[1:]:
        found = nx.relabel_nodes(nx.cartesian_product(found, nx.complete_graph(size)), lambda at: (*at[0], at[1]))
    return found


def slim_fly(q):
    """The graph of T 2.1.2 for a prime q, in integers modulo q."""
    root = next(g for g in range(2, q) if len({pow(g, k, q) for k in range(q - 1)}) == q - 1)
    if q % 4 == 1:
        exponents = range(0, q - 2, 2), range(1, q - 1, 2)
    else:
        w = (q + 1) // 4
        first = [*range(0, 2 * w - 1, 2), *range(2 * w - 1, 4 * w - 2, 2)]
        exponents = first, [*range(1, 2 * w, 2), *range(2 * w, 4 * w - 1, 2)]
    sets = [{pow(root, k, q) for k in some} for some in exponents]
    found = nx.Graph()
    for x, y, other in product(range(q), repeat=3):
        for subgraph in (0, 1):
            if (y - other) % q in sets[subgraph]:
                found.add_edge((subgraph, x, y), (subgraph, x, other))
    for x, y, m in product(range(q), repeat=3):
        found.add_edge((0, x, y), (1, m, (y - m * x) % q))
    return found


def mlfm(h, layers):
    """Layers of full meshes, in which two links to one global switch for all layers replace each link (T 2.2.3)."""
    found = nx.Graph()
    for layer, pair in product(range(layers), combinations(range(h + 1), 2)):
        for end in pair:
            found.add_edge(("local", layer, end), ("global", *pair))
    order = [("local", layer, i) for layer in range(layers) for i in range(h + 1)]
    return numbered(found, order + [("global", *pair) for pair in combinations(range(h + 1), 2)])


def fat_tree(k):
    """Three layers (O 6.1.3; Al-Fares et al., 2008)."""
    found, half = nx.Graph(), range(k // 2)
    for pod, i, j in product(range(k), half, half):
        found.add_edge(("edge", pod, i), ("aggregation", pod, j))
        found.add_edge(("aggregation", pod, i), ("core", i, j))
    order = [(layer, pod, i) for layer in ("edge", "aggregation") for pod in range(k) for i in half]
    return numbered(found, order + [("core", i, j) for i in half for j in half])


def butterfly(k, n):
    """Stages of switches, whose output links are wired to input links by an exchange of two digits of the number (D 2.1.2)."""
    found = nx.Graph()
    for i, digits in product(range(1, n), product(range(k), repeat=n)):
        # Digit d_j stands at place n - 1 - j of the tuple.
        there = list(digits)
        there[i - 1], there[n - 1] = there[n - 1], there[i - 1]
        found.add_edge((i - 1, digits[:-1]), (i, tuple(there[:-1])))
    stages = [0, n - 1, *range(1, n - 1)]
    return numbered(found, [(stage, digits) for stage in stages for digits in product(range(k), repeat=n - 1)])


def tree(k, n):
    """The k-ary n-tree: switches of consecutive levels have a link if they differ in no digit but that of the level."""
    found = nx.Graph()
    words = list(product(range(k), repeat=n - 1))
    for level, one, other in product(range(n - 1), words, words):
        if all(a == b for place, (a, b) in enumerate(zip(one, other)) if n - 2 - place != level):
            found.add_edge((level, one), (level + 1, other))
    return numbered(found, [(level, word) for level in range(n) for word in words])


def shuffle(words):
    """Links from each word to the words that begin with all of its letters but the first (D 2.1.2)."""
    found = nx.Graph()
    for one, other in product(words, words):
        if one != other and one[1:] == other[:-1]:
            found.add_edge(one, other)
    return numbered(found, words)


def de_bruijn(d, n):
    return shuffle(list(product(range(d), repeat=n)))


def kautz(n, m):
    return shuffle([word for word in product(range(m), repeat=n) if all(a != b for a, b in pairwise(word))])


def star(n):
    """Permutations of 1 to n, with links that exchange the first symbol with another (D 2.1.2)."""
    found, labels = nx.Graph(), []

    def spell(left, word):
        if not left:
            labels.append(word)
        for symbol in left:
            spell(left.replace(symbol, ""), word + symbol)

    spell("123456789"[:n], "")
    for label in labels:
        for symbol in label[1:]:
            found.add_edge(label, label.translate(str.maketrans({label[0]: symbol, symbol: label[0]})))
    return numbered(found, labels)


def folded_hypercube(n):
    """A hypercube with a link between each vertex and the farthest one (R III-B)."""
    found = nx.hypercube_graph(n)
    for at in list(found):
        found.add_edge(at, tuple(1 - bit for bit in at))
    return nx.relabel_nodes(found, lambda at: (int("".join(map(str, at)), 2),))


def dsn_x(n, x):
    """DSN-x of F II-A: ring formation, labelling, shortcut addition."""
    found = nx.cycle_graph(n)
    p = 1
    while 2**p < n:
        p += 1
    level = {k * p + i - 1: i for i in range(1, p + 1) for k in range(n // p + 1) if k * p + i - 1 < n}
    for i in range(n):
        if level[i] <= x:
            ends = [j for j in range(n) if level[j] == level[i] + 1 and (j - i) % n >= n // 2 ** level[i]]
            if ends:
                found.add_edge(i, min(ends, key=lambda j: (j - i) % n))
    return nx.relabel_nodes(found, lambda at: (at,))


def dsn_3d(sizes, supernode):
    """The links of :mod:`dsn`, whose rings are along three dimensions."""
    return dsn.graph(SimpleNamespace(sizes=sizes, supernode=supernode, m=supernode.m))


def dln(n, x):
    """DLN-2^x of D 2.1.2: a ring, and shortcuts from i to i + floor(n / 2^k) for k = 1 .. x - 2."""
    found = nx.cycle_graph(n)
    found.add_edges_from((i, (i + n // 2**k) % n) for i in range(n) for k in range(1, x - 1))
    return nx.relabel_nodes(found, lambda at: (at,))
