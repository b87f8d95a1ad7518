"""Exports of whole topologies as files for other programs: every node, and every link with its kind and level.

Nodes are identified by their flat number (:meth:`Network.number`). If a format has labels, the label is the address, such as
``x,y,id`` of a grid DSN. Links have the order of :meth:`Network.links`, and parallel links are included. A shortcut of a DSN is
listed from the node that it leaves to the node that it enters.

Hosts of a graph have the numbers 0 to H - 1, in the order of their keys in tables. JSON and anynet number hosts and switches
separately. In an edge list, whose first vertices are the hosts, and in GraphML and Graphviz, the switches follow from H.
"""

from collections import namedtuple

from dsnswitch.net import limits
from dsnswitch.net.files.formats.registry import FORMATS as READ
from dsnswitch.net.messages import UsageError, nearest, shortened, unwatched
from dsnswitch.net.topology.addresses import by_name
from dsnswitch.net.topology.network import named

#: Formats of :func:`export`.
FORMATS = ("edges", *(name for name, form in READ.items() if form.write and name != "edges"), "svg")

#: A link as writers see it: numbers of its switches, kind, level and length of the link (None without a level), indices of its
#: ports, and its latency in cycles, None if the network does not state it.
Row = namedtuple("Row", "source target kind level length port target_port cycles")


def export(network, format: str, bar=unwatched) -> str:
    """A :class:`Network` as text, which ends with a newline and is the same on every run.

    ``format`` is one of :data:`FORMATS`; ``svg`` is a picture, for topologies that have one.
    Raises :class:`UsageError` if the format is unknown, the network is too large, or there is no picture of it.
    """
    if format not in FORMATS:
        more = nearest(format, FORMATS, "dsnswitch topology --help lists all")
        raise UsageError(f"There is no format {shortened(format, 40)!r} of topologies{more}")
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a topology to write, {network.name},")
    nodes = bar(network.switches(), "nodes", network.nodes)
    links = bar(network.links(), "links", network.link_count)
    if format == "svg":
        return named(network.picture)(network)
    return READ[format].write(network, nodes, _hosts(network), _rows(network, links))


def _hosts(network):
    """``[(name, number of its switch)]`` of every host, in the order of the keys in tables."""
    found = network.hosts
    return [(host, network.number(found[host][0])) for host in sorted(found, key=by_name)]


def _rows(network, links):
    """Every link as a :class:`Row`."""
    for link in links:
        start = link.source, link.port
        yield Row(
            network.number(link.source),
            network.number(link.target),
            network.ports[link.port].kind,
            network.level(*start),
            network.span(*start),
            link.port,
            link.target_port,
            network.cycles(*start),
        )
