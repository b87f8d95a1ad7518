"""The network protocol: switches, ports, hosts, the neighbour at each port, address fields.

Every topology is a :class:`Network`. Routing, tables, the deadlock search, exports, pictures and growth use only this interface,
so that a new topology does not change them.
"""

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import ClassVar

from dsnswitch.net.checks import integer

#: Place of the relation of networks without a routing in closed form: that of compiled tables.
BY_TABLES = "tables.relation:GraphRelation"

#: That of larger networks, and most switches of a network with compiled tables.
BY_BLOCKS, MOST_TABLED = "tables.large:LargeRelation", 1 << 11

#: Most switches of a network whose routes become rules in logic. Larger ones have tables.
MOST_RULED = 64

#: Every kind of table key, which :meth:`Network.key` explains.
KEYS = ("absolute", "relative", "folded")


def named(place):
    """The object that a text such as ``routing.torus:TorusRelation`` names: a module of ``net``, and an attribute of it.

    A topology names what is made for it in higher packages, and nobody loads these modules before they are needed.
    """
    module, _, name = place.partition(":")
    return getattr(import_module(f"dsnswitch.net.{module}"), name)


def by_name(text):
    """Sort key of the name of a switch or host in which runs of digits count as numbers: ``leaf2`` precedes ``leaf10``."""
    parts = re.split(r"([0-9]+)", text)
    # A number is compared as (length, digits), so it may have any length. The text distinguishes 1 from 01.
    digits = [part.lstrip("0") for part in parts[1::2]]
    return [*((word, len(number), number) for word, number in zip(parts, digits)), (parts[-1], 0, "")], text


@dataclass(frozen=True)
class Field:
    """One field of a switch address: values ``0..size-1``, in ``width`` bits."""

    name: str
    size: int

    @property
    def width(self):
        """Bits of the field; 0 if it has one value."""
        return (self.size - 1).bit_length()


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


class Network(ABC):
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

    #: Place of the function that draws the network as SVG text. By default, switches are drawn where :meth:`place` says.
    picture: ClassVar[str] = "files.pictures:draw"

    #: The point that long links of a picture bend towards, as :meth:`place` gives it, or None.
    middle: ClassVar[tuple | None] = None

    #: Names of the key kinds that :meth:`key` accepts; the first is the default.
    keys = KEYS[:1]

    #: First part of the names of modules that only this topology has, such as ``dsn_``.
    prefix = ""

    @property
    @abstractmethod
    def name(self):
        """Short identifier, such as ``grid_8x8_k4x2``: the tail of module names."""

    @property
    @abstractmethod
    def title(self):
        """Description of the network, such as ``grid DSN of 8 x 8 supernodes k4x2``."""

    @property
    @abstractmethod
    def spelling(self):
        """The text that ``--topology`` accepts for this network, such as ``grid:8x8:k4x2``."""

    @property
    @abstractmethod
    def fields(self):
        """The address as a tuple of :class:`Field`, in the order in which an address is written."""

    @property
    @abstractmethod
    def ports(self):
        """Every port that a switch can have, as a tuple of :class:`Port` by index."""

    @abstractmethod
    def neighbour(self, switch, port):
        """``(switch, port)`` at the other end of the link on port ``port``, or None if there is no link."""

    @property
    def is_large(self):
        """Whether the network has too many switches for rules: logic is made for one switch at a time, with a ROM."""
        return self.has_rules and self.nodes > MOST_RULED

    @property
    def is_tabled(self):
        """Whether the routing of the network has no closed form: its relation, if there is one, is that of compiled tables."""
        return self.routings.get("base", BY_TABLES) == BY_TABLES

    @property
    def parameters(self):
        """The network as a user's configuration states it, such as ``{"topology": "torus:4x4"}``."""
        return {"topology": self.spelling}

    @property
    def shape(self):
        """The network in the JSON file of a topology: ``topology``, ``sizes`` and what else the topology states."""
        return {"topology": self.spelling, "sizes": [field.size for field in self.fields]}

    def ports_of(self, switch):
        """The ports that a switch has, some of :attr:`ports` in their order. By default all of them."""
        return self.ports

    def links_of(self, switch):
        """``[(port, end)]`` of the ports of a switch that have a link; ``end`` is that of :meth:`neighbour`."""
        ends = ((port, self.neighbour(switch, port.index)) for port in self.ports_of(switch))
        return [(port, end) for port, end in ends if end is not None]

    def hosts_of(self, switch):
        """Number of hosts at a switch, 0 if it only forwards. By default 1, which stands for the same number everywhere;
        with :attr:`most_hosts`, the number itself."""
        return 1

    #: Most hosts of a switch if the network states how many each has. None: that is a choice, the same for every switch with
    #: hosts.
    most_hosts: ClassVar[int | None] = None

    #: Whether switches with hosts may have different numbers of them, so that loads count hosts and not switches.
    is_uneven = False

    @property
    def hosted(self):
        """Number of switches with hosts."""
        return self.nodes

    def with_hosts(self, hosts):
        """The network with ``hosts`` hosts at every switch that has any; None leaves the number that the network states.

        Raises :class:`ValueError` if the network states another number.
        """
        if hosts is not None and self.most_hosts not in (None, hosts):
            raise ValueError(
                f"Hosts of a switch of {self.spelling} must be {self.most_hosts}, as the topology says, not {hosts}"
            )
        return self

    @property
    def fabric(self):
        """The network as switch cores know it: without names of hosts, which have numbers at each switch. By default itself."""
        return self

    def host_ports(self, switch, hosts):
        """Number of host ports of a switch in a network whose switches have up to ``hosts`` of them."""
        found = self.hosts_of(switch)
        return found if self.is_uneven else hosts * (found > 0)

    def host_places(self, hosts):
        """``[(switch, number at the switch)]`` of all hosts by their numbers; ``hosts`` is as for :meth:`host_ports`."""
        return [(switch, host) for switch in self.switches() for host in range(self.host_ports(switch, hosts))]

    def place(self, switch):
        """Where a switch stands on the floor, as ``(column, row)``; None if the topology does not say."""
        return None

    def cabinet_of(self, switch):
        """The cabinet that the topology's own layout puts a switch in, as ``(column, row)`` on the floor, or ``(position,)`` in a
        row of cabinets; None if it has no such layout."""
        return None

    @property
    def hosts(self):
        """``{name: (switch, port)}`` of hosts that have names and ports of their own. By default none."""
        return {}

    def terminals(self):
        """Every switch that has hosts: the sources and destinations of packets."""
        return (switch for switch in self.switches() if self.hosts_of(switch))

    def destinations(self):
        """``{name: absolute key}`` of the destinations of tables: by default the switches that have hosts."""
        return {self.spell_switch(switch): self.key(switch, switch) for switch in self.terminals()}

    def level(self, switch, port):
        """Level of the shortcut on a port; None if the link has no level."""
        return None

    def cycles(self, switch, port):
        """Latency of the link on a port in cycles; None if the network does not state it."""
        return None

    def span(self, switch, port):
        """Length of the shortcut on a port, in supernodes; None if the link has no level."""
        return None

    def relabellings(self, after):
        """How this network can grow to the larger ``after`` of the same topology: dictionaries ``{switch: switch after}``.

        Raises :class:`ValueError` if it cannot grow to ``after``. By default no network can.
        """
        raise ValueError(f"Growth must be of a topology with rules for it, not of {self.spelling}")

    def rewired_share(self, after):
        """``(share, reason)`` of the cables that growth to ``after`` changes by the topology's paper; None if it states none."""
        return None

    @property
    def number_order(self):
        """Indices of :attr:`fields` in the order of :meth:`number`, the field that changes fastest first."""
        return tuple(range(len(self.fields)))

    @property
    def nodes(self):
        """Number of switches."""
        return math.prod(field.size for field in self.fields)

    def canonical(self, switch, destination):
        """The pair that a symmetry of network and routing maps ``(switch, destination)`` to.

        Pairs with the same image have equally long routes, so the routes between canonical pairs represent all routes. Each
        canonical first switch must be the image of equally many switches. By default every pair is canonical.
        """
        return switch, destination

    def representatives(self):
        """Switches that are the first switch of a canonical pair."""
        return list(dict.fromkeys(self.canonical(switch, switch)[0] for switch in self.switches()))

    def switches(self):
        """Every switch, in the order of :meth:`number`."""
        order = self.number_order
        for values in product(*(range(self.fields[index].size) for index in reversed(order))):
            by_index = dict(zip(reversed(order), values))
            yield tuple(by_index[index] for index in range(len(order)))

    @property
    def number_formula(self):
        """The formula of :meth:`number` as text, such as ``(y * X + x) * m + id``."""
        names = [self.fields[index].name for index in self.number_order]
        sizes = [self.fields[index].size for index in self.number_order]
        text = names[-1]
        for name, size in zip(names[-2::-1], sizes[-2::-1]):
            text = f"({text}) * {size} + {name}" if " " in text else f"{text} * {size} + {name}"
        return text

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
                row = {
                    "id": own,
                    "output": port.index,
                    "kind": port.kind,
                    "level": None,
                    "offset": offset,
                    "to_id": there,
                }
                rows.append(row)
        return rows

    def contains(self, switch):
        """Whether ``switch`` is a switch of this network."""
        return len(switch) == len(self.fields) and all(
            0 <= value < field.size for value, field in zip(switch, self.fields)
        )

    def number(self, switch):
        """Flat number of a switch, ``0..nodes-1``."""
        total = 0
        for index in reversed(self.number_order):
            total = total * self.fields[index].size + switch[index]
        return total

    def switch(self, number):
        """Inverse of :meth:`number`."""
        values = [0] * len(self.fields)
        for index in self.number_order:
            number, values[index] = divmod(number, self.fields[index].size)
        return tuple(values)

    def parse_switch(self, text):
        """The switch spelt as its fields with commas between them, such as ``3,5,7``.

        Raises :class:`ValueError` if the spelling is wrong or a field is out of range.
        """
        if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text) or text.count(",") != len(self.fields) - 1:
            form = ",".join(field.name for field in self.fields)
            raise ValueError(f"Node address must have the form {form}, not {text!r}")
        values = tuple(map(int, text.split(",")))
        for field, value in zip(self.fields, values):
            integer(f"Field {field.name} of node {text}", value, 0, field.size - 1)
        return values

    @staticmethod
    def spell_switch(switch):
        """The text that :meth:`parse_switch` accepts."""
        return ",".join(map(str, switch))

    @property
    def link_count(self):
        """Number of :meth:`links`."""
        found = self.representatives()
        ends = sum(len(self.links_of(switch)) for switch in found)
        return ends * self.nodes // len(found) // 2

    def links(self):
        """Every link once, as :class:`Link`. The end with the lower number, then with the lower port, is the source."""
        for switch in self.switches():
            for port, end in self.links_of(switch):
                if (self.number(switch), port.index) <= (self.number(end[0]), end[1]):
                    yield Link(switch, port.index, *end)

    def key(self, own, destination, kind="absolute"):
        """Table key of ``destination`` at ``own``: its fields by :meth:`key_rule`, the first in the most significant bits."""
        key = 0
        for axis, (_, width) in enumerate(self.key_fields(kind)):
            key = key << width | self.key_coordinate(axis, kind, own[axis], destination[axis])
        return key

    def key_fields(self, kind="absolute"):
        """``[(name, bits)]`` of a key, the most significant field first."""
        longer = ("padded", "folded")
        return [(at.name, at.width + (at.width > 0 and self.key_rule(at, kind) in longer)) for at in self.fields]

    def key_rule(self, field, kind):
        """How :meth:`key` writes an address field: ``absolute``, its value at the destination. For other kinds of :attr:`keys`:

        ``relative``
            The forward distance ``(destination - own) mod size`` (D Fig. 4.12(b)).
        ``padded``
            A bit 0, then the forward distance.
        ``folded``
            Bit 0 and the forward distance, or bit 1 and the backward distance in reverse order of bits if that is less. The
            *trailing* one of a backward distance decides in a DSN, which only the reversed word has at the front.
        """
        return KEYS[0]

    def key_coordinate(self, axis, kind, own, destination):
        """The field of :meth:`key` for value ``destination`` of field ``axis`` at a switch whose field has the value ``own``."""
        field = self.fields[axis]
        rule = self.key_rule(field, kind)
        if rule == KEYS[0]:
            return destination
        distance = (destination - own) % field.size
        if rule != "folded" or 2 * distance <= field.size:
            return distance
        return 1 << field.width | int(format(field.size - distance, f"0{field.width}b")[::-1], 2)

    def key_width(self, kind="absolute"):
        """Bits of a key."""
        return sum(width for _, width in self.key_fields(kind))
