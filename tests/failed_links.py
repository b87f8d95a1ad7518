"""Failed links, and the whole route of a packet through a network with them, decision by decision."""

from dsnswitch.net.routing.detour.decisions import NO_DETOUR
from dsnswitch.net.routing.detour.relation import ARRIVED, UNDELIVERABLE
from dsnswitch.net.routing.relation import Arrival, Hop


def failed_ports(network, links):
    """``{(switch, port)}`` of both ends of the failed ``links`` (:class:`Link`)."""
    return {end for link in links for end in ((link.source, link.port), (link.target, link.target_port))}


def walk(relation, source, destination, failed):
    """The hops of a packet, and whether it was delivered.

    ``failed`` has switch and port of both ends of every failed link. The last hop's target is the destination, or the switch at
    which the packet is undeliverable.
    """
    hops, switch, arrival, detour = [], source, None, NO_DETOUR

    def is_up(port):
        return (switch, port) not in failed

    while True:
        found = relation.decide(switch, arrival, detour, destination, is_up)
        if found in (ARRIVED, UNDELIVERABLE):
            return hops, found == ARRIVED
        there, entry = relation.network.neighbour(switch, found.port)
        hops.append(Hop(switch, found.port, found.virtual_class, there))
        switch, arrival, detour = there, Arrival(entry, found.virtual_class), found.detour
