"""The network protocol: switches, ports, hosts, the neighbour at each port, address fields.

Every topology is a :class:`Network`. Routing, tables, the deadlock search, exports, pictures and growth use only this interface,
so that a new topology does not change them.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from dsnswitch.net.topology.addresses import Addresses

#: Place of the relation of networks without a routing in closed form.
BY_TABLES = "tables.relation:GraphRelation"

#: Most switches of a network whose routes become rules in logic. Larger ones have tables.
MOST_RULED = 64


def named(place):
    """The object that a text such as ``routing.torus:TorusRelation`` names: a module of ``net``, and an attribute of it.

    A topology names what is made for it in higher packages, and nobody loads these modules before they are needed.
    """
    module, _, name = place.partition(":")
    return getattr(import_module(f"dsnswitch.net.{module}"), name)


@dataclass(frozen=True)
class Port:
    """One port of a switch. Input and output of a full-duplex link have the same index, the bit of a one-hot port vector.

    The ``name`` is unique among the ports of a switch. Ports of one ``kind``, such as ``local`` or ``x``, have the same virtual
    channel classes. The ``direction`` is ``forward`` or ``backward`` for a port along a ring, else None.
    """

    index: int
    name: str
    kind: str
    direction: str | None = None


@dataclass(frozen=True)
class Link:
    """A full-duplex link between port ``port`` of ``source`` and port ``target_port`` of ``target``."""

    source: tuple
    port: int
    target: tuple
    target_port: int


class Floor:
    """Where the switches of a network stand: in a picture, in cabinets, and after the network has grown."""

    #: Place of the function that draws the network as SVG text. By default, switches are drawn where :meth:`place` says.
    picture: ClassVar[str] = "files.pictures:draw"

    #: The point that long links of a picture bend towards, as :meth:`place` gives it, or None.
    middle: ClassVar[tuple | None] = None

    def place(self, switch: tuple[int, ...]) -> tuple[float, ...] | None:
        """Where a switch stands on the floor, as ``(column, row)``; None if the topology does not say."""
        return None

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """The cabinet that the topology's own layout puts a switch in, as ``(column, row)`` on the floor, or ``(position,)`` in a
        row of cabinets; None if it has no such layout."""
        return None

    def relabellings(self, after):
        """How this network can grow to the larger ``after`` of the same topology: dictionaries ``{switch: switch after}``.

        Raises :class:`ValueError` if it cannot grow to ``after``. By default no network can.
        """
        raise ValueError(f"Growth must be of a topology with rules for it, not of {self.spelling}")

    def rewired_share(self, after) -> tuple | None:
        """``(share, reason)`` of the cables that growth to ``after`` changes by the topology's paper; None if it states none."""
        return None


class Network(Addresses, Floor):
    """Switches joined by full-duplex links between numbered ports.

    A switch is a tuple of integers, one for each of :attr:`fields`. :attr:`ports` lists every port that a switch can have, which
    are those of a universal switch; :meth:`ports_of` gives those of one switch. A port without a link leads to no neighbour.
    """

    #: ``{routing: place}`` of the topology's relations, as :func:`named` reads them. A network without any routes by tables.
    routings: ClassVar[dict] = {}

    #: Whether the network is that of a user's file, which messages name.
    from_file = False

    #: Whether logic for the routing is a list of rules for each switch, and so is for small networks only.
    has_rules = False

    #: Place of the function that compiles the table of a switch from the structure of addresses, or None.
    table: ClassVar[str | None] = None

    #: First part of the names of modules that only this topology has, such as ``dsn_``.
    prefix = ""

    @property
    @abstractmethod
    def name(self) -> str:
        """Short identifier, such as ``grid_8x8_k4x2``: the tail of module names."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Description of the network, such as ``grid DSN of 8 x 8 supernodes k4x2``."""

    @property
    @abstractmethod
    def spelling(self) -> str:
        """The text that ``--topology`` accepts for this network, such as ``grid:8x8:k4x2``."""

    @property
    @abstractmethod
    def ports(self) -> tuple[Port, ...]:
        """Every port that a switch can have, as a tuple of :class:`Port` by index."""

    @abstractmethod
    def neighbour(self, switch: tuple[int, ...], port: int) -> tuple[Any, int] | None:
        """``(switch, port)`` at the other end of the link on port ``port``, or None if there is no link."""

    @property
    def is_large(self) -> bool:
        """Whether the network has too many switches for rules: logic is made for one switch at a time, with a ROM."""
        return self.has_rules and self.nodes > MOST_RULED

    @property
    def is_tabled(self) -> bool:
        """Whether the routing of the network has no closed form: its relation, if there is one, is that of compiled tables."""
        return self.routings.get("base", BY_TABLES) == BY_TABLES

    @property
    def parameters(self) -> dict[str, Any]:
        """The network as a user's configuration states it, such as ``{"topology": "torus:4x4"}``."""
        return {"topology": self.spelling}

    @property
    def shape(self) -> dict[str, Any]:
        """The network in the JSON file of a topology: ``topology``, ``sizes`` and what else the topology states."""
        return {"topology": self.spelling, "sizes": [field.size for field in self.fields]}

    def ports_of(self, switch: tuple[int, ...]) -> Sequence[Port]:
        """The ports that a switch has, some of :attr:`ports` in their order. By default all of them."""
        return self.ports

    def links_of(self, switch: tuple[int, ...]) -> list[tuple[Port, tuple[Any, int]]]:
        """``[(port, end)]`` of the ports of a switch that have a link; ``end`` is that of :meth:`neighbour`."""
        ends = ((port, self.neighbour(switch, port.index)) for port in self.ports_of(switch))
        return [(port, end) for port, end in ends if end is not None]

    def hosts_of(self, switch: tuple[int, ...]) -> int:
        """Number of hosts at a switch, 0 if it only forwards. By default 1, which stands for the same number everywhere;
        with :attr:`most_hosts`, the number itself."""
        return 1

    #: Most hosts of a switch if the network states how many each has. None: that is a choice, the same for every switch with
    #: hosts.
    most_hosts: ClassVar[int | None] = None

    #: Whether switches with hosts may have different numbers of them, so that loads count hosts and not switches.
    is_uneven = False

    @property
    def hosted(self) -> int:
        """Number of switches with hosts."""
        return self.nodes

    def with_hosts(self, hosts: int | None) -> Any:
        """The network with ``hosts`` hosts at every switch that has any; None leaves the number that the network states.

        Raises :class:`ValueError` if the network states another number.
        """
        if hosts is not None and self.most_hosts not in (None, hosts):
            raise ValueError(f"Hosts of a switch of {self.spelling} must be {self.most_hosts}, as the topology says, not {hosts}")
        return self

    @property
    def fabric(self) -> Any:
        """The network as switch cores know it: without names of hosts, which have numbers at each switch. By default itself."""
        return self

    def host_ports(self, switch: tuple[int, ...], hosts: int) -> int:
        """Number of host ports of a switch in a network whose switches have up to ``hosts`` of them."""
        found = self.hosts_of(switch)
        return found if self.is_uneven else hosts * (found > 0)

    def host_places(self, hosts: int) -> list[tuple[tuple[int, ...], int]]:
        """``[(switch, number at the switch)]`` of all hosts by their numbers; ``hosts`` is as for :meth:`host_ports`."""
        return [(switch, host) for switch in self.switches() for host in range(self.host_ports(switch, hosts))]

    @property
    def hosts(self) -> dict[str, tuple[tuple[int, ...], int]]:
        """``{name: (switch, port)}`` of hosts that have names and ports of their own. By default none."""
        return {}

    def terminals(self) -> Iterable[tuple[int, ...]]:
        """Every switch that has hosts: the sources and destinations of packets."""
        return (switch for switch in self.switches() if self.hosts_of(switch))

    def ends(self) -> Iterable[tuple]:
        """The destinations of tables: rows ``(name, absolute key, switch, port of the switch, number of hosts)``.

        By default they are the switches that have hosts. Their port is None. Each counts as one host if their number is a choice.
        """
        count = self.hosts_of if self.is_uneven else lambda switch: 1
        return [(self.spell_switch(at), self.key(at, at), at, None, count(at)) for at in self.terminals()]

    def level(self, switch: tuple[int, ...], port: int) -> int | None:
        """Level of the shortcut on a port; None if the link has no level."""
        return None

    def cycles(self, switch: tuple[int, ...], port: int) -> Any:
        """Latency of the link on a port in cycles; None if the network does not state it."""
        return None

    def span(self, switch: tuple[int, ...], port: int) -> int | None:
        """Length of the shortcut on a port, in supernodes; None if the link has no level."""
        return None

    def canonical(self, switch: tuple[int, ...], destination: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pair that a symmetry of network and routing maps ``(switch, destination)`` to.

        Pairs with the same image have equally long routes, so the routes between canonical pairs represent all routes. Each
        canonical first switch must be the image of equally many switches. By default every pair is canonical.
        """
        return switch, destination

    def representatives(self) -> list[tuple[int, ...]]:
        """Switches that are the first switch of a canonical pair."""
        return list(dict.fromkeys(self.canonical(switch, switch)[0] for switch in self.switches()))

    def link_rows(self, switch=None):
        """Links for the manifest: those of ``switch``, or of all switches if it is None.

        Each row has ``id`` (last address field of the switches that it describes, or None for all), ``output``, ``kind``,
        ``level``, ``offset`` (added to the field named ``kind``, modulo its size) and ``to_id`` (the last field at the
        other end, or None if it stays). By default, a port with a direction is a step along the dimension that is its kind, and
        the rows of other ports are those of single switches, which must differ in the last field only.
        """
        rows = []
        for port in self.ports if switch is None else self.ports_of(switch):
            ends = [(None, {"forward": 1, "backward": -1}.get(port.direction), None)]
            if port.direction is None:
                some = self.switches() if switch is None else [switch]
                links = [(at, self.neighbour(at, port.index)) for at in some if port in self.ports_of(at)]
                ends = [(at[-1], 0, end[0][-1]) for at, end in links if end]
            for own, offset, there in ends:
                row = {"id": own, "output": port.index, "kind": port.kind, "level": None, "offset": offset, "to_id": there}
                rows.append(row)
        return rows

    @property
    def link_count(self) -> int:
        """Number of :meth:`links`."""
        found = self.representatives()
        ends = sum(len(self.links_of(switch)) for switch in found)
        return ends * self.nodes // len(found) // 2

    def links(self) -> Iterable[Link]:
        """Every link once, as :class:`Link`. The end with the lower number, then with the lower port, is the source."""
        for switch in self.switches():
            for port, end in self.links_of(switch):
                if (self.number(switch), port.index) <= (self.number(end[0]), end[1]):
                    yield Link(switch, port.index, *end)
