"""Routing of any graph as a relation: shortest paths on as many layers as they need to be free of deadlock."""

from functools import cached_property

import numpy as np

from dsnswitch.net.routing.minimal.rules import Search
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.switch_graph import switch_graph

#: Steps of the search for the rules of a switch.
STEPS = 40


class GraphRelation(Relation):
    """The routes of :func:`~dsnswitch.net.tables.compile.compile_tables` over shortest paths, decided from addresses alone.

    The source switch chooses the class by the destination, as the tables choose a layer. The packet stays in it.
    """

    def __init__(self, network):
        super().__init__(network)
        self._tables = made = compile_tables(switch_graph(network), "shortest", None)
        rows = [made.wiring.index[network.label(switch)] for switch in network.switches()]
        ends = [network.number(network.parse_switch(end)) for end in made.graph.keys]
        actions = np.full((network.nodes, network.nodes), -1, np.int64)
        actions[:, ends] = made.actions()[rows]
        #: ``[switch, destination]``: port of the next hop, and class of a packet whose source is the switch. Ports towards
        #: switches without hosts are -1.
        self.ports = np.where(actions < 0, -1, actions & (1 << made.port_bits) - 1)
        self.layers = np.maximum(actions, 0) >> made.port_bits

    @property
    def classes(self):
        return {port.kind: self._tables.layers for port in self.network.ports}

    @cached_property
    def bound(self):
        return int(np.flatnonzero(self._tables.walked.hops).max(initial=0))

    def hops(self, switch, arrival, destination):
        if switch == destination:
            return ()
        pair = self.network.number(switch), self.network.number(destination)
        return ((int(self.ports[pair]), int(self.layers[pair]) if arrival is None else arrival.virtual_class),)

    def rules(self, switch):
        """Short lists of rules of the switch with this number: for the port, and for the class. The input is the destination."""
        return tuple(self._rules(switch, values[switch]) for values in (self.ports, self.layers))

    def _rules(self, switch, values):
        tables, size = {}, 1 << self.network.fields[0].width
        free = np.ones(size, bool)
        free[: values.size] = self.ports[switch] < 0
        free[switch] = True
        for value in np.unique(values[~free[: values.size]]).tolist():
            tables[value] = np.zeros(size, bool)
            tables[value][: values.size] = (values == value) & ~free[: values.size]
        search = Search(tables, free, set())
        search.run(STEPS)
        return search.best.rules
