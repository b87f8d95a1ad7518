"""Walks of many packets at once, as arrays, along the routes of a relation: a packet ends at a failed link."""

from collections import namedtuple

import numpy as np

from dsnswitch.net.routing.wiring import neighbours

#: Results of walks, one row per packet. ``end`` is the last switch. A packet is delivered if ``end`` is its destination.
Walked = namedtuple("Walked", "end hops")


class FixedWalks:
    """The routes of a relation whose port depends on switch and destination only.

    Attributes
    ----------
    there, entry : arrays (S, P)
        Those of :func:`neighbours`.
    """

    def __init__(self, relation):
        network = relation.network
        self.there, self.entry = neighbours(network)
        # The next port by destination and switch; -1 at the destination, and if no packet has this destination.
        self._port = np.full((network.nodes, network.nodes), -1, np.int16)
        for destination in network.terminals():
            row = self._port[network.number(destination)]
            for number, switch in enumerate(network.switches()):
                if choices := relation.hops(switch, None, destination):
                    row[number] = choices[0][0]

    def run(self, source, target, up):
        """Walk every packet until it is delivered or meets a failed link: a :class:`Walked`.

        ``source`` and ``target`` are arrays of switch numbers. The array of bool ``up[switch, port]`` says which links are up;
        False where there is no link.
        """
        end, hops = source.copy(), np.zeros(len(source), np.int32)
        going = np.flatnonzero(source != target)
        while len(going):
            port = self._port[target[going], end[going]]
            goes_on = up[end[going], port]
            going, port = going[goes_on], port[goes_on]
            end[going] = self.there[end[going], port]
            hops[going] += 1
            going = going[end[going] != target[going]]
        return Walked(end, hops)
