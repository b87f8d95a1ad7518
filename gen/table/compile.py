"""Tables of a whole fabric: routes, layers, the check, and an entry set for every switch."""

from dataclasses import dataclass, field

from ..errors import UsageError
from .deadlock import channels, cycle_of, layered, told
from .entries import Entry, Table
from .fabric import Fabric, text
from .routes import shortest, updown
from .trie import MISS, fewest, trie

__all__ = ["ROUTINGS", "Tables", "compile_fabric"]

#: How routes are chosen.
ROUTINGS = ("updown", "shortest")

#: Most destinations times switches: what is compiled and checked pair by pair.
MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class Tables:
    """A table for each switch of a fabric, and the virtual channels that they need.

    An action is ``layer * 2**port_bits + port``. ``arrived`` is the port behind the last of all. The layer is that of a packet
    which enters the network at this switch; on its way a packet stays on its layer.
    """

    fabric: Fabric
    routing: str
    layers: int
    port_bits: int
    by_switch: dict
    _answers: dict = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def arrived(self):
        """Port number of a packet that has arrived."""
        return self.fabric.most_ports

    def step(self, switch, destination):
        """``(port, layer)`` by the table of ``switch``, or None on a miss."""
        asked = self.by_switch[switch], self.fabric.keys[destination]
        place = id(asked[0]), asked[1]
        if place not in self._answers:
            self._answers[place] = asked[0].lookup(asked[1])
        action = self._answers[place]
        return None if action is None else (action & (1 << self.port_bits) - 1, action >> self.port_bits)

    def walk(self, source, destination):
        """Switches of the way from ``source`` by tables alone, and its layer.

        Raises
        ------
        UsageError
            If it does not end at the destination. (It does; this is the check.)
        """
        way, layer, fabric = [source], None, self.fabric
        while True:
            found = self.step(way[-1], destination)
            port, entered = found or (None, None)
            layer = entered if layer is None else layer
            if port == self.arrived and way[-1] == destination:
                return way, layer
            peer = fabric.ports[way[-1]][port] if port is not None and port < len(fabric.ports[way[-1]]) else None
            if peer == destination and peer not in fabric.ports:
                return way, layer
            if peer not in fabric.ports or len(way) > len(fabric.ports):
                raise UsageError(
                    f"{fabric.name}: {text(source)} to {text(destination)} is lost at {text(way[-1])}, port {port}"
                )
            way.append(peer)

    def walks(self):
        """``(way, layer)`` of every pair of a switch and a destination."""
        for destination in self.fabric.keys:
            for source in self.fabric.ports:
                yield self.walk(source, destination)

    def check(self):
        """Walk every pair by the tables, and look for a cycle of channel dependencies among all of them.

        Raises
        ------
        UsageError
            If a pair is not delivered, or with the cycle.
        """
        cycle = cycle_of(channels(way, layer) for way, layer in self.walks())
        if cycle:
            raise UsageError(f"{self.fabric.name}: the routes can deadlock: {told(cycle)}")


def compile_fabric(fabric, routing="updown", layers=1, root=None, absent=MISS):
    """Tables of every switch, checked for delivery and deadlock.

    Parameters
    ----------
    fabric : Fabric
    routing : str
        ``updown``: one virtual channel, some ways longer. ``shortest``: balanced shortest paths on ``layers``.
    layers : int
        Virtual channels.
    root : switch or None
        Of up*/down*; by default the centre.
    absent : MISS or ANY
        What keys without a destination do.

    Raises
    ------
    UsageError
        If the layers are not enough; the message has the cycle.
    """
    if routing not in ROUTINGS:
        raise UsageError(f"Routing must be one of {', '.join(ROUTINGS)}, not {routing!r}")
    if routing == "updown" and layers != 1:
        raise UsageError(f"Up*/down* needs one virtual channel, not {layers}")
    if len(fabric.ports) * len(fabric.keys) > MOST_PAIRS:
        raise UsageError(
            f"{fabric.name} has {len(fabric.ports)} switches and {len(fabric.keys)} destinations; "
            f"their product must be at most {MOST_PAIRS}"
        )
    if root is not None and root not in fabric.ports:
        raise UsageError(f"{fabric.name} has no switch {text(root)}")
    onward = updown(fabric, root) if routing == "updown" else shortest(fabric)
    targets = list(onward)
    pairs = [(source, target) for target in targets for source in fabric.ports]
    on = dict.fromkeys(pairs, 0)
    if routing == "shortest":
        on = dict(zip(pairs, layered(fabric.name, [_way(onward[t], s, t) for s, t in pairs], layers)))
    bits = fabric.most_ports.bit_length()
    names = _names(fabric, layers, bits)
    by_switch = {}
    for switch in fabric.ports:
        wishes = [absent] * (max(fabric.keys.values()) + 1)
        for destination, key in fabric.keys.items():
            home = fabric.home(destination)
            if switch != home:
                port = fabric.port_to(switch, onward[home][switch])
            else:
                port = fabric.most_ports if destination == switch else fabric.port_to(switch, destination)
            wishes[key] = on[switch, home] << bits | port
        wishes += [absent] * ((1 << fabric.width) - len(wishes))
        found = fewest(trie(wishes, fabric.width))
        entries = tuple(Entry(prefix << fabric.width - length, length, action) for prefix, length, action in found)
        by_switch[switch] = Table(f"switch {text(switch)}", fabric.width, names, entries)
    made = Tables(fabric, routing, layers, bits, by_switch)
    made.check()
    return made


def _way(onward, source, target):
    way = [source]
    while way[-1] != target:
        way.append(onward[way[-1]])
    return way


def _names(fabric, layers, bits):
    """A name for every action, also for those that do not come."""
    ports = [*(fabric.port_names or [f"port {port}" for port in range(fabric.most_ports)]), "arrived"]
    ports += ["-"] * ((1 << bits) - len(ports))
    if layers == 1:
        return tuple(ports)
    return tuple(f"{port}, layer {layer}" for layer in range(layers) for port in ports)
