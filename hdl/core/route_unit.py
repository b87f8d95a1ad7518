"""Routing of the packets that arrive at one port: the output port, and the virtual channel of each kind of output."""

from dataclasses import asdict
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.forwarding import Forwarding
from dsnswitch.hdl.core.packet import Header, flow_of, tag_layout
from dsnswitch.hdl.core.source_route import SourceRoute
from dsnswitch.hdl.core.two_stage import TwoStageSource
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.contract import Question
from dsnswitch.hdl.routing.gateware import route_logic


def routing_logic(shape):
    """A fresh component that finds the output port: the same for every port of the core, but for hosts whose packets choose."""
    if shape.lookup == "algorithm":
        options = {"classes": shape.detour_classes, "sized": shape.sized}
        return route_logic(shape.network, shape.node, register=shape.register, routing=shape.routing, **options)
    layers = shape.layers if shape.lookup == "table" else None
    return Forwarding(shape.network, shape.node, layers=layers, turns=shape.turns, adaptive=shape.adaptive, **asdict(shape.table))


class RouteUnit(wiring.Component):
    """From a header to a tag. Latency that of the routing logic; one packet per cycle.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        Where the packets arrive.

    Members
    -------
    - own, .. (In): Own address and other inputs of the routing logic that no packet brings.
    - in_port (In): Port on which the packets arrive, one-hot, constant. Not at a host.
    - asked (In(Header.layout)): Header of a packet.
    - asks, load: At a host with digits, as of :class:`SourceRoute`.
    - header (In(Header.layout)): Header of the packet that was asked for ``latency`` cycles ago.
    - channel (In(channels)): One-hot input channel.
    - tag (Out(tag_layout)): Output port, one-hot or 0, and channels.
    - invalid (Out(1)): The destination does not exist.
    - no_route (Out(1)): It exists, and no port leads there.
    - u_turn (Out(1)): The packet would leave by the port on which it came, and may not. A packet that may is one to a host, one
      that takes a local detour, and one that follows tables from this switch on.
    - by_table (Out(1)): The packet follows tables from here on.
    - state (Out): Bits of the header that the routing writes; 0 on the way to a host.
    - undeliverable (Out(1)): No port leads on, and the packet goes to host 0 of this switch.

    An output that the routing logic does not have, as its :class:`Answer` states, has no bits.
    """

    def __init__(self, shape, port):
        # Not the port: the units of ports with equally many channels are equal.
        self._shape, self._is_host = shape, port.is_host
        self._classes = [port.class_of(v) for v in range(port.channels)]
        self._chooses = port.is_host and (shape.has_digits or shape.is_two_stage)
        self._travels = shape.is_two_stage and not port.is_host
        self._logic = logic = self._source() if self._chooses else routing_logic(shape)
        own = (*Question.PACKET, *getattr(logic, "MORE", ()))
        #: ``{name: member}`` of what the routing logic takes and no packet brings.
        self.inputs = {name: member for name, member in logic.signature.members.items() if member.flow == In and name not in own}
        #: The port of arrival.
        self.place = {} if port.is_host else {"in_port": In(len(shape.network.ports))}
        #: The same of the members ``asks`` and ``load``.
        self.more = {name: member for name, member in logic.signature.members.items() if name in ("asks", "load")}
        super().__init__(
            self.inputs
            | self.place
            | self.more
            | {
                "asked": In(Header(shape).layout),
                "header": In(Header(shape).layout),
                "channel": In(port.channels),
                "tag": Out(tag_layout(shape)),
                "invalid": Out(1),
                "no_route": Out(1),
                "u_turn": Out(1),
                "by_table": Out(len(logic.by_table)),
                "state": Out(Header(shape).intermediate.size if self._travels else len(logic.out_state)),
                "undeliverable": Out(len(logic.undeliverable)),
            }
        )

    def _source(self):
        """The logic of a port to a host whose packets choose."""
        return TwoStageSource(self._shape, routing_logic(self._shape)) if self._shape.is_two_stage else SourceRoute(self._shape)

    @property
    def latency(self):
        """Cycles from the header to the tag."""
        return self._logic.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.decision = logic = self._logic
        connect_ports(m, self, logic, self.inputs)
        self._ask(m, logic)
        self._arrived, state = logic.arrived, logic.out_state
        if self._travels:
            # On the way to an intermediate switch, wrong tables may not deliver a packet.
            travels = self._goes_over(m, "travels", self.header)
            self._arrived, state = logic.arrived & ~travels, Mux(travels, self.header.flags.intermediate.as_value(), 0)
        m.d.comb += [
            self.by_table.eq(logic.by_table),
            self.state.eq(Mux(self._arrived | logic.undeliverable, 0, state)),
            self.undeliverable.eq(logic.undeliverable),
        ]
        self._route(m, logic)
        flows = [
            self._flow(m, (spread - 1).bit_length(), f"flow_{classes}_{spread}") for classes, spread in self._shape.selections
        ]
        self._channels(m, self.tag.channel, logic, logic.out_class, flows)
        if self._shape.is_adaptive:
            going = ~self.invalid & ~self.header.flags.ordered
            bits = [Const(0, 1) if port.is_host else logic.other_port[port.index] for port in self._shape.ports]
            m.d.comb += self.tag.other.route.eq(Mux(going, Cat(bits), 0))
            self._channels(m, self.tag.other.channel, logic, logic.other_class, flows)
        return m

    def _ask(self, m, logic):
        """Ask about the packet of the header ``asked``."""
        header = self.asked
        over = self._goes_over(m, "asks_over", header) if self._travels else None
        for name in logic.dst.signature.members:
            address = header.destination[name]
            address = address if over is None else Mux(over, header.flags.intermediate[name], address)
            m.d.comb += getattr(logic.dst, name).eq(address)
        m.d.comb += logic.packet_table.eq(header.flags.by_table)
        if len(logic.layer):
            m.d.comb += logic.layer.eq(header.layer)
        if self._chooses:
            connect_ports(m, self, logic, self.more)
            m.d.comb += logic.ordered.eq(header.flags.ordered)
            if self._shape.is_two_stage:
                m.d.comb += logic.origin.eq(header.source)
        if not self._is_host:
            width = len(logic.in_class)
            classes = (Mux(bit, Const(number, width), 0) for bit, number in zip(self.channel, self._classes))
            m.d.comb += [logic.in_port.eq(self.in_port), logic.in_class.eq(reduce(or_, classes))]
            if len(logic.in_state):
                m.d.comb += logic.in_state.eq(header.flags[Header(self._shape).state])

    def _goes_over(self, m, name, header):
        """Whether a packet is on its way to an intermediate switch, and this is another one."""
        middle, node = header.flags.intermediate, self._shape.node
        owns = {field.name: place for place, field in enumerate(self._shape.network.fields) if field.width}
        own = {field: getattr(self.own, field) if node is None else node[place] for field, place in owns.items()}
        goes = Signal(name=name)
        m.d.comb += goes.eq(middle.valid & Cat(middle[field] != value for field, value in own.items()).any())
        return goes

    def _route(self, m, logic):
        hosts = self._shape.hosts
        host = self.header.destination.host if hosts > 1 else Const(0, 1)
        layers = self._shape.layers
        outside = [host >= hosts] if hosts & (hosts - 1) else []
        outside += [self.header.layer >= layers] if layers & (layers - 1) else []
        m.d.comb += self.invalid.eq(logic.invalid | Cat(outside).any())
        bits = [
            self._to_host(logic, host, port.index) if port.is_host else logic.out_port[port.index] for port in self._shape.ports
        ]
        route = Signal(len(bits))
        m.d.comb += [
            route.eq(Cat(bits)),
            self.tag.route.eq(Mux(self.invalid, 0, route)),
            self.no_route.eq(~self.invalid & ~route.any()),
            self.u_turn.eq(self._turns_back(logic)),
        ]

    def _turns_back(self, logic):
        """Whether a packet would leave by the port on which it came, and may not: the deadlock proof of a routing excludes it."""
        if self._is_host:
            return Const(0, 1)
        back = Cat(bit & self.in_port[port.index] for bit, port in zip(self.tag.route, self._shape.ports) if not port.is_host)
        return back.any() & ~logic.returns.any()

    def _to_host(self, logic, host, number):
        """Whether a packet goes to host ``number``: its destination, or host 0 of a switch from which it cannot go on."""
        arrived = self._arrived & (host == number)
        return arrived | logic.undeliverable if number == 0 else arrived

    def _channels(self, m, channel, logic, virtual_class, flows):
        """One-hot channel for each kind of choice: the class from the routing logic, its channel from the flow."""
        for ((classes, spread), first), flow in zip(self._shape.selections.items(), flows):
            for number in range(classes):
                is_class = self._is_class(logic, virtual_class, number, classes)
                for one in range(spread):
                    m.d.comb += channel[first + number * spread + one].eq(is_class & (flow == one))

    def _is_class(self, logic, virtual_class, number, classes):
        """Whether a packet takes class ``number`` of an output with ``classes`` of them."""
        if classes == 1:
            return Const(1, 1)
        if self._shape.turns > 1:
            return virtual_class[number]
        if not len(logic.by_table) or self._shape.lookup == "table":
            # A packet that no route brings here may have run out of classes. It takes one that exists, so that it leaves.
            is_last = number == classes - 1 and not logic.bounded
            return virtual_class >= number if is_last else virtual_class == number
        # The last class is that of packets that follow tables.
        if number == classes - 1:
            return logic.by_table
        return (Const(1, 1) if classes == 2 else virtual_class == number) & ~logic.by_table

    def _flow(self, m, width, name):
        """A number of ``width`` bits that all packets of one source and destination share."""
        if not width:
            return Const(0, 1)
        flow = Signal(width, name=name)
        m.d.comb += flow.eq(flow_of(self.header.destination, self.header.source, width))
        return flow
