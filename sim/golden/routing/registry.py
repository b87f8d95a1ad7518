"""The path of each topology's routing, for benches of switches, which are the same for every topology."""

from itertools import pairwise

from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.torus import Torus
from dsnswitch.sim.golden.routing import dsn, torus
from dsnswitch.sim.golden.routing.dsn_f import route_nodes_f

__all__ = ["first_port", "path"]


def _dsn_f(network, source, target):
    numbers = route_nodes_f(network.n, network.number(source), network.number(target))
    return [dsn.Hop(*map(network.switch, ends), None, None, None) for ends in pairwise(numbers)]


def _torus(network, source, target):
    return [dsn.Hop(*hop[:2], None, None, None) for hop in torus.route(network.sizes, source, target)]


_PATHS = {Dsn: dsn.route, DsnF: _dsn_f, Torus: _torus}


def path(network, source, target):
    """The path from ``source`` to ``target`` as a list of :class:`Hop`.

    A DSN states the kind of each hop, and level and direction of a shortcut. In other networks these are None, as at most one
    link joins two switches.
    """
    return _PATHS[type(network)](network, source, target)


def first_port(network, source, target):
    """Index of the port by which a packet to another switch leaves ``source``."""
    hop = path(network, source, target)[0]
    named = hop.kind is not None and hop.kind != "local"
    ports = [port for port in network.ports if not named or (port.kind, port.direction) == (hop.kind, hop.direction)]
    ends = ((port.index, network.neighbour(source, port.index)) for port in ports)
    return next(index for index, end in ends if end and end[0] == hop.target)
