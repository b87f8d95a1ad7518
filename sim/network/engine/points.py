"""What a user asks a simulation for, and what it answers: points, traffic, statistics, errors."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Burst", "ClosedLoop", "Delivered", "NetworkStatistics", "NetworkStopped", "Point", "SimulationError", "Statistics"]


@dataclass(frozen=True)
class Burst:
    """Sources that alternate between bursts and silence.

    Both lengths are geometrically distributed. During a burst a source offers packets at such a rate that its mean load is that
    of the point, one flit per cycle at most.

    Attributes
    ----------
    on, off : float
        Mean length of a burst and of the silence between bursts, in cycles; at least 1.
    """

    on: float
    off: float

    @property
    def greatest(self) -> float:
        """Greatest mean load, in flits per host and cycle."""
        return self.on / (self.on + self.off)


@dataclass(frozen=True)
class ClosedLoop:
    """Hosts that answer requests, and take no request while their replies wait.

    Requests go in virtual network 0, replies in 1, or in 0 if there is one. A reply has as many flits as its request.

    Attributes
    ----------
    outstanding : int
        Most requests of a host that have no reply yet. With as many, it offers none.
    queue : int
        Replies that a host owes or has waiting at most. While it has as many, it takes no request from its buffers.
    delay : int
        Cycles from a request to its reply.
    """

    outstanding: int
    queue: int = 4
    delay: int = 20


@dataclass
class Point:
    """One network with its traffic. Several points run in one :class:`~dsnswitch.sim.network.engine.engine.Engine`.

    Hosts have the numbers ``switch number * hosts + host``, with the switch numbers of
    :meth:`~dsnswitch.net.topology.network.Network.number`.

    Attributes
    ----------
    load : float or array of float
        Flits that a host offers per cycle, 0 to 1: one number, or one per host.
    destinations : array of int or None
        Destination of each host's packets; -1 for a host that sends nothing. Default: every packet goes to a random other host.
    weights : array of float or None
        Instead of ``destinations``: probabilities of destinations, either one per host, the same for all sources, or one row per
        source. They are normalised, and a source never sends to itself.
    sources : array of bool or None
        With ``weights``: which hosts send. Default: all.
    lengths : dict or None
        ``{flits: probability}`` of packets. Default: every packet has as many flits as the longest.
    burst : Burst or None
        Bursts instead of independent packets.
    trace : array of int or None
        Instead of random traffic: rows ``cycle, source, destination, flits``. A packet enters its source queue in its cycle.
    payloads : sequence or None
        For each row of ``trace`` the data of its flits, as numbers of up to as many bits as a flit has; the header replaces the
        lowest bits of the first. Default: numbers that depend on source, packet and flit.
    seed : int
        Seed of the point's random numbers. A point depends on nothing but its own attributes, so it gives the same result
        whatever else runs in the same engine, and with any number of threads.
    delay : int or dict
        Registers on each link, 0 or more. With 0, the output register of one core drives the input of the next, so a hop takes
        the core's own latency of 2 cycles. A dictionary ``{(switch, port index): registers}`` states links one by one, in both
        directions; links that it does not name have 0.
    failed : sequence of (switch, port index)
        Links that are dead from the start. The core needs the input ``dead``.
    tables : Tables or None
        Of a core with lookup ``table`` or ``forwarding``: the tables of all switches, written before the first cycle, as
        :func:`~dsnswitch.sim.network.engine.lookup.tables_for` compiles them. With layers, sources write the layer of each packet
        into its header.
    lossy : bool
        Packets that a switch drops count as lost: their table has no live port, sends them back to where they came from, or has
        sent them in a circle until their hop count ended. So do packets that detours cannot deliver, which leave at host 0 of the
        switch where they are. Otherwise they raise a :class:`SimulationError`.
    errors : float
        Probability that a flit on a link between switches arrives with an error that the link cannot correct, at most 0.5. It is
        marked as a fabric port marks it: a head is dropped with its packet, which counts as lost; another flit becomes a tail
        with the mark *bad* that ends its packet, which counts as marked when it arrives.
    inputs : dict or callable
        Values of other constant inputs of the core, ``{port name: value}``, or a function that returns them for a switch.
    shares : sequence of float or None
        Of several virtual networks: the share of the packets in each. Default: equal shares.
    loop : ClosedLoop or None
        Hosts answer packets, and packets that they offer are requests. The core needs links that lose nothing.
    blocked : array of int or None
        Per host: the virtual networks of which it takes no packet, as bits of a number. Default: none.
    ordered : bool
        Check that packets between two hosts arrive in the order in which they were sent; with adaptive routing, only those of
        :attr:`in_order`.
    in_order : array of bool or None
        With adaptive routing, [switch of the source, switch of the destination]: the packets whose header has the bit
        ``ordered``. They take the path of minimal routing.
    log : bool
        Keep a record of every delivered packet for :meth:`~dsnswitch.sim.network.engine.engine.Engine.delivered`.
    """

    load: float | np.ndarray = 0.1
    destinations: np.ndarray | None = None
    weights: np.ndarray | None = None
    sources: np.ndarray | None = None
    lengths: dict | None = None
    burst: Burst | None = None
    trace: np.ndarray | list | None = None
    payloads: list | None = None
    seed: int = 1
    delay: int | dict = 0
    failed: tuple = ()
    tables: object = None
    lossy: bool = False
    errors: float = 0.0
    inputs: dict = field(default_factory=dict)
    shares: Sequence[float] | None = None
    loop: ClosedLoop | None = None
    blocked: np.ndarray | None = None
    ordered: bool = True
    in_order: np.ndarray | None = None
    log: bool = False


@dataclass
class NetworkStatistics:
    """What the packets of one virtual network have done; attributes as of :class:`Statistics`."""

    cycles: int
    hosts: int
    offered_packets: int
    offered_flits: int
    delivered_packets: int
    delivered_flits: int
    measured: int
    head: np.ndarray
    tail: np.ndarray
    queued_head: np.ndarray
    queued_tail: np.ndarray
    sums: dict
    greatest: dict

    @property
    def offered(self) -> float:
        """Offered load, in flits per host and cycle."""
        return self.offered_flits / max(1, self.cycles * self.hosts)

    @property
    def accepted(self) -> float:
        """Accepted load, in flits per host and cycle."""
        return self.delivered_flits / max(1, self.cycles * self.hosts)

    def mean(self, name: str = "tail") -> float:
        """Mean latency of a histogram; NaN without packets."""
        return self.sums[name] / self.measured if self.measured else float("nan")

    def quantile(self, share: float, name: str = "tail") -> float:
        """The least latency that at least ``share`` of the measured packets do not exceed; NaN without packets."""
        histogram = getattr(self, name)
        total = int(histogram.sum())
        if not total:
            return float("nan")
        place = int(np.searchsorted(np.cumsum(histogram), np.ceil(share * total - 1e-9)))
        return self.greatest[name] if place == len(histogram) - 1 else place


@dataclass
class Statistics(NetworkStatistics):
    """What a point has done since :meth:`~dsnswitch.sim.network.engine.engine.Engine.start_measuring`.

    Flits and packets count in the cycle in which the event happens. Latencies are those of *measured* packets: packets that were
    offered between the start and the end of measuring, whenever they arrive.

    Attributes
    ----------
    cycles : int
        Cycles from the start of measuring to its end, or until now.
    hosts : int
        Hosts of the network.
    offered_packets, offered_flits : int
        Entered the source queues.
    injected_packets, injected_flits : int
        Left the sources for the network.
    delivered_packets, delivered_flits : int
        Arrived at their destinations.
    head, tail : array of int
        Histogram of latencies in the network, by cycles: from the cycle in which the head flit is at the input of the first core
        to the cycle in which the head, or the tail, is at the output of the last. The last element counts all greater ones.
    queued_head, queued_tail : array of int
        The same, from the cycle in which the packet entered the source queue.
    sums : dict
        Exact sums of latencies by the names of the four histograms, for means.
    greatest : dict
        Greatest latencies by the names of the four histograms.
    hops : array of int
        Histogram of the switches that measured packets have passed.
    measured, missing : int
        Measured packets that have arrived, and that have not arrived yet.
    marked : int
        Measured packets that have arrived with the mark *bad*. They have no latency.
    lost : dict
        Measured packets that were lost, by cause: ``link``, an error hit the head; ``no_route``, ``expired``, ``u_turn``,
        ``undeliverable``, as :attr:`Point.lossy` describes.
    lost_flits : int
        Flits of all packets that were lost since the start of measuring.
    longest_wait : int
        Longest time, in cycles rounded down to a multiple of 16, for which an input buffer held flits and sent none.
    link_flits : array of int
        ``[switch, port index]``: flits that left each switch by each port to another switch.
    source_flits, destination_flits : array of int
        Per host: delivered flits by their source and by their destination.
    fill : array of float
        ``[port, channel]``: mean number of flits in the input buffer of a channel, averaged over switches and sampled cycles;
        ports in the order of the manifest's ``core_ports``. NaN for a channel that the port does not have.
    virtual_networks : list of NetworkStatistics
        Of each virtual network, if there are several.
    """

    injected_packets: int
    injected_flits: int
    hops: np.ndarray
    missing: int
    link_flits: np.ndarray
    source_flits: np.ndarray
    destination_flits: np.ndarray
    fill: np.ndarray
    marked: int = 0
    lost_flits: int = 0
    longest_wait: int = 0
    lost: dict = field(default_factory=dict)
    virtual_networks: list[NetworkStatistics] = field(default_factory=list)


#: Packets of a log. ``offered``, ``injected``, ``head``, ``tail`` are cycles: the packet enters the source queue, its head is at
#: the input of the first core, its head and its tail are at the output of the last core. ``row`` is the row of the trace; without
#: a trace, the number of the packet among those of its source.
Delivered = np.dtype(
    [
        ("source", "u4"),
        ("destination", "u4"),
        ("flits", "u4"),
        ("hops", "u4"),
        ("offered", "u8"),
        ("injected", "u8"),
        ("head", "u8"),
        ("tail", "u8"),
        ("row", "u8"),
    ]
)


class SimulationError(RuntimeError):
    """A switch has broken a promise. The message has cycle, switch and packet.

    Attributes
    ----------
    cycle, point : int
    switch : tuple
    """

    def __init__(self, message, cycle, point, switch):
        super().__init__(message)
        self.cycle, self.point, self.switch = cycle, point, switch


class NetworkStopped(SimulationError):
    """Packets are in the network, and no flit has moved for :data:`~dsnswitch.sim.network.engine.engine.PATIENCE` cycles.

    Attributes
    ----------
    channels : list of (switch number, port, channel)
        Input buffers that wait for each other, as :func:`~dsnswitch.sim.network.engine.stopped.waiting_cycle` returns them.
    """

    def __init__(self, message, cycle, point, switch, channels=()):
        super().__init__(message, cycle, point, switch)
        self.channels = list(channels)
