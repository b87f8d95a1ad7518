"""The switch: a switch core, with a fabric port on every port that leads to another switch."""

from amaranth.hdl import Cat, Const, Module, Shape
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.core.core import SwitchCore
from dsnswitch.hdl.core.packet import FlitLink
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.port import FabricPort, status_layout
from dsnswitch.hdl.port.session import State
from dsnswitch.hdl.port.shape import KINDS, FabricShape, alike
from dsnswitch.hdl.switch.byte_count import ByteCountFormat
from dsnswitch.hdl.switch.end_to_end import CheckFormat, EndToEnd
from dsnswitch.hdl.switch.host_patience import PATIENCE, HostPatience
from dsnswitch.hdl.switch.host_port import HostPort, check_host_interface, host_signature
from dsnswitch.hdl.switch.management import Management
from dsnswitch.hdl.switch.notifier import NoticeFormat, Notifier, notice_counts
from dsnswitch.net.checks import Parameter


def port_latency(shape, port, host_interface="flit", link="light"):
    """``(cycles from a port's input to the core, cycles from the core to the port's output)``."""
    if not port.is_host:
        return FabricShape(shape, port, link=link).rx_latency, KINDS[link].tx_latency
    adapter = 0 if host_interface == "flit" else HostPort.latency
    return adapter + Notifier.latency * _has_notifier(shape, port), adapter


def _has_notifier(shape, port):
    """Whether notices pass a port: host 0 of a switch with detours."""
    return shape.has_detours and port.is_host and port.index == 0


class Switch(wiring.Component):
    """Switch core and fabric ports. Latency of a hop from codeword to codeword 3 cycles at zero load: core 2, port 1.

    A core that does not speculate (:class:`CoreShape`) gets flits one cycle later, so that a hop takes 4 cycles.

    With the strict link it is 92 cycles: port 87, core 2, port 3, counted from the first word of a codeword to the first word of
    the head's block. The selected link takes two cycles more.

    Hosts send and receive flits without a link, so a packet takes 3 cycles from a host to a line, and 2 from a line to a host
    or between hosts. With packets on streams or AXI4-Stream, each host port takes one cycle more. With detours, packets of host 0
    take one cycle more.

    Parameters
    ----------
    shape : CoreShape
        A specialised switch (``node``) has its address and those of its neighbours as constants.
    settle : int
        Of each fabric port: codewords between the unit that moves the boundary on ``slip`` and the switch.
    host_interface : str
        How hosts are attached: one of :data:`HOST_INTERFACES`.
    registers : sequence of str or None
        Registers over APB (:class:`Management`) show status and counters, and drive the tables, with as many more as are named:
        ``delays``. None: ports do all this.
    round_trip : int
        With retransmission: cycles from a block to the answer to it (:class:`FabricShape`); 0 without.
    link : str
        Kind of the fabric links.
    detect : bool
        With retransmission: ports retransmit each codeword with a wrong bit, and correct none (:class:`FabricShape`).
    checked : bool
        Host ports write and test an end-to-end check of each packet (:class:`EndToEnd`).
    tkeep : bool
        Hosts on AXI4-Stream have TKEEP (:class:`ByteCountFormat`).

    Members
    -------
    - own, .. (In): Own address, as in :class:`SwitchCore`.
    - apb (In(Apb)): With registers only.
    - notice_counts (Out(notice_counts)): With detours, without registers: counters of :class:`Notifier`.
    - <port>.i, <port>.o (In, Out(stream of 270 bits, or of 160 bits)): Words of the line of a port to another switch.
    - <port>.strict, <port>.is_strict (In(1), Out(1)): Selected link only, as in :class:`FabricPort`. With registers, fields of
      registers.
    - <port>.peer_address, <port>.peer_port (In): Universal switch only: address of the switch and number of its port that the
      cable must lead to. The address has the fields of the network in the order of the header, the first from bit 0.
    - <port>.locked, <port>.slip (Out(1)): Block lock, as in :class:`FabricPort`.
    - <port>.status (Out(status_layout)): Without registers: state of the link and counters.
    - host_<n>.rx, host_<n>.tx, host_<n>.stall (In, Out, In): Flits, credits and stall of a host port, as in the core.
    - host_<n>.rx, host_<n>.tx (In, Out(stream of beat_layout, or AXI4-Stream)): With ``stream`` and ``axi``: packets of a host,
      as in :class:`HostPort`. With several virtual networks also ``rx_space`` and ``tx_space`` (:func:`host_signature`).
    - clear (In(1)): Without registers: sets the counters of all fabric ports, and of notices, to 0.
    - bad_header, invalid, no_route, expired, u_turn, bad_length, stray (Out(ports)): Without registers: events of the core, one
      bit per port.
    - patience, untaken (In(PATIENCE), Out(host ports)): Without registers: as in :class:`HostPatience`, one patience for all
      hosts.
    - bad_check (Out(host ports)): With the check, without registers: as in :class:`EndToEnd`.
    - write.., mode, loaded, dead (In): Without registers: the inputs of the core's tables. With detours, ``dead`` exists as
      well.
    """

    #: The switch has registers, whatever its latency.
    clocked = True

    shape = Parameter("Shape of the core.")

    def __init__(
        self,
        shape: CoreShape,
        settle=0,
        host_interface="flit",
        registers=(),
        round_trip=0,
        link="light",
        detect=False,
        checked=False,
        tkeep=False,
    ):
        check_host_interface(shape, host_interface)
        if checked:
            CheckFormat(shape).check()
        if shape.has_detours:
            NoticeFormat(shape).check()
        self._byte_count = ByteCountFormat(shape, checked) if tkeep else None
        if tkeep:
            self._byte_count.check()
        self._shape, self._settle, self._host_interface = shape, settle, host_interface
        self._round_trip, self._link, self._detect, self._checked = round_trip, link, detect, checked
        managed = registers is not None
        self._core = SwitchCore(shape, managed)
        names = {port.name for port in shape.ports} | set(EVENTS) | {"credit_stalls", "empty"}
        inputs = {name: member for name, member in self._core.signature.members.items() if name not in names}
        driven = {
            name: member for name, member in inputs.items() if managed and member.is_port and Shape.cast(member.shape).width
        }
        self._inputs = {name: member for name, member in inputs.items() if name not in driven}
        widths = {name: Shape.cast(member.shape).width for name, member in driven.items()}
        self._management = Management(shape, widths, link, registers) if managed else None
        address = sum(field.width for field in shape.network.fields)
        number = (len(shape.network.ports) - 1).bit_length()
        ends = {"peer_address": In(address), "peer_port": In(number)} if shape.node is None else {}
        line = wiring.Signature(
            {
                "i": In(stream.Signature(KINDS[link].word)),
                "o": Out(stream.Signature(KINDS[link].word)),
                **({"strict": In(1), "is_strict": Out(1)} if link == "selected" and not managed else {}),
                **{name: member for name, member in ends.items() if member.shape},
                "locked": Out(1),
                "slip": Out(1),
                **({} if managed else {"status": Out(status_layout(shape.virtual_networks))}),
            }
        )
        members = dict(self._inputs)
        for port in shape.ports:
            members[port.name] = Out(self._host(port) if port.is_host else line)
        raw = {"clear": In(1)} | {name: Out(len(shape.ports)) for name in EVENTS}
        raw |= {"patience": In(PATIENCE), "untaken": Out(shape.host_ports)}
        raw |= {"bad_check": Out(shape.host_ports)} if checked else {}
        raw |= {"notice_counts": Out(notice_counts())} if shape.has_detours else {}
        super().__init__(members | ({"apb": self._management.signature.members["apb"]} if managed else raw))

    @property
    def registers(self):
        """The :class:`RegisterMap`, or None without registers."""
        return self._management.registers if self._management else None

    def _host(self, port):
        """Ports of a host."""
        if self._host_interface != "flit":
            return host_signature(self.shape, self._host_interface, self._byte_count is not None)
        link = FlitLink(self.shape, port)
        return wiring.Signature({"rx": In(link), "tx": Out(link), "stall": In(1)})

    @property
    def latency(self):
        """Cycles of a hop at zero load, from the codeword of a head to the codeword of the same head."""
        line = next(port for port in self._shape.ports if not port.is_host)
        return self._core.latency + sum(port_latency(self._shape, line, link=self._link))

    @property
    def results_per_cycle(self):
        """Flits per cycle on a line."""
        return KINDS[self._link].results_per_cycle

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        connect_ports(m, self, core, self._direct(self._inputs))
        if self._management:
            m.submodules.management = self._management
            self._connect_management(m)
        else:
            connect_ports(m, core, self, EVENTS)
        for port in self.shape.ports:
            own, inner = getattr(self, port.name), getattr(core, port.name)
            if port.is_host and self._checked:
                inner = self._end_to_end(m, port, inner)
            if _has_notifier(self.shape, port):
                inner = self._notifier(m, port, inner)
            if port.is_host:
                inner = self._patience(m, port, inner)
            if port.is_host and self._host_interface == "flit":
                wiring.connect(m, wiring.flipped(own), inner)
            elif port.is_host:
                adapter = HostPort(self.shape, port, self._host_interface, self._byte_count)
                m.submodules[f"{port.name}_adapter"] = adapter
                m.d.comb += adapter.own_address.eq(self._own_address)
                wiring.connect(m, adapter.core, inner)
                wiring.connect(m, wiring.flipped(own.rx), adapter.rx)
                wiring.connect(m, adapter.tx, wiring.flipped(own.tx))
                if self.shape.virtual_networks > 1:
                    m.d.comb += [own.rx_space.eq(adapter.rx_space), adapter.tx_space.eq(own.tx_space)]
            else:
                m.submodules[f"{port.name}_fabric"] = fabric = self._fabric_port(port)
                wiring.connect(m, fabric.core, inner)
                self._connect_line(m, port, own, fabric)
                if self.shape.has_detours:
                    is_up = fabric.status.state == State.UP
                    reported = (self._management or self).dead[port.index]
                    m.d.comb += core.dead[port.index].eq(reported | ~is_up)
        return m

    def _end_to_end(self, m, port, core):
        """Insert the end-to-end check at the host port ``core``; returns the port for the host."""
        m.submodules[f"{port.name}_check"] = unit = EndToEnd(self.shape, port)
        wiring.connect(m, unit.core, core)
        seen = getattr(self._management, port.name).bad_check if self._management else self.bad_check[port.index]
        m.d.comb += [unit.own_address.eq(self._own_address), seen.eq(unit.bad_check)]
        return unit.host

    def _notifier(self, m, port, core):
        """Insert the notifier at the port ``core`` of host 0; returns the port for the host."""
        m.submodules.notifier = notifier = Notifier(self.shape, port)
        wiring.connect(m, notifier.core, core)
        around = self._management or self
        m.d.comb += [
            notifier.own_address.eq(self._own_address),
            notifier.clear.eq(around.clear),
            around.notice_counts.eq(notifier.counts),
        ]
        return notifier.host

    def _patience(self, m, port, core):
        """Insert the patience with a host at the port ``core``; returns the port for the host."""
        m.submodules[f"{port.name}_patience"] = unit = HostPatience(self.shape, port)
        wiring.connect(m, unit.core, core)
        if self._management:
            seen = getattr(self._management, port.name)
            m.d.comb += [unit.patience.eq(seen.patience), seen.untaken.eq(unit.untaken)]
        else:
            m.d.comb += [unit.patience.eq(self.patience), self.untaken[port.index].eq(unit.untaken)]
        return unit.host

    def _direct(self, names):
        """Inputs of the core that are connected as they are: with detours, a port is also dead while its link is not up."""
        return [name for name in names if name != "dead" or not self.shape.has_detours]

    def _fabric_port(self, port):
        """A fabric port; ports with equal channels and buffers are equal, so they have the parameters of the first of them."""
        fabric = FabricShape(self.shape, alike(self.shape, port), self._round_trip, self._link, self._detect)
        return FabricPort(fabric, self._settle, controlled=self._management is not None)

    def _connect_line(self, m, port, own, fabric):
        """Line, addresses and status of a fabric port."""
        wiring.connect(m, wiring.flipped(own.i), fabric.i)
        wiring.connect(m, fabric.o, wiring.flipped(own.o))
        connect_ports(m, fabric, own, ("locked", "slip"))
        shape = self.shape
        if self._link == "selected":
            seen = getattr(self._management, port.name) if self._management else own
            connect_ports(m, fabric, seen, ("is_strict",))
            connect_ports(m, seen, fabric, ("strict",))
        if self._management:
            seen = getattr(self._management, port.name)
            connect_ports(m, fabric, seen, ("locked", "status"))
            empty = getattr(self._core.empty, port.name)
            m.d.comb += [fabric.down.eq(seen.down), fabric.core_empty.eq(empty), fabric.clear.eq(self._management.clear)]
        else:
            connect_ports(m, fabric, own, ("status",))
            m.d.comb += fabric.clear.eq(self.clear)
        if shape.node is None:
            peer_address, peer_port = (getattr(own, name, Const(0, 0)) for name in ("peer_address", "peer_port"))
        else:
            peer, number = shape.network.neighbour(shape.node, port.index)
            peer_address, peer_port = self._address(peer), number
        m.d.comb += [
            fabric.own_address.eq(self._own_address),
            fabric.own_port.eq(port.index),
            fabric.peer_address.eq(peer_address),
            fabric.peer_port.eq(peer_port),
        ]

    def _connect_management(self, m):
        """What the registers see of the core and what they drive; :meth:`_connect_line` connects the fabric ports."""
        core, management = self._core, self._management
        wiring.connect(m, wiring.flipped(self.apb), management.apb)
        connect_ports(m, management, core, self._direct(management.driven))
        m.d.comb += management.own_address.eq(self._own_address)
        for number, port in enumerate(self.shape.ports):
            link, seen = getattr(core, port.name), getattr(management, port.name)
            confirmed = link.confirmed.replicate(port.channels) if self.shape.speculates(port) else ~0
            for flits, valid, observed in ((link.rx, link.rx.valid & confirmed, seen.rx), (link.tx, link.tx.valid, seen.tx)):
                m.d.comb += observed.valid.eq(valid)
                m.d.comb += [observed.marks[mark].eq(flits.flit[mark]) for mark in ("head", "tail", "bad")]
            m.d.comb += [
                seen.rx_credit.eq(link.rx.credit),
                seen.credit_stalls.eq(getattr(core.credit_stalls, port.name)),
                seen.events.eq(Cat(getattr(core, name)[number] for name in EVENTS)),
            ]

    @property
    def _own_address(self):
        """The address of this switch as one number."""
        if self.shape.node is not None:
            return self._address(self.shape.node)
        return Cat(getattr(self.own, name) for name in self.own.signature.members)

    def _address(self, switch):
        """The address of a switch of the network as one number."""
        return Cat(Const(value, field.width) for value, field in zip(switch, self.shape.network.fields))
