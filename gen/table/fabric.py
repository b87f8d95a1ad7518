"""A network as its tables see it: switches with numbered ports, and destinations with keys."""

from dataclasses import dataclass, field

import networkx as nx

from ...hdl.topology import port_links, ports
from ...sim.golden.topology import nodes
from ..errors import UsageError
from .dsn import key_of, key_width

__all__ = ["Fabric", "fabric_of_dsn", "fabric_of_graph", "text"]

#: Keys of a fabric are below.
MOST_KEYS = 1 << 16

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
        Switch to a tuple with the neighbour behind each port: a switch, a host, or None where nothing is.
    keys : dict
        Destination to its key. Destinations are the hosts, or the switches if there are none.
    width : int
        Bits of a key.
    port_names : tuple
        Names of ports, where all switches have the same; else empty.
    """

    name: str
    ports: dict
    keys: dict
    width: int
    port_names: tuple = ()
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
        homes = {peer: s for s, peers in self.ports.items() for peer in peers if peer not in self.ports}
        object.__setattr__(self, "_homes", homes)
        object.__setattr__(
            self, "_port_to", {s: {p: i for i, p in reversed([*enumerate(peers)])} for s, peers in self.ports.items()}
        )

    def _part(self, part):
        order = {switch: place for place, switch in enumerate(self.ports)}
        some = sorted(part, key=order.get)
        more = f" and {len(some) - LISTED} more" if len(some) > LISTED else ""
        return f"{{{', '.join(map(text, some[:LISTED]))}{more}}}"

    @property
    def most_ports(self):
        """Ports of the switch that has the most."""
        return max(map(len, self.ports.values()))

    def port_to(self, switch, peer):
        """The port of ``switch`` behind which ``peer`` is; of several the first."""
        return self._port_to[switch][peer]

    def home(self, destination):
        """The switch at which a destination is."""
        return destination if destination in self.ports else self._homes[destination]


def text(label):
    """A switch or a host as people write it."""
    return ",".join(map(str, label)) if isinstance(label, tuple) else str(label)


def fabric_of_dsn(dsn, broken=()):
    """A DSN with the keys and the port numbers of its route logic; ``broken`` are links ``(node, node)`` that are left out."""
    gone = {frozenset(link) for link in broken}
    found = {}
    for node in nodes(dsn):
        peers = [None] * len(ports(dsn))
        for link in port_links(dsn, node[-1]):
            there = [*node[:-1], link.to_id]
            if link.level is not None:
                axis = dsn.dimensions.index(link.port.kind)
                there[axis] = (there[axis] + link.offset) % dsn.sizes[axis]
            if frozenset((node, tuple(there))) not in gone:
                peers[link.port.index] = tuple(there)
        found[node] = tuple(peers)
    keys = {node: key_of(dsn, "absolute", node, node) for node in found}
    names = tuple(port.name for port in ports(dsn))
    return Fabric(dsn.name, found, keys, key_width(dsn, "absolute"), names)


def fabric_of_graph(name, links, hosts=()):
    """Switches and hosts of a list of links.

    Ports of a switch are numbered in the order in which its links are listed; a link that is listed again, either way round,
    is the same link. The key of a destination is its number where all of them are numbers, else its place among them.

    Raises
    ------
    UsageError
        If a link ends where it begins, a host has not exactly one link, to a switch, or the switches are not connected.
    """
    hosts = dict.fromkeys(hosts)
    peers = {}
    for a, b in links:
        if a == b:
            raise UsageError(f"{name}: a link must have two ends, not {a} twice")
        peers.setdefault(a, {})[b] = peers.setdefault(b, {})[a] = None
    for host in hosts:
        ends = peers.pop(host, {})
        if len(ends) != 1 or next(iter(ends)) in hosts:
            raise UsageError(f"{name}: host {host} must have one link, to a switch, not {', '.join(ends) or 'none'}")
    if not peers:
        raise UsageError(f"{name} has no switch")
    destinations = list(hosts or peers)
    if all(label.isdecimal() for label in destinations):
        keys = {label: int(label) for label in destinations}
        if len(set(keys.values())) < len(keys):
            raise UsageError(f"{name}: two destinations have the same number")
        if max(keys.values()) >= MOST_KEYS:
            raise UsageError(f"{name}: a destination must be below {MOST_KEYS}, not {max(keys.values())}")
    else:
        keys = {label: place for place, label in enumerate(destinations)}
    width = max(max(keys.values()).bit_length(), 1)
    return Fabric(name, {switch: tuple(found) for switch, found in peers.items()}, keys, width)
