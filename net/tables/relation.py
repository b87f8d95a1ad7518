"""Routing of any graph as a relation: shortest paths in turn classes."""

from functools import cached_property
from typing import Any

import numpy as np

from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.tables.compile import compile_tables


class GraphRelation(Relation):
    """The routes of :func:`~dsnswitch.net.tables.compile.compile_tables` by turn classes, decided from addresses alone.

    A packet begins in class 0. It rises to the next class when it comes from a switch of higher rank and goes on to one.
    """

    by_turns = True

    def __init__(self, network):
        super().__init__(network)
        self._tables = made = compile_tables(network, "turns", None)
        wiring, ports = made.wiring, np.zeros((network.nodes, network.nodes), np.int64)
        ports[:, wiring.number[wiring.ends.home]] = made.actions()[wiring.place]
        #: ``[switch, destination]``: port of the next hop.
        self.ports = ports
        self._up = [sum(1 << port for port in made.ports_up(place)) for place in wiring.place.tolist()]

    @property
    def classes(self) -> dict[str, int]:
        return {port.kind: self._tables.layers for port in self.network.ports}

    @cached_property
    def bound(self) -> int:
        return int(np.flatnonzero(self._tables.walked.hops).max(initial=0))

    def ports_up(self, switch) -> int:
        """The mask of the ports of a switch that lead to switches of higher rank."""
        return self._up[self.network.number(switch)]

    def hops(self, switch, arrival, destination) -> Any:
        if switch == destination:
            return ()
        port = int(self.ports[self.network.number(switch), self.network.number(destination)])
        if arrival is None:
            return ((port, 0),)
        up = self.ports_up(switch)
        return ((port, arrival.virtual_class + (up >> arrival.port & up >> port & 1)),)
