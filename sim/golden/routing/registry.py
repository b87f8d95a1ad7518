"""The path of each topology's routing, for benches of switches, which are the same for every topology."""

from importlib import import_module

__all__ = ["first_port", "path"]

#: Modules whose name is not that of the topology.
_MODULES = {"grid": "dsn", "ring": "dsn", "dsn-f": "dsn_f"}


def path(network, source, target):
    """The path from ``source`` to ``target`` as a list of :class:`Hop`, by the module of the topology's name."""
    name = network.spelling.partition(":")[0]
    module = import_module(f"dsnswitch.sim.golden.routing.{_MODULES.get(name, name)}")
    return module.path(network, source, target)


def first_port(network, source, target):
    """Index of the port by which a packet to another switch leaves ``source``."""
    hop = path(network, source, target)[0]
    named = hop.kind is not None and hop.kind != "local"
    ports = [port for port in network.ports if not named or (port.kind, port.direction) == (hop.kind, hop.direction)]
    ends = ((port.index, network.neighbour(source, port.index)) for port in ports)
    return next(index for index, end in ends if end and end[0] == hop.target)
