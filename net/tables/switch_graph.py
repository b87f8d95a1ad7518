"""A network as routing tables describe it: switches with numbered ports, and destinations with keys."""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np

from dsnswitch.net.limits import MOST_KEYS
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.wiring import by_name
from dsnswitch.net.topology.graph import Graph

__all__ = ["Fabric", "fabric_of_network", "fabric_of_graph", "text"]

#: Number of parts of a disconnected graph, and of switches of a part, that an error message lists.
LISTED = 4


@dataclass(frozen=True)
class Fabric:
    """A connected network of switches and, optionally, hosts.

    Attributes
    ----------
    name : str
        Name of the network in messages.
    ports : dict
        Maps a switch to the tuple of neighbours at its ports: a switch, a host, or None. Every parallel link has its own port.
    keys : dict
        Maps a destination to its key. Destinations are the hosts, or the switches if there are no hosts.
    width : int
        Bits of a key.
    port_names : tuple
        Names of the ports if all switches have the same ports, else empty.
    far : dict or None
        Maps a switch to a tuple: for each port, the port at the other end of its link, or None if there is no switch. By
        default, the n-th port of a that leads to b is linked to the n-th port of b that leads to a.
    own_keys : dict or None
        Maps a switch to its keys of the destinations, in the order of ``keys``, if the keys differ between switches.
    kind : str
        Word for a switch in messages: ``switch`` or ``node``.
    """

    name: str
    ports: dict
    keys: dict
    width: int
    port_names: tuple = ()
    far: dict | None = None
    own_keys: dict | None = None
    kind: str = "switch"
    graph: nx.Graph = field(init=False, compare=False)

    def __post_init__(self):
        graph = nx.Graph()
        graph.add_nodes_from(self.ports)
        for switch, peers in self.ports.items():
            graph.add_edges_from((switch, peer) for peer in peers if peer in self.ports)
        object.__setattr__(self, "graph", graph)
        parts = sorted(nx.connected_components(graph), key=len, reverse=True)
        if len(parts) > 1:
            shown = "; ".join(map(self._part, parts[:LISTED])) + ("; ..." if len(parts) > LISTED else "")
            raise UsageError(f"{self.name} is not connected, it has {len(parts)} parts: {shown}")
        if self.far is None:
            object.__setattr__(self, "far", _paired(self.ports))
        homes = {peer: (s, port) for s, peers in self.ports.items() for port, peer in enumerate(peers)}
        object.__setattr__(self, "_homes", {peer: home for peer, home in homes.items() if peer not in self.ports})
        object.__setattr__(self, "_most_ports", max(map(len, self.ports.values())))

    def _part(self, part):
        order = {switch: place for place, switch in enumerate(self.ports)}
        some = sorted(part, key=order.get)
        more = f" and {len(some) - LISTED} more" if len(some) > LISTED else ""
        return f"{{{', '.join(map(text, some[:LISTED]))}{more}}}"

    @property
    def most_ports(self):
        """Largest number of ports of a switch."""
        return self._most_ports

    def home(self, destination):
        """The switch that a destination is attached to; a switch is its own home."""
        return destination if destination in self.ports else self._homes[destination][0]

    def exit(self, destination):
        """The port at which a packet for ``destination`` leaves its last switch.

        For a host it is the host's port; for a switch it is the number after the last port.
        """
        return self.most_ports if destination in self.ports else self._homes[destination][1]

    def keys_at(self, switch):
        """Keys of all destinations in the table of a switch, as an array in the order of ``keys``."""
        return np.array(self.own_keys[switch] if self.own_keys else list(self.keys.values()), np.int64)


def _paired(ports):
    """The port at the other end of the link at every port."""
    found = {switch: [None] * len(peers) for switch, peers in ports.items()}
    open_ports = {}
    for switch, peers in ports.items():
        for port, peer in enumerate(peers):
            if peer not in ports:
                continue
            waiting = open_ports.setdefault((peer, switch), [])
            if waiting:
                other = waiting.pop(0)
                found[switch][port], found[peer][other] = other, port
            else:
                open_ports.setdefault((switch, peer), []).append(port)
    return {switch: tuple(others) for switch, others in found.items()}


def text(label):
    """The name of a switch or host as users write it."""
    return ",".join(map(str, label)) if isinstance(label, tuple) else str(label)


def fabric_of_network(network, broken=(), keys="absolute"):
    """A :class:`Network` as a fabric, with the network's keys and port numbers.

    Parameters
    ----------
    broken : iterable
        Failed links: ``(node, node)`` for all links between two nodes, or ``(node, port)`` for the link at a port number.
    keys : str
        One of ``network.keys``. Unless keys are absolute, they differ between nodes.

    Raises
    ------
    UsageError
        If the remaining links do not connect the nodes.
    """
    count, nodes = len(network.ports), list(network.switches())
    links = {node: [network.neighbour(node, port) for port in range(count)] for node in nodes}
    for node, end in broken:
        for port, link in enumerate(links[node]):
            if link and end in (port, link[0]):
                links[node][port] = links[link[0]][link[1]] = None
    found, far = (
        {node: tuple(link and link[part] for link in mine) for node, mine in links.items()} for part in (0, 1)
    )
    absolute = {node: network.key(node, node, "absolute") for node in nodes}
    own = None if keys == "absolute" else {at: [network.key(at, node, keys) for node in nodes] for at in nodes}
    width = sum(bits for _, bits in network.key_fields(keys))
    names = tuple(port.name for port in network.ports)
    return Fabric(network.name, found, absolute, width, names, far, own, "node")


def fabric_of_graph(graph: Graph):
    """A graph as a fabric, with the graph's port numbers.

    The key of a destination is its name if all names are numbers. Otherwise it is the position in the sorted list of names, in
    which ``leaf2`` precedes ``leaf10``.

    Raises
    ------
    UsageError
        If the switches are not connected.
    """
    name = graph.title
    keys = _keys(name, list(graph.hosts or graph.names))
    width = max(max(keys.values()).bit_length(), 1)
    at_port = {home: host for host, home in graph.hosts.items()}
    peers, far = {}, {}
    for switch in graph.switches():
        ends = [(graph.neighbour(switch, port), (switch, port)) for port in range(graph.port_count(switch))]
        label = graph.spell_switch(switch)
        peers[label] = tuple(graph.spell_switch(end[0]) if end else at_port[here] for end, here in ends)
        far[label] = tuple(end and end[1] for end, _ in ends)
    return Fabric(name, peers, keys, width, (), far)


def _keys(name, destinations):
    """Key of each destination of a graph."""
    if all(label.isdecimal() for label in destinations):
        keys = {label: int(label) for label in destinations}
        if len(set(keys.values())) < len(keys):
            raise UsageError(f"{name}: two destinations have the same number")
    else:
        keys = {label: place for place, label in enumerate(sorted(destinations, key=by_name))}
    if max(keys.values()) >= MOST_KEYS:
        raise UsageError(f"{name}: a destination must be below {MOST_KEYS}, not {max(keys.values())}")
    return keys
