"""Parameters of a switch core and the ports and channels that follow from them. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from dsnswitch.net.checks import integer
from dsnswitch.net.files.options import CoreOptions, TableOptions
from dsnswitch.net.routing.registry import CHOOSING, DETOUR, DIGITS, ROUTINGS, relation_of
from dsnswitch.net.topology.network import Network

#: Most virtual channels per class, and input channels of a core. An arbiter grows with the square of the input channels.
MAX_SPREAD, MAX_SOURCES = 8, 72

#: The table of a core that has none, and of one whose options are the defaults.
USUAL_TABLE = TableOptions()


@dataclass(frozen=True)
class CorePort:
    """One full-duplex port of a core.

    Attributes
    ----------
    name : str
        Prefix of its Verilog ports.
    kind : str
        Kind of the network's port, or ``host``.
    index : int
        Index among the network's ports, or number of the host.
    classes : int
        Virtual channel classes.
    spread : int
        Virtual channels per class. Packets of one flow take the same one, so that they stay in order.
    """

    name: str
    kind: str
    index: int
    classes: int
    spread: int

    @property
    def channels(self):
        """Virtual channels: channel ``v`` belongs to class ``v // spread``."""
        return self.classes * self.spread

    @property
    def is_host(self):
        """Whether a host is attached, and not another switch."""
        return self.kind == "host"


@dataclass(frozen=True)
class CoreShape(CoreOptions):
    """Parameters of a switch core: the :class:`~dsnswitch.net.files.options.CoreOptions`, and the following.

    Parameters
    ----------
    network : Network
        The network that the core is a switch of.
    node : tuple of int or None
        Specialised core of this switch, with the ports that have a link; None for the universal core.
    spread : dict or tuple
        Virtual channels per class by kind of port, 1, 2, 4 or 8; 1 for kinds that are not named.
    pool : dict or tuple
        Flits of the shared buffer of each port by kind of port, besides ``depth`` flits per channel; 0 for kinds that are not
        named. A port with one channel has a longer buffer instead.
    table : TableOptions
        With lookup ``table`` and ``forwarding``.
    routing : str
        Routing of the network, one of :data:`ROUTINGS` or :data:`CHOOSING`; another one than ``base`` with lookup by algorithm
        only.
    detour_classes : int or None
        With routing ``detour``: virtual channel classes of every port between switches. None means as many as every single
        failed link needs.
    sized : bool
        The network is the largest one, and its sizes are inputs of the universal core; with base routing of a DSN only.
    turns : int
        Turn classes of every port between switches, with lookup ``table`` in one layer (:mod:`~dsnswitch.net.routing.turns`).
    speculative : bool
        Ports to other switches take flits before it is known whether they count (:meth:`speculates`).
    """

    network: Network
    node: tuple | None = None
    spread: tuple = ()
    pool: tuple = ()
    table: TableOptions = USUAL_TABLE
    routing: str = ROUTINGS[0]
    detour_classes: int | None = None
    sized: bool = False
    speculative: bool = False
    turns: int = 1

    def __post_init__(self):
        def put(name, value):
            object.__setattr__(self, name, value)

        super().__post_init__()
        hosts = self.network.most_hosts or 1 if self.hosts is None else self.hosts
        put("network", self.network.with_hosts(self.hosts))
        put("hosts", self.OPTIONS["hosts"].checked("hosts", hosts))
        if self.routing not in (*ROUTINGS, *CHOOSING):
            raise ValueError(f"Routing must be one of {', '.join((*ROUTINGS, *CHOOSING))}, not {self.routing!r}")
        if self.routing != ROUTINGS[0] and self.lookup != "algorithm":
            raise ValueError(f"Routing {self.routing} is for lookup by algorithm, not by {self.lookup}")
        if self.node is not None and not self.network.contains(self.node):
            raise ValueError(f"Node must be a switch of {self.network.spelling}, not {self.node!r}")
        if self.turns > 1 and (self.lookup != "table" or self.layers > 1):
            raise ValueError(f"Turn classes (= {self.turns}) are for lookup by table in one layer")
        least = max(self.packet, 2)
        depth = 2 * least if self.depth is None else self.depth
        put("depth", integer(f"Buffer depth for packets of {self.packet} flits", depth, least, self.OPTIONS["depth"].high))
        put("spread", tuple(sorted(dict(self.spread).items())))
        kinds = {port.kind for port in self.network.ports} | {"host"}
        put("pool", tuple(sorted((kind, flits) for kind, flits in dict(self.pool).items() if flits)))
        for kind, _ in (*self.spread, *self.pool):
            if kind not in kinds:
                raise ValueError(f"Kind of port must be one of {', '.join(sorted(kinds))}, not {kind!r}")
        for kind, flits in self.pool:
            integer(f"Pool of {kind} ports for packets of {self.packet} flits", flits, self.packet, 4096)
        for kind, value in self.spread:
            if value not in (1, 2, 4, MAX_SPREAD):
                raise ValueError(f"Channels per class of {kind} ports must be 1, 2, 4 or {MAX_SPREAD}, not {value!r}")
        integer("Virtual channels of all ports", len(self.sources), 1, MAX_SOURCES)

    @cached_property
    def host_ports(self):
        """Host ports of the core: those of its switch, or of the switch with the most."""
        return self.hosts if self.node is None else self.network.host_ports(self.node, self.hosts)

    @property
    def relation(self):
        """The routing of the network."""
        return relation_of(self.network, self.routing, self.detour_classes)

    @property
    def most_hops(self):
        """Most hops of a route: the bound of the relation. Tables of a network without one may pass every switch once."""
        network = self.network
        by_tables = self.turns > 1 or (network.is_tabled and (self.lookup == "table" or not network.routings))
        return network.nodes - 1 if by_tables else self.relation.bound

    @property
    def has_detours(self):
        """Whether packets make detours around dead ports."""
        return self.routing == DETOUR

    @property
    def is_adaptive(self):
        """Whether packets choose among output ports."""
        return self.routing in CHOOSING

    @property
    def has_digits(self):
        """Whether the source of a packet chooses the signs of its shortcuts."""
        return self.routing == DIGITS

    @cached_property
    def classes(self):
        """Virtual channel classes of each kind of port of the network."""
        if self.lookup == "table":
            return {port.kind: max(self.layers, self.turns) for port in self.network.ports}
        # Packets that follow tables have a class of their own, so that they never wait for packets of the algorithm.
        more = int(self.lookup == "forwarding")
        return {kind: number + more for kind, number in self.relation.classes.items()}

    @cached_property
    def ports(self):
        """Every port of the core, as :class:`CorePort`: those of the network, then the hosts."""
        spread = dict(self.spread)
        found = [
            CorePort(port.name.replace(" ", "_"), port.kind, port.index, self.classes[port.kind], spread.get(port.kind, 1))
            for port in self.network.ports
            if self.node is None or self.network.neighbour(self.node, port.index) is not None
        ]
        found += [CorePort(f"host_{host}", "host", host, 1, spread.get("host", 1)) for host in range(self.host_ports)]
        return tuple(found)

    @cached_property
    def sources(self):
        """``(port number, channel)`` of every input channel, in the order of requests and grants."""
        return tuple((number, v) for number, port in enumerate(self.ports) for v in range(port.channels))

    @property
    def age_unit(self):
        """Cycles of waiting for each step of an age: a power of two, at least eight longest packets."""
        return 1 << (8 * self.packet - 1).bit_length()

    def speculates(self, port):
        """Whether flits are offered at a port before its link knows that they have no wrong bit."""
        return self.speculative and not port.is_host

    def pool_of(self, port):
        """Flits that the channels of a port share; 0 for a port with one channel."""
        return dict(self.pool).get(port.kind, 0) if port.channels > 1 else 0

    def limit_of(self, port):
        """Flits of the pool that one channel may use: seven eighths of it, and a longest packet at least."""
        return max(self.pool_of(port) * 7 // 8, self.packet) if self.pool_of(port) else 0

    def most(self, port):
        """Most flits of a channel of a port."""
        return self.depth + (self.limit_of(port) if port.channels > 1 else dict(self.pool).get(port.kind, 0))

    def storage(self, port):
        """Flits of all channels of a port."""
        return self.pool_of(port) + port.channels * (self.depth if port.channels > 1 else self.most(port))

    @cached_property
    def selections(self):
        """``{(classes, spread): first bit}``: where a tag says which channel of such an output a packet takes.

        A port with one channel needs no choice and has no entry.
        """
        found, first = {}, 0
        for port in self.ports:
            key = (port.classes, port.spread)
            if port.channels > 1 and key not in found:
                found[key] = first
                first += port.channels
        return found

    @property
    def selection_width(self):
        """Bits of the one-hot channel choices of a tag."""
        return sum(classes * spread for classes, spread in self.selections)
