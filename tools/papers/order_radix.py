"""O 6.3: a 5-D torus, a dragonfly and a fat tree for 1,024 hosts against random host-switch graphs of the same radix.

O compares with graphs that simulated annealing found, and does not print them. A random graph with as many hosts, ports and
switches stands for them here. Hosts are evenly spread over its switches, and all ports have a link.
"""

import numpy as np

from dsnswitch.net.routing.wiring import hops
from dsnswitch.net.topology.registry import parse_network

#: Hosts of all networks.
HOSTS = 1024

#: ``{name: (network, hosts of a switch, ports of a switch, switches of O's graph)}``, in the order of O Figs 9 to 11.
COMPARED = {
    "5-D torus": ("torus:3x3x3x3x3", 5, 15, 194),
    "dragonfly": ("dragonfly:a=8,h=4", 4, 15, 194),
    "fat tree": ("fattree:k=16", 8, 16, 183),
}

#: Parts of METIS, and its seeds, of which the smallest cut counts; seeds of the random graphs, over which figures are means.
PARTS, CUTS, SEEDS = range(2, 17), range(4), range(5)


def known(text, most):
    """Number of switches, links, and the switch of every host: the first switches have ``most`` hosts until all have a place."""
    network = parse_network(text)
    links = [(network.number(link.source), network.number(link.target)) for link in network.links()]
    return network.nodes, np.array(links), np.repeat(list(map(network.number, network.terminals())), most)[:HOSTS]


def random_graph(switches, radix, seed):
    """The same of a random graph whose switches have ``radix`` ports, of which at most one is not used."""
    import networkx as nx

    homes = np.sort(np.arange(HOSTS) % switches)
    degrees = radix - np.bincount(homes)
    degrees[-1] -= degrees.sum() % 2
    graph = nx.havel_hakimi_graph(degrees.tolist())
    nx.double_edge_swap(graph, 10 * len(graph.edges), 10**6, seed)
    return switches, np.array(graph.edges), homes


def figures(switches, links, homes):
    """``switches``, mean path of two hosts ``haspl`` (O 3.2), and ``cuts`` of switches and hosts into :data:`PARTS`."""
    import pymetis

    source, target = np.vstack([links, links[:, ::-1]]).T
    distance, hosts, count = hops(switches, source, target), np.bincount(homes, minlength=switches), len(homes)
    total = hosts @ (distance + 2) @ hosts - 2 * count
    ends = np.vstack([links, np.column_stack([homes, switches + np.arange(count)])])
    near = [[] for _ in range(switches + count)]
    for a, b in ends.tolist():
        near[a].append(b)
        near[b].append(a)
    options = [pymetis.Options(seed=seed) for seed in CUTS]
    cuts = [min(pymetis.part_graph(parts, near, options=one)[0] for one in options) for parts in PARTS]
    return {"switches": switches, "haspl": float(total / (count * (count - 1))), "cuts": cuts}


def order_radix():
    """``{name: {"known": figures, "random": figures}}`` of :data:`COMPARED`; means over :data:`SEEDS` for random graphs."""
    found = {}
    for name, (text, most, radix, switches) in COMPARED.items():
        rows = [figures(*random_graph(switches, radix, seed)) for seed in SEEDS]
        means = {key: np.mean([row[key] for row in rows], axis=0).tolist() for key in rows[0]}
        found[name] = {"known": figures(*known(text, most)), "random": means}
    return found
