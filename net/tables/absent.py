"""Switches that have left a network while others go on: all of their links are dead, and routes lead past them."""

from collections.abc import Iterable

import numpy as np

from dsnswitch.net.routing.wiring import neighbours
from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.tables.walk import parse_link
from dsnswitch.net.topology.network import Network


def links_at(network: Network, word: str) -> list[tuple]:
    """The links of a word: that of :func:`~dsnswitch.net.tables.walk.parse_link`, or all those of the switch with this address.

    They are ``(switch, switch)`` or ``(switch, port index)``. Raises :class:`ValueError` as :func:`parse_link`.
    """
    try:
        switch = network.parse_switch(word) if ":" not in word else None
    except ValueError:
        switch = None
    if switch is None:
        return [parse_link(network, word)]
    return [(switch, port.index) for port, _ in network.links_of(switch)]


def reaching(network: Network, broken: Iterable[tuple], before: Tables | None = None) -> tuple:
    """Links that tables avoid so that the switches with live links have routes to each other, and past the others.

    Returns ``broken`` without a link of each switch that has no other. So such a switch is a leaf of the graph: only routes to it
    and from it take its link, and as that is dead, packets to it are dropped there. Where there is a choice, the link leads up
    from the switch by the ranks of ``before``, so that routes need no class more.

    Parameters
    ----------
    network : Network
    broken : iterable of (switch, port index) or (switch, switch)
        Dead links, as for :class:`~dsnswitch.net.routing.wiring.Wiring`.
    before : Tables or None
        Tables whose ranks the routes have.
    """
    there, entry = neighbours(network)
    dead = np.zeros(there.shape, bool)
    for switch, end in broken:
        at = network.number(switch)
        ports = np.arange(there.shape[1]) == end if isinstance(end, int) else there[at] == network.number(end)
        for port in np.flatnonzero(ports & (there[at] >= 0)):
            dead[at, port] = dead[there[at, port], entry[at, port]] = True
    present = ((there >= 0) & ~dead).any(axis=1)
    rising, kept = _rising(there, before), np.zeros(dead.shape, bool)
    while not present.all():
        # One more layer of switches around those that have routes.
        near = (there >= 0) & present[there]
        near[present] = False
        some = np.flatnonzero(near.any(axis=1))
        if not len(some):
            break
        port = np.where(near, 1 + rising, 0)[some].argmax(axis=1)
        kept[some, port] = kept[there[some, port], entry[some, port]] = True
        present[some] = True
    switches = list(network.switches())
    ends = np.argwhere(dead & ~kept).tolist()
    return tuple((switches[at], port) for at, port in ends if (at, port) <= (there[at, port], entry[at, port]))


def _rising(there, before):
    """Which ports (S, P) lead up by the ranks of tables; none without."""
    found = np.zeros(there.shape, np.int8)
    if before is not None and before.ranks is not None:
        wiring, up = before.wiring, before.ranks.up[:-1]
        found[wiring.number[wiring.source[:-1]], wiring.port[:-1]] = up
    return found
