"""A network as routing tables describe it: switches with numbered ports, and destinations with keys."""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.network import KEYS

#: Number of parts of a disconnected graph, and of switches of a part, that an error message lists.
LISTED = 4


@dataclass(frozen=True)
class SwitchGraph:
    """A connected network of switches and, optionally, hosts.

    Attributes
    ----------
    name : str
        Name of the network in messages.
    ports : dict
        Maps a switch to the tuple of neighbours at its ports: a switch, a host, or None. Every parallel link has its own port.
    keys : dict
        Maps a destination to its key of ``width`` bits. Destinations are the hosts, or the switches if there are no hosts.
    port_names : tuple
        Names of the ports, by number; empty if they have none.
    own_keys : dict or None
        Maps a switch to its keys of the destinations, in the order of ``keys``, if the keys differ between switches.
    kind : str
        Word for a switch in messages: ``switch`` or ``node``.
    weights : dict or None
        Maps a destination to the number of hosts that it stands for; None if every destination stands for one.
    key_kind : str
        Word for a key in messages.
    simple : networkx.Graph
        The switches and their links, parallel ones once.
    """

    name: str
    ports: dict
    keys: dict
    width: int
    port_names: tuple = ()
    own_keys: dict | None = None
    kind: str = "switch"
    weights: dict | None = None
    key_kind: str = "key"
    simple: nx.Graph = field(init=False, compare=False)

    def __post_init__(self):
        graph = nx.Graph()
        graph.add_nodes_from(self.ports)
        for switch, peers in self.ports.items():
            graph.add_edges_from((switch, peer) for peer in peers if peer in self.ports)
        object.__setattr__(self, "simple", graph)
        parts = sorted(nx.connected_components(graph), key=len, reverse=True)
        if len(parts) > 1:
            shown = "; ".join(map(self._part, parts[:LISTED])) + ("; ..." if len(parts) > LISTED else "")
            raise UsageError(f"{self.name} is not connected, it has {len(parts)} parts: {shown}")
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

    def weight(self, destination):
        """Number of hosts that a destination stands for, in loads."""
        return self.weights[destination] if self.weights else 1

    def keys_at(self, switch):
        """Keys of all destinations in the table of a switch, as an array in the order of ``keys``."""
        return np.array(self.own_keys[switch] if self.own_keys else list(self.keys.values()), np.int64)


def text(label):
    """The name of a switch or host as users write it."""
    return ",".join(map(str, label)) if isinstance(label, tuple) else str(label)


def switch_graph(network, broken=(), keys=KEYS[0]):
    """A :class:`Network` as a :class:`SwitchGraph`, with the network's keys and port numbers.

    Failed links ``broken`` are ``(switch, switch)`` for all links between two switches, or ``(switch, port)`` for the link at a
    port. ``keys`` is one of ``network.keys``; unless keys are absolute, they differ between switches. Raises :class:`UsageError`
    if the remaining links do not connect the switches, or keys are too large.
    """
    links = {at: {port.index: end for port, end in network.links_of(at)} for at in network.switches()}
    for at, end in broken:
        for port, link in list(links[at].items()):
            if end in (port, link[0]):
                del links[at][port]
                links[link[0]].pop(link[1], None)
    label, hosts = network.label, {home: host for host, home in network.hosts.items()}
    peers = {}
    for at, mine in links.items():
        ports = range(1 + max((port.index for port in network.ports_of(at)), default=-1))
        peers[label(at)] = tuple(label(mine[port][0]) if port in mine else hosts.get((at, port)) for port in ports)
    try:
        destinations = network.destinations()
    except ValueError as error:
        raise UsageError(str(error)) from None
    ends = list(network.terminals())
    own = None if keys == KEYS[0] else {at: [network.key(at, end, keys) for end in ends] for at in links}
    names, from_file = tuple(port.name for port in network.ports), network.from_file
    # Messages call a network of a file by its title, the path, and its switches by their names.
    name, kind = (network.title, "switch") if from_file else (network.name, "node")
    weights = {label(at): network.hosts_of(at) for at in ends} if network.is_uneven else None
    return SwitchGraph(name, peers, destinations, network.key_width(keys), names, own, kind, weights)
