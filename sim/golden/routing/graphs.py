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
    """A local hop to a link between the groups, this link, and a local hop; ``graph`` is the networkx graph.

    Of several links: one that begins at the source, or one that ends at the target, or that whose place in the order of the
    switches where they begin is the sum of both switches' places in their groups, modulo the number of these links.
    """
    if source[0] == target[0]:
        return [source, target][: 1 + (source != target)]
    links = sorted(
        pair for link in graph.edges for pair in (link, link[::-1]) if (pair[0][0], pair[1][0]) == (source[0], target[0])
    )
    path = min(
        ([source, *pair, target] for pair in links),
        key=lambda way: (way[1] != source, way[2] != target, way[1:3] != [*links[(source[1] + target[1]) % len(links)]]),
    )
    return [at for place, at in enumerate(path) if place == 0 or at != path[place - 1]]


def fat_tree(k, levels, up, source, target):
    """Up over the switches that follow from the place of the target, then down. An edge switch has ``up`` links up."""
    half = k // 2
    (own,), (to,) = source, target
    if own == to:
        return [source]
    if levels == 2:
        return [source, (k + to % up,), target]
    leaves = k * half
    above = [[leaves + pod * up + j for j in range(up)] for pod in range(k)]
    cores = [[leaves + k * up + j * half + i for i in range(half)] for j in range(up)]
    pod, place = to // half, to % up
    if own // half == pod:
        return [source, (above[pod][place],), target]
    core = (pod + to % half // up) % half
    return [source, (above[own // half][place],), (cores[place][core],), (above[pod][place],), target]


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
