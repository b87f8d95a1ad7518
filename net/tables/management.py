"""Routes to the switches themselves, which the packets that manage an InfiniBand fabric need beside the routes to hosts.

Packets for a switch with hosts take the route to its first host, which has been checked. A switch without hosts gets a tree of
its own that closes no cycle of channels with the routes of the hosts.
"""

import networkx as nx
import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.balance import Trees
from dsnswitch.net.routing.layers import Ordered
from dsnswitch.net.routing.routes import updown
from dsnswitch.net.routing.turns import NextHops, limited
from dsnswitch.net.routing.wiring import Targets


def ports_to_switches(made) -> np.ndarray:
    """The port at each switch towards each switch, -1 if there is none: an array (S, S), in the order of the wiring.

    ``made`` are :class:`Tables` with one layer, which were checked. Raises :class:`UsageError` if every route to a switch without
    hosts closes a cycle.
    """
    wiring = made.wiring
    ports = np.full((wiring.size, wiring.size), -1)
    homes, first = np.unique(wiring.ends.home, return_index=True)
    ports[:, homes] = made.actions()[:, first]
    bare = np.setdiff1d(np.arange(wiring.size), homes)
    if len(bare):
        ports[:, bare] = wiring.port[_tree(made, bare)].T
    np.fill_diagonal(ports, -1)
    return ports


def _tree(made, homes):
    """The next channel of every switch towards each of ``homes``: an array (H, S)."""
    wiring = made.wiring
    if made.ranks is not None:
        none = np.zeros(wiring.count + 1)
        return np.array([NextHops(made.ranks, limited(made.ranks, home, 1)).tree(1, wiring.hosts, none)[0] for home in homes])
    if made.routing == "updown":
        targets = Targets(None, homes, np.ones(len(homes), np.int64))
        return Trees(wiring, updown(wiring, wiring.names.index(made.root)), targets).channel
    return _acyclic(made, homes)


def _acyclic(made, homes):
    """The same by short paths whose dependencies close no cycle with those of all routes so far."""
    wiring, walked = made.wiring, made.walked
    held = dict.fromkeys(zip(walked.first.tolist(), walked.second.tolist()))
    graph = nx.DiGraph(list(held))
    graph.add_nodes_from(range(wiring.count))
    position = np.empty(wiring.count, np.int64)
    position[list(nx.topological_sort(graph))] = np.arange(wiring.count)
    order = Ordered(wiring.count, position.tolist())
    for a, b in held:
        order.add(a, b)
    into = [np.flatnonzero(wiring.target[:-1] == switch).tolist() for switch in range(wiring.size)]
    found = np.full((len(homes), wiring.size), wiring.count)
    for channels, home in zip(found, homes.tolist()):
        waiting, refused = [home], []
        for switch in waiting:
            after = int(channels[switch])
            for channel in into[switch]:
                source = int(wiring.source[channel])
                if source == home or channels[source] < wiring.count:
                    continue
                if switch != home and (channel, after) not in held:
                    if not order.add(channel, after):
                        refused.append((source, channel))
                        continue
                    held[channel, after] = None
                channels[source] = channel
                waiting.append(source)
        # Packets that a switch without hosts sends itself are few, and may wait for others.
        for source, channel in refused:
            if channels[source] == wiring.count and not wiring.hosts[source]:
                channels[source] = channel
                refused += [(int(wiring.source[more]), more) for more in into[source]]
        if np.count_nonzero(channels == wiring.count) > 1:
            name = wiring.names[home]
            raise UsageError(f"{wiring.name}: routes to switch {name} close a cycle with those of hosts: take --routing updown")
    return found
