"""The certificate of deadlock freedom of a routing algorithm together with the tables that its packets may change to.

A packet that leaves the algorithm stays with the tables (header bit ``by_table``), and packets of the tables use separate virtual
channels: the layers of the tables are numbered after the classes of the algorithm. So no packet that holds a channel of the
tables waits for a channel of the algorithm. Both parts are free of deadlock by themselves, and all channels of the tables have
higher numbers than those of the algorithm. The numbers therefore rise along every route, wherever its packet changes to the
tables.
"""

from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.dependencies import numbering
from dsnswitch.net.routing.relation import Channel

__all__ = ["fallback_certificate", "fallback_classes"]


def fallback_classes(relation, tables):
    """Number of virtual channels of each kind of port: the classes of ``relation`` and the layers of ``tables``."""
    return {kind: number + tables.layers for kind, number in relation.classes.items()}


def fallback_certificate(relation, tables):
    """``(channel, target, number)`` of every channel of the algorithm, then of every channel of the tables.

    Parameters
    ----------
    relation : Relation
        The algorithm.
    tables : Tables
        Tables of the same network, with the port numbers of the network. Layer n is class ``relation.classes[kind] + n``.

    Raises
    ------
    DeadlockError
        If the channel dependencies of one of the two have a cycle.
    """
    first = 0
    for channel, target, number in certificate(relation):
        yield channel, target, number
        first = max(first, number + 1)
    wiring, walked, ports = tables.wiring, tables.walked, relation.network.ports
    # A layer has one number more than it has channels, because one number means "no channel".
    size = wiring.count + 1
    graph = {layer * size + channel: set() for layer in range(tables.layers) for channel in range(wiring.count)}
    for before, after in zip(walked.first.tolist(), walked.second.tolist()):
        graph[before].add(after)
    numbers = numbering(graph)
    for place in graph:
        layer, channel = divmod(place, size)
        switch, port = wiring.switches[wiring.source[channel]], int(wiring.port[channel])
        virtual_class = relation.classes[ports[port].kind] + layer
        yield Channel(switch, port, virtual_class), wiring.switches[wiring.target[channel]], first + numbers[place]
