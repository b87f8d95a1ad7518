"""The path of each topology's routing, for benches of switches, which are the same for every topology."""

from functools import lru_cache
from itertools import pairwise
from types import SimpleNamespace

import networkx as nx

from dsnswitch.sim.golden.routing import dsn, dsn_f, graphs, lattices


@lru_cache
def _graph(network):
    return nx.Graph((link.source, link.target) for link in network.links())


#: Paths of topologies that are made link by link.
LINKED = {
    "hyperx": lambda network, *ends: graphs.hyperx(*ends),
    "flattened-butterfly": lambda network, *ends: graphs.hyperx(*ends),
    "dragonfly": lambda network, *ends: graphs.dragonfly(_graph(network), *ends),
    "fattree": lambda network, *ends: graphs.fat_tree(network.k, network.levels, network.ups, *ends),
    "mlfm": lambda network, *ends: graphs.mlfm(network.h, network.layers, *ends),
}


def path(network, source, target):
    """The path from ``source`` to ``target`` as a list of :class:`Hop`, by the topology's name."""
    name = network.spelling.partition(":")[0]
    if name == "dsn-f":
        return dsn_f.path(network, source, target)
    if name in ("grid", "ring"):
        return dsn.route(network, source, target)
    if name == "dsn-3d":
        shape = network.supernode
        return dsn.route(SimpleNamespace(sizes=network.sizes, supernode=shape, m=shape.m, directions="both"), source, target)
    if name in LINKED:
        nodes = LINKED[name](network, source, target)
        return [dsn.Hop(*pair) for pair in pairwise(nodes)]
    hops = lattices.route([field.size for field in network.fields], source, target, name == "torus")
    return [dsn.Hop(*hop[:2]) for hop in hops]


def first_port(network, source, target):
    """Index of the port by which a packet to another switch leaves ``source``."""
    return port_of(network, source, path(network, source, target)[0])


def port_of(network, source, hop):
    """Index of the port by which a :class:`Hop` leaves ``source``."""
    named = hop.kind is not None and hop.kind != "local"
    ports = [port for port in network.ports if not named or (port.kind, port.direction) == (hop.kind, hop.direction)]
    ends = ((port.index, network.neighbour(source, port.index)) for port in ports)
    return next(index for index, end in ends if end and end[0] == hop.target)
