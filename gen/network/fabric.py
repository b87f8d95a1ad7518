"""A network as its tables see it: switches with numbered ports, and destinations with keys."""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np

from ...hdl.topology import Graph
from ..errors import UsageError
from ..limits import MOST_KEYS
from .order import by_name

__all__ = ["Fabric", "fabric_of_network", "fabric_of_graph", "text"]

#: Parts, and switches of a part, that an error lists.
LISTED = 4


@dataclass(frozen=True)
class Fabric:
    """Connected switches.

    Attributes
    ----------
    name : str
        For messages.
    ports : dict
        Switch to a tuple with the neighbour at each port: a switch, a host, or None for nothing. Parallel links are ports of
        their own.
    keys : dict
        Destination to its key. Destinations are the hosts, or the switches if there are none.
    width : int
        Bits of a key.
    port_names : tuple
        Names of ports, where all switches have the same; else empty.
    far : dict or None
        Switch to a tuple with the port at the other end of the link at each port, None where no switch is. By default the
        n-th link from a to b, by the ports of a, is the n-th from b to a, by the ports of b.
    own_keys : dict or None
        Switch to the keys that it has for the destinations, where these differ from switch to switch; in the order of ``keys``.
    kind : str
        What a switch is called.
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
        """Ports of the switch that has the most."""
        return self._most_ports

    def home(self, destination):
        """The switch at which a destination is."""
        return destination if destination in self.ports else self._homes[destination][0]

    def exit(self, destination):
        """The port at which a packet leaves its last switch: a host's, or for a switch the number after the last port."""
        return self.most_ports if destination in self.ports else self._homes[destination][1]

    def keys_at(self, switch):
        """Keys of all destinations at a switch, as an array in the order of ``keys``."""
        return np.array(self.own_keys[switch] if self.own_keys else list(self.keys.values()), np.int64)


def _paired(ports):
    """The port at the other end of every link."""
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
    """A switch or a host as people write it."""
    return ",".join(map(str, label)) if isinstance(label, tuple) else str(label)


def fabric_of_network(network, broken=(), keys="absolute"):
    """A :class:`~dsnswitch.hdl.topology.Network` with its own keys and port numbers.

    Parameters
    ----------
    broken : iterable
        Failed links: ``(node, node)``, all links between the two, or ``(node, port)``, the link at a port by its number.
    keys : str
        One of ``network.keys``. A node has its own keys unless they are absolute.

    Raises
    ------
    UsageError
        If the links that are left do not connect the nodes.
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


def fabric_of_graph(name, links, hosts=()):
    """Switches and hosts of a list of links.

    Ports of a switch are numbered in the order in which its links are listed. A link that is listed again, either way round, is
    a parallel link: it has a port of its own at both ends. The key of a destination is its number where all of them are
    numbers, else its position among the sorted names, in which ``leaf2`` comes before ``leaf10``.

    Raises
    ------
    UsageError
        If a link ends where it begins, a host has not exactly one link, to a switch, or the switches are not connected.
    """
    try:
        graph = Graph(name, links, hosts)
    except ValueError as error:
        raise UsageError(str(error)) from None
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
