"""The switch core: input channels, routing, allocation and crossbar."""

from itertools import combinations

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core import source_route, two_stage
from dsnswitch.hdl.core.arrival import EVENTS, Arrival
from dsnswitch.hdl.core.input_channel import InputChannel
from dsnswitch.hdl.core.network_arbiter import service_layout
from dsnswitch.hdl.core.output_port import Allocator, CrossbarColumn
from dsnswitch.hdl.core.packet import FlitLink, choice_of, tagged_layout
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.core.shared_buffer import SharedBuffer
from dsnswitch.hdl.core.source_route import PortLoad
from dsnswitch.hdl.core.two_stage import OutputLoad
from dsnswitch.hdl.logic.wiring import connect_ports


class CreditStalls(wiring.Component):
    """States for each channel of an output whether a packet waits for credits. Latency 3 cycles from the cycle of the wait.

    A packet waits for credits in a cycle in which its head is in front of an input channel and asks for an output channel that no
    other packet holds, but whose receiver cannot take a longest packet, or one flit if the packet has one flit. The flits after
    a head never wait for credits; in a ring with bubbles they may, which is not shown, and a head waits for as many credits as
    :class:`Allocator` states.

    All inputs are registers of the core or go to a register here, so that the core's clock period stays as it is: credits and
    packets of the output are counted again from its link.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The output.
    sources : int
        Input channels.

    Members
    -------
    - waits (In(sources)): In the cycle before, the flit in front of the input channel was a head and stayed.
    - front (In(vectors ``asks`` and ``single``, and one ``channel`` per channel)): Of the flit in front of each input channel
      now: whether its packet goes to this output, has one flit, and on which channel.
    - valid, tail (In(channels), In(1)): A flit leaves on the link; it is a tail.
    - credit (In(channels)): Credits that the receiver returns.
    - stalled (Out(channels)): A packet waits for credits; registered.
    """

    def __init__(self, shape, port, sources):
        self._depth, self._packet, self._ring = shape.depth, shape.packet, shape.ring_sources(port)
        channels = data.ArrayLayout(sources, port.channels)
        front = data.StructLayout({"asks": sources, "single": sources, "channel": channels})
        super().__init__(
            {
                "waits": In(sources),
                "front": In(front),
                "valid": In(port.channels),
                "tail": In(1),
                "credit": In(port.channels),
                "stalled": Out(port.channels),
            }
        )

    def elaborate(self, platform):
        m = Module()
        returned = Signal.like(self.credit)
        m.d.sync += returned.eq(self.credit)
        for c, stalled in enumerate(self.stalled):
            long_waits = Signal(name=f"long_waits_{c}")
            single_waits = Signal(name=f"single_waits_{c}")
            asks = Signal(len(self.waits), name=f"asks_{c}")
            m.d.comb += asks.eq(self.waits & self.front.asks & self.front.channel[c])
            enters = asks & ~Const(1 << self._ring[c], len(asks)) if self._ring else asks
            m.d.sync += [long_waits.eq((enters & ~self.front.single).any()), single_waits.eq((enters & self.front.single).any())]
            held = Signal(name=f"held_{c}")
            left = Signal(range(self._depth + 1), init=self._depth, name=f"left_{c}")
            # As in the core, a credit too many leaves the count where it is.
            full = left == self._depth
            up = Signal(name=f"up_{c}")
            m.d.comb += up.eq(returned[c] & ~(full & ~self.valid[c]))
            with m.If(self.valid[c] & ~up):
                m.d.sync += left.eq(left - 1)
            with m.Elif(up & ~self.valid[c]):
                m.d.sync += left.eq(left + 1)
            with m.If(self.valid[c]):
                m.d.sync += held.eq(~self.tail)
            few = left < self._packet
            lacks = long_waits & few | single_waits & ~left.any()
            if self._ring:
                ring_waits = Signal(name=f"ring_waits_{c}")
                m.d.sync += ring_waits.eq(asks[self._ring[c]])
                lacks = long_waits & (left <= self._packet) | single_waits & (left <= 1) | ring_waits & ~left.any()
            m.d.sync += stalled.eq(~held & lacks)
        return m


class SwitchCore(wiring.Component):
    """Input-buffered switch with virtual channels. Head latency 2 cycles at zero load, one flit per port and cycle.

    Cycle 1: the header of an arriving flit is checked and routed, and its channel asks for the output; the allocator's grant and
    the flit are registered. Cycle 2: the crossbar moves the flit to the output register. Each input channel has a crossbar
    input of its own, so channels of one port do not wait for each other. Switching is virtual cut-through: a head leaves only
    if the receiver has space for the whole packet, unless it goes on in a ring with bubbles (:class:`Allocator`).

    Parameters
    ----------
    shape : CoreShape
    observed : bool
        With the outputs ``credit_stalls`` and ``empty``.

    Members
    -------
    - own, .. (In): Own address and other inputs of the routing logic that no packet brings.
    - <port>.rx, <port>.tx (In, Out(FlitLink)): Flits that arrive and leave, with their credits. ``<port>`` is the name of a
      :class:`CorePort`.
    - <port>.confirmed (In(1)): At ports that speculate (:meth:`CoreShape.speculates`): the flit on ``rx`` counts. It may come
      late in the cycle: only registers wait for it. A flit that does not count leaves no trace, but for a cycle in which the
      output for which it asked takes no other head.
    - service_<port> (In(service_layout)): With free weights: weights and levels of virtual networks at the output.
    - <port>.stall (In(1)): The link of the port cannot take flits now. Flits may leave for two more cycles after the one in
      which it rises.
    - bad_header, invalid, no_route, expired, u_turn, bad_length, stray (Out(ports)): Events of each port's :class:`Arrival`,
      one pulse each, registered.
    - credit_stalls.<port> (Out(channels)): With ``observed``: packets wait for credits of the output, as in
      :class:`CreditStalls`.
    - empty.<port> (Out(channels)): With ``observed``: the input buffer of a channel holds no flit.
    """

    def __init__(self, shape: CoreShape, observed=False):
        self.shape, self._observed = shape, observed
        self._arrivals = [Arrival(shape, port) for port in shape.ports]
        self._inputs = self._arrivals[0].inputs
        # After a register of the routing, flits are confirmed.
        self._speculates = shape.speculative and not self._arrivals[0].latency
        members = dict(self._inputs)
        for port in shape.ports:
            link = FlitLink(shape, port)
            more = {"confirmed": In(1)} if shape.speculates(port) else {}
            members[port.name] = Out(wiring.Signature({"rx": In(link), "tx": Out(link), "stall": In(1), **more}))
        if observed:
            of_ports = wiring.Signature({port.name: Out(port.channels) for port in shape.ports})
            members |= {"credit_stalls": Out(of_ports), "empty": Out(of_ports)}
        members |= {name: In(service_layout(shape.virtual_networks)) for name in shape.service_inputs}
        super().__init__(members | {name: Out(len(shape.ports)) for name in EVENTS})

    #: The core has registers, whatever its latency.
    clocked = True

    @property
    def latency(self):
        """Cycles from a head at an input to the same head at an output, at zero load; with digits, at least 3 from a host."""
        return 2 + self._arrivals[0].latency

    def elaborate(self, platform):
        m = Module()
        shape = self.shape
        channels, unconfirmed = [], []
        for port, arrival in zip(shape.ports, self._arrivals):
            m.submodules[f"{port.name}_arrival"] = arrival
            connect_ports(m, self, arrival, self._inputs)
            rx = getattr(self, port.name).rx
            m.d.comb += [arrival.valid.eq(rx.valid), arrival.flit.eq(rx.flit)]
            if not port.is_host:
                m.d.comb += arrival.in_port.eq(1 << port.index)
            if shape.speculates(port):
                m.d.comb += arrival.confirmed.eq(getattr(self, port.name).confirmed)
            speculative = self._speculates and shape.speculates(port)
            own = []
            for v in range(port.channels):
                channel = InputChannel(shape, port, speculative, port.virtual_network_of(v))
                m.submodules[f"{port.name}_channel_{v}"] = channel
                if speculative:
                    m.d.comb += channel.confirmed.eq(getattr(self, port.name).confirmed)
                unconfirmed.append(channel.unconfirmed if speculative else Const(0, 1))
                m.d.comb += [
                    channel.valid.eq(arrival.into[v]),
                    channel.begins.eq(arrival.begins[v]),
                    channel.continues.eq(arrival.continues[v]),
                ]
                connect_ports(m, arrival, channel, ("entry", "single", "tail"))
                m.d.sync += rx.credit[v].eq(channel.credit)
                own.append(channel)
            self._share(m, port, own)
            channels += own
        for name in EVENTS:
            m.d.sync += getattr(self, name).eq(Cat(getattr(arrival, name) for arrival in self._arrivals))
        allocators = [self._output(m, number, port, channels, unconfirmed) for number, port in enumerate(shape.ports)]
        for number, channel in enumerate(channels):
            m.d.comb += channel.granted.eq(Cat(allocator.grant[number] for allocator in allocators))
        if shape.is_adaptive:
            for virtual_network in range(shape.virtual_networks):
                free = Cat(
                    allocator.free[share.first : share.first + share.channels]
                    for port, allocator in zip(shape.ports, allocators)
                    for share in [port.shares[virtual_network]]
                    if not port.is_host
                )
                m.d.comb += [channels[place].free.eq(free) for place in shape.sources_of(virtual_network)]
        if shape.has_bubbles:
            paused = Signal(range(shape.ring_pause))
            resume = Signal()
            m.d.sync += [paused.eq(paused + 1), resume.eq(paused.all())]
            m.d.comb += [allocator.resume.eq(resume) for allocator in allocators if allocator.ring]
        if shape.age:
            self._age(m, channels, allocators)
        if shape.has_digits or shape.is_ugal:
            loads = self._loads(m, channels)
            hosts = [arrival for port, arrival in zip(shape.ports, self._arrivals) if port.is_host]
            m.d.comb += [arrival.load[number].eq(load) for arrival in hosts for number, load in enumerate(loads)]
        if self._observed:
            self._observe(m, channels)
        return m

    def _age(self, m, channels, allocators):
        """Make waiting heads older from time to time, and rank the input channels by the age of their next flit."""
        waited = Signal(range(self.shape.age_unit))
        ages = Signal()
        m.d.sync += [waited.eq(waited + 1), ages.eq(waited.all())]
        above, below = [], []
        for virtual_network in range(self.shape.virtual_networks):
            for one, other in combinations((channels[place] for place in self.shape.sources_of(virtual_network)), 2):
                above.append(one.age > other.age)
                below.append(one.age < other.age)
        ranks = {name: Signal(len(bits), name=name) for name, bits in (("above", above), ("below", below))}
        m.d.comb += [ranks["above"].eq(Cat(above)), ranks["below"].eq(Cat(below))]
        m.d.comb += [channel.ages.eq(ages) for channel in channels]
        for allocator in allocators:
            m.d.comb += [getattr(allocator, name).eq(bits) for name, bits in ranks.items()]

    def _loads(self, m, channels):
        """The load of each output, 0 for hosts."""
        found, ugal = [], self.shape.is_ugal
        for number, port in enumerate(self.shape.ports):
            if port.is_host:
                found.append(Const(0, (two_stage if ugal else source_route).load_width(self.shape)))
                continue
            tx = getattr(self, port.name).tx
            m.submodules[f"{port.name}_load"] = load = (OutputLoad if ugal else PortLoad)(self.shape, port)
            m.d.comb += [load.sent.eq(tx.valid.any()), load.credit.eq(tx.credit)]
            if ugal:
                m.d.comb += load.waits.eq(Cat(channel.waits & channel.route[number] for channel in channels))
            found.append(load.load)
        return found

    def _share(self, m, port, channels):
        """Join the channels of each virtual network of a port to their shared RAM, if they have one."""
        for number, share in enumerate(port.shares):
            if words := self.shape.pool_of(port, number):
                several = f"_{number}" if len(port.shares) > 1 else ""
                shared = SharedBuffer(tagged_layout(self.shape), share.channels, words)
                m.submodules[f"{port.name}_shared{several}"] = shared
                self._join(m, shared, [channels[v] for v in share.range])

    @staticmethod
    def _join(m, shared, channels):
        """Join channels to a shared RAM."""
        m.d.comb += shared.entry.eq(channels[0].entry)
        for v, channel in enumerate(channels):
            m.d.comb += [
                shared.writes[v].eq(channel.writes),
                shared.wants[v].eq(channel.wants),
                shared.filled[v].eq(channel.filled_now),
                shared.single[v].eq(channel.single_now),
                channel.reads.eq(shared.reads[v]),
                channel.word.eq(shared.word),
            ]

    def _output(self, m, number, port, channels, unconfirmed):
        """The allocator and the crossbar's column of one output; returns the allocator."""
        shape, tx = self.shape, getattr(self, port.name).tx
        m.submodules[f"{port.name}_allocator"] = allocator = Allocator(shape, port, len(channels), self._speculates)
        if self._speculates:
            m.d.comb += allocator.unconfirmed.eq(Cat(unconfirmed))
        if shape.free_weights:
            m.d.comb += allocator.service.eq(getattr(self, f"service_{port.name}"))
        m.submodules[f"{port.name}_column"] = column = CrossbarColumn(shape, port, len(channels))
        for v, channel in enumerate(channels):
            asks, path = channel.asks, channel.path
            requests, front = allocator.requests, allocator.front
            for to, start in ((requests.waiting, asks.waiting), (requests.entry, asks.entry)):
                m.d.comb += [
                    to.taken[v].eq(start.taken),
                    to.head[v].eq(start.head[number]),
                    to.single[v].eq(start.single),
                    *self._on_channels(port, to.channel, v, start.channel),
                ]
            m.d.comb += [
                requests.body[v].eq(asks.body[number]),
                front.tail[v].eq(path.tail),
                front.drop[v].eq(path.drop),
                *self._on_channels(port, front.channel, v, path.channel),
                column.front[v].eq(channel.front),
                allocator.ends[v].eq(channel.last),
            ]
        m.d.comb += [
            allocator.credit.eq(tx.credit),
            allocator.stall.eq(getattr(self, port.name).stall),
            column.grant.eq(allocator.grant),
            column.sent.eq(allocator.sent),
            tx.valid.eq(column.valid),
            tx.flit.eq(column.flit),
        ]
        return allocator

    def _on_channels(self, port, to, source, choices):
        """Assign to bit ``source`` of each channel of ``port`` whether an input channel has chosen it.

        Its virtual network has only these channels: here packets stay in their virtual network.
        """
        number, v = self.shape.sources[source]
        share = port.shares[self.shape.ports[number].virtual_network_of(v)]
        return [to[c][source].eq(bit) for c, bit in zip(share.range, choice_of(self.shape, share, choices))]

    def _observe(self, m, channels):
        """The packets that wait for credits of each output, and which buffers are empty."""
        waits = Signal(len(channels))
        m.d.sync += waits.eq(Cat(channel.waits for channel in channels))
        for (number, v), channel in zip(self.shape.sources, channels):
            m.d.comb += getattr(self.empty, self.shape.ports[number].name)[v].eq(channel.empty)
        for number, port in enumerate(self.shape.ports):
            stalls, tx = CreditStalls(self.shape, port, len(channels)), getattr(self, port.name).tx
            m.submodules[f"{port.name}_credit_stalls"] = stalls
            for v, channel in enumerate(channels):
                m.d.comb += [
                    stalls.front.asks[v].eq(channel.route[number]),
                    stalls.front.single[v].eq(channel.path.tail),
                    *self._on_channels(port, stalls.front.channel, v, channel.path.channel),
                ]
            m.d.comb += [
                stalls.waits.eq(waits),
                stalls.valid.eq(tx.valid),
                stalls.tail.eq(tx.flit.tail),
                stalls.credit.eq(tx.credit),
                getattr(self.credit_stalls, port.name).eq(stalls.stalled),
            ]


def state_of(shape, port, prefix=""):
    """The registers that show the state of a port of a core, by their names in the emitted modules, as the manifest has them."""
    unit = f"{prefix}{port.name}"
    choices = []
    for share in port.shares:
        first = shape.selections[share.classes, share.spread] if share.channels > 1 else None
        choices.append({} if first is None else {"choice_bits": [first, first + share.channels - 1]})
    several = [{"first_channel": share.first, **one} for share, one in zip(port.shares, choices)]
    return {
        "port": port.name,
        "sent": f"{unit}_column.valid",
        **(choices[0] if len(choices) == 1 else {"virtual_networks": several}),
        "channels": [
            {
                "credits": f"{unit}_allocator.credits_{v}.left",
                "waits": f"{unit}_channel_{v}.store.front_valid",
                "route": f"{unit}_channel_{v}.route",
                "choice": f"{unit}_channel_{v}.path_channel",
            }
            for v in range(port.channels)
        ],
    }
