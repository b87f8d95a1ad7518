"""Models of the routings of HyperX, dragonfly, fat tree and MLFM: whole paths, from the definitions of the papers.

A path is the list of the addresses of its switches.
"""


def hyperx(source, target):
    """One coordinate after the other becomes that of the target."""
    path = [source]
    for axis in range(len(source)):
        there = (*target[: axis + 1], *source[axis + 1 :])
        if there != path[-1]:
            path.append(there)
    return path


def dragonfly(graph, source, target):
    """A local hop to the only link between the groups, this link, and a local hop; ``graph`` is the networkx graph."""
    if source[0] == target[0]:
        return [source, target][: 1 + (source != target)]
    ((leave, enter),) = (
        pair
        for link in graph.edges
        for pair in (link, link[::-1])
        if (pair[0][0], pair[1][0]) == (source[0], target[0])
    )
    path = [source, leave, enter, target]
    return [at for place, at in enumerate(path) if place == 0 or at != path[place - 1]]


def fat_tree(k, levels, source, target):
    """Up over the switches whose place is that of the target, then down."""
    half = k // 2
    (own,), (to,) = source, target
    if own == to:
        return [source]
    if levels == 2:
        return [source, (k + to % half,), target]
    leaves = k * half
    above = [[leaves + pod * half + j for j in range(half)] for pod in range(k)]
    cores = [[2 * leaves + j * half + i for i in range(half)] for j in range(half)]
    pod, place = to // half, to % half
    if own // half == pod:
        return [source, (above[pod][place],), target]
    return [source, (above[own // half][place],), (cores[place][pod % half],), (above[pod][place],), target]


def mlfm(h, layers, source, target):
    """The global switch of both columns; for one column, that of the column which lies 1 + (sum of layers) mod h after it."""
    if source == target:
        return [source]
    locals_ = layers * (h + 1)
    pairs = [(i, j) for i in range(h + 1) for j in range(i + 1, h + 1)]
    (layer, column), (to_layer, to) = divmod(source[0], h + 1), divmod(target[0], h + 1)
    if column == to:
        to = (column + 1 + (layer + to_layer) % h) % (h + 1)
    return [source, (locals_ + pairs.index((min(column, to), max(column, to))),), target]
