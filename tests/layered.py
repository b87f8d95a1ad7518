"""Tables of shortest paths in layers, such as other tools make them: a packet stays in the layer that its first switch names."""

from itertools import pairwise

import networkx as nx

from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import Tables, action_names
from dsnswitch.net.tables.entries import Entry, Table


def layered(network, layers):
    """The :class:`Tables` of a network; each pair takes the first layer in which its route closes no cycle."""
    wiring = Wiring(network)
    bits, names = wiring.most_ports.bit_length(), action_names(wiring, layers)
    waits, entries = [nx.DiGraph() for _ in range(layers)], [[] for _ in range(wiring.size)]

    def first(at, home):
        near = wiring.distance[:, home]
        return next(int(channel) for channel in wiring.out[at] if near[wiring.target[channel]] + 1 == near[at])

    for key, home in zip(wiring.ends.key.tolist(), wiring.ends.home.tolist()):
        for source in range(wiring.size):
            at, way = source, []
            while at != home:
                way.append(first(at, home))
                at = int(wiring.target[way[-1]])
            tried = ((layer, nx.compose(graph, nx.DiGraph(pairwise(way)))) for layer, graph in enumerate(waits))
            layer, waits[layer] = next((layer, graph) for layer, graph in tried if nx.is_directed_acyclic_graph(graph))
            port = int(wiring.port[way[0]]) if way else wiring.most_ports
            entries[wiring.number[source]].append(Entry(key, wiring.width, layer << bits | port))
    tables = [
        Table(f"{wiring.kind} {network.spell_switch(network.switch(number))}", wiring.width, names, tuple(some))
        for number, some in enumerate(entries)
    ]
    return Tables(wiring, "given", layers, tables)
