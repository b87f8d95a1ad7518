"""Routing of any graph as a relation: shortest paths on as many layers as they need to be free of deadlock."""

from functools import cached_property
from typing import Any

import numpy as np

from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.tables.compile import compile_tables


class GraphRelation(Relation):
    """The routes of :func:`~dsnswitch.net.tables.compile.compile_tables` over shortest paths, decided from addresses alone.

    The source switch chooses the class by the destination, as the tables choose a layer. The packet stays in it.
    """

    keeps_class = True

    def __init__(self, network):
        super().__init__(network)
        self._tables = made = compile_tables(network, "shortest", None)
        wiring, actions = made.wiring, np.zeros((network.nodes, network.nodes), np.int64)
        actions[:, wiring.number[wiring.ends.home]] = made.actions()[wiring.place]
        #: ``[switch, destination]``: port of the next hop, and class of a packet whose source is the switch.
        self.ports, self.layers = actions & (1 << made.port_bits) - 1, actions >> made.port_bits

    @property
    def classes(self) -> dict[str, int]:
        return {port.kind: self._tables.layers for port in self.network.ports}

    @cached_property
    def bound(self) -> int:
        return int(np.flatnonzero(self._tables.walked.hops).max(initial=0))

    def hops(self, switch, arrival, destination) -> Any:
        if switch == destination:
            return ()
        pair = self.network.number(switch), self.network.number(destination)
        return ((int(self.ports[pair]), int(self.layers[pair]) if arrival is None else arrival.virtual_class),)
