"""Parameters of a switch core and the ports and channels that follow from them. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from dsnswitch.net.checks import integer
from dsnswitch.net.files.options import CoreOptions, TableOptions
from dsnswitch.net.routing.registry import BUBBLE, CHOOSING, DETOUR, DIGITS, ROUTINGS, TWO_STAGE, UGAL, relation_of
from dsnswitch.net.topology.network import Network

#: Most virtual channels per class, and input channels of a core in a virtual network. An arbiter grows with the square of the
#: input channels.
MAX_SPREAD, MAX_SOURCES = 8, 80

#: Bits of the weight and of the level of a virtual network, and its greatest weight.
WEIGHT, LEVEL = 4, 3
MAX_WEIGHT = (1 << WEIGHT) - 1

#: The table of a core that has none, and of one whose options are the defaults.
USUAL_TABLE = TableOptions()


@dataclass(frozen=True)
class PortShare:
    """The virtual channels of a port that belong to one virtual network. They follow each other.

    Attributes
    ----------
    first : int
        The first of them.
    classes : int
        Virtual channel classes.
    spread : int
        Virtual channels per class.
    """

    first: int
    classes: int
    spread: int

    @property
    def channels(self):
        """Virtual channels of the virtual network at the port."""
        return self.classes * self.spread

    @property
    def range(self):
        """Their numbers at the port."""
        return range(self.first, self.first + self.channels)


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
    spreads : tuple of int
        Virtual channels per class in each virtual network. Packets of one flow take the same one, so that they stay in order.
    """

    name: str
    kind: str
    index: int
    classes: int
    spreads: tuple

    @cached_property
    def shares(self):
        """The :class:`PortShare` of each virtual network: those of network 0 are the lowest channels."""
        firsts = accumulate(self.spreads, initial=0)
        return tuple(PortShare(self.classes * first, self.classes, spread) for first, spread in zip(firsts, self.spreads))

    @property
    def channels(self):
        """Virtual channels of all virtual networks."""
        return self.classes * sum(self.spreads)

    def virtual_network_of(self, v):
        """The virtual network of channel ``v``."""
        return next(number for number, share in enumerate(self.shares) if v in share.range)

    def class_of(self, v):
        """The class of channel ``v``."""
        share = self.shares[self.virtual_network_of(v)]
        return (v - share.first) // share.spread

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
        Virtual channels per class by kind of port, 1, 2, 4 or 8; 1 for kinds that are not named. A number for all virtual
        networks, or a tuple of one for each.
    pool : dict or tuple
        Flits of the shared buffer of each port by kind of port, besides ``depth`` flits per channel; 0 for kinds that are not
        named. A number that virtual networks divide evenly, or a tuple of the share of each. No other virtual network uses a
        share. A virtual network with one channel at the port has a longer buffer instead.
    table : TableOptions
        With lookup ``table`` and ``forwarding``.
    routing : str
        Routing of the network, one of :data:`ROUTINGS` or :data:`CHOOSING`; another one than ``base`` with lookup by algorithm
        only. Or one of :data:`TWO_STAGE`, with lookup ``table`` and at least two turn classes.
    detour_classes : int or None
        With routing ``detour``: virtual channel classes of every port between switches. None means as many as every single
        failed link needs.
    sized : bool
        The network is the largest one, and its sizes are inputs of the universal core; with base routing of a DSN only.
    turns : int
        Turn classes of every port between switches, with lookup ``table`` in one layer (:mod:`~dsnswitch.net.routing.turns`).
    adaptive : bool
        An entry of the tables has a second port, with lookup ``table`` in one layer.
    weights, priorities : tuple of int
        How an output chooses among virtual networks (:class:`~dsnswitch.hdl.core.network_arbiter.NetworkArbiter`): weight and
        level of each; none if all are equal.
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
    adaptive: bool = False
    weights: tuple = ()
    priorities: tuple = ()

    def __post_init__(self):
        def put(name, value):
            object.__setattr__(self, name, value)

        super().__post_init__()
        hosts = self.network.most_hosts or 1 if self.hosts is None else self.hosts
        put("network", self.network.with_hosts(self.hosts))
        put("hosts", self.OPTIONS["hosts"].checked("hosts", hosts))
        names = (*ROUTINGS, *CHOOSING, *TWO_STAGE)
        if self.routing not in names:
            raise ValueError(f"Routing must be one of {', '.join(names)}, not {self.routing!r}")
        if self.is_two_stage:
            if not self.by_turns:
                raise ValueError(f"Routing {self.routing} is for lookup by table in one layer, not by {self.lookup}")
            integer(f"Turn classes of routing {self.routing}", self.turns, 2, 16)
        elif self.routing != ROUTINGS[0] and self.lookup != "algorithm":
            raise ValueError(f"Routing {self.routing} is for lookup by algorithm, not by {self.lookup}")
        if self.node is not None and not self.network.contains(self.node):
            raise ValueError(f"Node must be a switch of {self.network.spelling}, not {self.node!r}")
        if self.turns > 1 and not self.by_turns:
            raise ValueError(f"Turn classes (= {self.turns}) are for lookup by table in one layer")
        if self.adaptive and (self.lookup != "table" or self.layers > 1):
            raise ValueError("A choice of hops (adaptive) of tables is for lookup by table in one layer")
        for name, least, most in (("weights", 1, MAX_WEIGHT), ("priorities", 0, (1 << LEVEL) - 1)):
            values = getattr(self, name)
            if values and len(values) != self.virtual_networks:
                of = f"{self.virtual_networks} virtual network{'s' * (self.virtual_networks > 1)}"
                raise ValueError(f"{name} must have a number for each of {of}, not {'/'.join(map(str, values))}")
            for value in values:
                integer(name, value, least, most)
        put("priorities", self.priorities if len(set(self.priorities)) > 1 else ())
        least = max(self.packet, 2)
        depth = 2 * least if self.depth is None else self.depth
        # A packet that enters a ring leaves a flit free.
        least = max(least, self.packet + self.has_bubbles)
        of = f" with routing {BUBBLE}" if self.has_bubbles else ""
        put("depth", integer(f"Buffer depth for packets of {self.packet} flits{of}", depth, least, self.OPTIONS["depth"].high))
        spread = {kind: self._for_each("Channels", kind, value, max) for kind, value in dict(self.spread).items()}
        put("spread", tuple(sorted(spread.items())))
        kinds = {port.kind for port in self.network.ports} | {"host"}
        pool = {kind: self._for_each("Pool", kind, flits, sum) for kind, flits in dict(self.pool).items()}
        put("pool", tuple(sorted((kind, flits) for kind, flits in pool.items() if flits)))
        for kind, _ in (*self.spread, *self.pool):
            if kind not in kinds:
                raise ValueError(f"Kind of port must be one of {', '.join(sorted(kinds))}, not {kind!r}")
        several = self.virtual_networks > 1
        for kind in [kind for kind, _ in self.pool if self.has_bubbles and kind != "host"]:
            raise ValueError(f"Routing {BUBBLE} needs separate buffers at ports between switches, not a pool of {kind} ports")
        for kind, flits in self.pool:
            if isinstance(flits, int) and flits % self.virtual_networks:
                raise ValueError(f"{self.virtual_networks} virtual networks must divide the pool of {kind} ports, {flits} flits")
            of = " in a virtual network" if several else ""
            for share in {*self._pools(kind)} - {0}:
                integer(f"Pool of {kind} ports{of} for packets of {self.packet} flits", share, self.packet, 4096)
        for kind, _ in self.spread:
            for value in self._spreads(kind):
                if value not in (1, 2, 4, MAX_SPREAD):
                    raise ValueError(f"Channels per class of {kind} ports must be 1, 2, 4 or {MAX_SPREAD}, not {value!r}")
        for number in range(self.virtual_networks):
            of = f" in virtual network {number}" if several else ""
            integer(f"Virtual channels of all ports{of}", len(self.sources_of(number)), 1, MAX_SOURCES)

    def _for_each(self, what, kind, value, joined):
        """A number for all virtual networks, or a tuple of one for each; that which is ``joined`` of them if they are equal."""
        if not isinstance(value, tuple):
            return value
        if len(value) != self.virtual_networks:
            of = f"{self.virtual_networks} virtual network{'s' * (self.virtual_networks > 1)}"
            spelt = "/".join(map(str, value))
            raise ValueError(f"{what} of {kind} ports must be one number, or one for each of {of}, not {spelt}")
        return joined(value) if len(set(value)) == 1 else value

    def _spreads(self, kind):
        """Virtual channels per class of ports of a kind, in each virtual network."""
        value = dict(self.spread).get(kind, 1)
        return value if isinstance(value, tuple) else (value,) * self.virtual_networks

    def _pools(self, kind):
        """Flits of the pool of ports of a kind, of each virtual network."""
        value = dict(self.pool).get(kind, 0)
        return value if isinstance(value, tuple) else (value // self.virtual_networks,) * self.virtual_networks

    @property
    def service_inputs(self):
        """Names of the inputs with weights and levels of outputs, by the order of ports; none if these are constant."""
        return tuple(f"service_{port.name}" for port in self.ports) if self.free_weights else ()

    @property
    def virtual_network_bits(self):
        """Bits of the number of a virtual network in a header."""
        return (self.virtual_networks - 1).bit_length()

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
        """Most hops of a route: the bound of the relation. Routes of tables may pass every switch once."""
        network = self.network
        by_tables = self.lookup == "table" or (network.is_tabled and not network.routings)
        return (1 + self.is_two_stage) * (network.nodes - 1) if by_tables else self.relation.bound

    @property
    def by_turns(self):
        """Whether the class of a packet follows from its turns, by the ranks of tables."""
        return self.lookup == "table" and self.layers == 1

    @property
    def has_detours(self):
        """Whether packets make detours around dead ports."""
        return self.routing == DETOUR

    @property
    def has_bubbles(self):
        """Whether rings are kept free of deadlock by a free flit (:attr:`Relation.rings`)."""
        return self.routing == BUBBLE

    def ring_sources(self, port):
        """Of each channel of an output in such a ring: the place in :attr:`sources` of the input channel whose packets go on in
        the ring; none for other outputs. All others enter the ring."""
        entry = None if port.is_host or not self.has_bubbles else self.relation.rings.get(port.index)
        if entry is None:
            return ()
        number = next(number for number, one in enumerate(self.ports) if not one.is_host and one.index == entry)
        return tuple(self.sources.index((number, v)) for v in range(port.channels))

    @property
    def is_adaptive(self):
        """Whether packets choose among output ports."""
        return self.routing in CHOOSING or self.adaptive

    @property
    def has_digits(self):
        """Whether the source of a packet chooses the signs of its shortcuts."""
        return self.routing == DIGITS

    @property
    def is_two_stage(self):
        """Whether packets may go over another switch first."""
        return self.routing in TWO_STAGE

    @property
    def is_ugal(self):
        """Whether they do so by the load of the outputs."""
        return self.routing == UGAL

    @property
    def keeps_marked(self):
        """Whether only packets with the mark ``ordered`` stay in order."""
        return self.is_adaptive or self.is_two_stage

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
        found = [
            CorePort(port.name.replace(" ", "_"), port.kind, port.index, self.classes[port.kind], self._spreads(port.kind))
            for port in self.network.ports
            if self.node is None or self.network.neighbour(self.node, port.index) is not None
        ]
        found += [CorePort(f"host_{host}", "host", host, 1, self._spreads("host")) for host in range(self.host_ports)]
        return tuple(found)

    @cached_property
    def sources(self):
        """``(port number, channel)`` of every input channel, in the order of requests and grants."""
        return tuple((number, v) for number, port in enumerate(self.ports) for v in range(port.channels))

    def sources_of(self, virtual_network):
        """Places in :attr:`sources` of the input channels of a virtual network."""
        places = enumerate(self.sources)
        return tuple(place for place, (number, v) in places if self.ports[number].virtual_network_of(v) == virtual_network)

    @property
    def ring_pause(self):
        """Most cycles for which packets of a ring pause: a power of two, at least 64 longest packets, but at most 1,024."""
        return min(1 << (64 * self.packet - 1).bit_length(), 1024)

    @property
    def age_unit(self):
        """Cycles of waiting for each step of an age: a power of two, at least eight longest packets."""
        return 1 << (8 * self.packet - 1).bit_length()

    def speculates(self, port):
        """Whether flits are offered at a port before its link knows that they have no wrong bit."""
        return self.speculative and not port.is_host

    def pool_of(self, port, virtual_network=0):
        """Flits that the channels of a virtual network share at a port; 0 if it has one channel there."""
        return self._pools(port.kind)[virtual_network] if port.shares[virtual_network].channels > 1 else 0

    def limit_of(self, port, virtual_network=0):
        """Flits of the pool that one channel may use: seven eighths of it, and a longest packet at least."""
        pool = self.pool_of(port, virtual_network)
        return max(pool * 7 // 8, self.packet) if pool else 0

    def most(self, port, virtual_network=0):
        """Most flits of a channel of a port in a virtual network."""
        several = port.shares[virtual_network].channels > 1
        return self.depth + (self.limit_of(port, virtual_network) if several else self._pools(port.kind)[virtual_network])

    def storage(self, port):
        """Flits of all channels of a port."""
        return sum(
            self.pool_of(port, number) + share.channels * (self.depth if share.channels > 1 else self.most(port, number))
            for number, share in enumerate(port.shares)
        )

    @cached_property
    def selections(self):
        """``{(classes, spread): first bit}``: where a tag says which channel of such an output a packet takes.

        The channels are those of a virtual network at a port: a packet stays in its own, so its tag does not name it. A virtual
        network with one channel needs no choice and has no entry.
        """
        found, first = {}, 0
        for share in (share for port in self.ports for share in port.shares):
            key = (share.classes, share.spread)
            if share.channels > 1 and key not in found:
                found[key] = first
                first += share.channels
        return found

    @property
    def selection_width(self):
        """Bits of the one-hot channel choices of a tag."""
        return sum(classes * spread for classes, spread in self.selections)
