"""Status and control of a switch over APB: the registers of the switch and of its ports."""

from functools import reduce
from itertools import pairwise
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.core.network_arbiter import service_layout
from dsnswitch.hdl.logic.numbers import Counter
from dsnswitch.hdl.port.port import status_layout
from dsnswitch.hdl.port.session import State, differences
from dsnswitch.hdl.registers.description import WORD, Group
from dsnswitch.hdl.registers.register_file import Apb, ApbTarget, RegisterFile, access_signature
from dsnswitch.hdl.switch.host_patience import PATIENCE
from dsnswitch.hdl.switch.notifier import NOTICE_COUNTERS, notice_counts
from dsnswitch.hdl.switch.register_map import DELAYS, address_words, depths_of, fabric_ports, register_map

#: Marks of a flit that are counted.
MARKS = data.StructLayout({"head": 1, "tail": 1, "bad": 1})


class FlitsSignature(wiring.Signature):
    """Flits between a port and the core, in one direction.

    Members
    -------
    - valid: A flit passes on this channel, one-hot.
    - marks: Its marks.
    """

    def __init__(self, channels):
        super().__init__({"valid": Out(channels), "marks": Out(MARKS)})


class PortRegisters(wiring.Component):
    """Registers of a port with the counters that they show. Every counted event is registered before it is counted.

    Parameters
    ----------
    group : Group
        The port's registers.
    words : int
        Words of the slot.
    shape : CoreShape
    port : CorePort
    selects : bool
        Whether the code of its link is selected at run time.
    more : sequence of str
        As of :func:`register_map`.

    Members
    -------
    - access: In(access_signature)
    - clear: Counters and greatest fills begin anew.
    - rx, tx: Flits from the port to the core, and from the core to the port.
    - rx_credit: Flits that leave the input buffers.
    - events: Events of the core at this port.
    - credit_stalls: Packets wait for credits of an output channel.
    - service: With free weights: weights and levels of virtual networks at the output.
    - status, locked, is_up, down: Of a fabric port: its status and lock; whether the link is up, registered; the link shall
      be down.
    - untaken, patience, bad_check: Of a host port, as in :class:`HostPatience` and :class:`EndToEnd`.
    - is_strict, strict: Of a selected link: the format that arrives; the format to send.
    """

    def __init__(self, group: Group, words, shape, port, selects=False, more=()):
        # Not the port: registers of ports with equal channels and buffers are equal.
        self._group, self._classes, self._has_link = group, port.classes, not port.is_host
        self._networks, self._depths = shape.virtual_networks, depths_of(shape, port)
        self._classes_of = [port.class_of(v) for v in range(port.channels)]
        self._channels_of = [share.channels for share in port.shares]
        self._selects = self._has_link and selects
        self._free_weights, self._has_delays = shape.free_weights, "delays" in more
        self._file = RegisterFile(group, words)
        channels = port.channels
        link = {"status": In(status_layout(self._networks)), "locked": In(1), "is_up": Out(1), "down": Out(1)}
        link |= {"is_strict": In(1), "strict": Out(1)} if selects else {}
        host = {"untaken": In(1), "bad_check": In(1), "patience": Out(PATIENCE)}
        super().__init__(
            {
                "access": In(access_signature(words)),
                "clear": In(1),
                "rx": In(FlitsSignature(channels)),
                "tx": In(FlitsSignature(channels)),
                "rx_credit": In(channels),
                "events": In(len(EVENTS)),
                "credit_stalls": In(channels),
                **({"service": Out(service_layout(self._networks))} if shape.free_weights else {}),
                **(link if self._has_link else host),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.registers = file = self._file
        wiring.connect(m, wiring.flipped(self.access), file.access)
        self._count(m, file, self._events(m))
        fills = self._fills(m, file)
        if self._has_delays:
            self._count(m, file, self._delays(m, *fills))
        if self._networks > 1:
            self._telemetry(m, file)
        if self._free_weights:
            for name, field in (("weights", "weight"), ("levels", "priority")):
                own = [getattr(file, f"service_{number}_{field}") for number in range(self._networks)]
                m.d.comb += self.service[name].eq(Cat(own))
        if self._has_link:
            self._link(m, file)
        else:
            m.d.comb += self.patience.eq(file.patience_cycles)
        return m

    def _count(self, m, file, events):
        """Count ``{counter: event}``."""
        for name, event in events.items():
            m.submodules[f"{name}_counter"] = counter = Counter()
            m.d.comb += [counter.add.eq(event), counter.clear.eq(self.clear), getattr(file, f"{name}_count").eq(counter.count)]

    def _events(self, m):
        """``{counter: registered event}``."""
        events = {}
        for way, flits in (("in", self.rx), ("out", self.tx)):
            valid, marks = flits.valid.any(), flits.marks
            events |= {f"flits_{way}": valid, f"packets_{way}": valid & marks.head, f"bad_{way}": valid & marks.tail & marks.bad}
        events |= dict(zip(EVENTS, self.events))
        events |= {} if self._has_link else {"untaken_packets": self.untaken, "bad_check": self.bad_check}
        for c in range(self._classes):
            own = [bit for bit, its in zip(self.credit_stalls, self._classes_of) if its == c]
            events[f"credit_stalls_{c}"] = Cat(own).any()
        registered = {}
        for name, event in events.items():
            registered[name] = Signal(name=f"{name}_now")
            m.d.sync += registered[name].eq(event)
        return registered

    def _fills(self, m, file):
        """Flits that hold a credit of each input channel, and their greatest number.

        Returns ``(arrives, leaves, fills)``: the channels of the flit and of the credits to which the fills are to be changed.
        """
        fills = []
        arrives = Signal.like(self.rx.valid)
        leaves = Signal.like(self.rx_credit)
        m.d.sync += [arrives.eq(self.rx.valid), leaves.eq(self.rx_credit)]
        for v, depth in enumerate(self._depths):
            fill = Signal(range(depth + 1), name=f"fill_{v}")
            fills.append(fill)
            greatest = Signal(range(depth + 1), name=f"greatest_{v}")
            with m.If(arrives[v] & ~leaves[v]):
                m.d.sync += fill.eq(fill + 1)
            with m.Elif(leaves[v] & ~arrives[v]):
                m.d.sync += fill.eq(fill - 1)
            with m.If(self.clear | (fill > greatest)):
                m.d.sync += greatest.eq(fill)
            m.d.comb += getattr(file, f"greatest_fill_{v}_flits").eq(greatest)
        return arrives, leaves, fills

    def _delays(self, m, arrives, leaves, fills):
        """``{counter: event}``: a head has left its buffer after a delay of this range. One is timed after the other."""
        is_head = Signal()
        ends = Signal()
        timed = Signal.like(arrives)
        ahead = Signal(max(map(len, fills)))
        of_channel = Signal.like(ahead)
        delay = Signal(range(DELAYS[-1] + 1))
        m.d.sync += is_head.eq(self.rx.marks.head)
        m.d.comb += [
            of_channel.eq(reduce(or_, (Mux(bit, fill, 0) for bit, fill in zip(arrives, fills)))),
            ends.eq((leaves & timed).any() & (ahead == 0)),
        ]
        with m.If(timed.any()):
            m.d.sync += [ahead.eq(ahead - (leaves & timed).any()), delay.eq(delay + ~delay[-1])]
        with m.Elif(is_head):
            m.d.sync += [timed.eq(arrives), ahead.eq(of_channel - (leaves & arrives).any()), delay.eq(1)]
        with m.If(ends | self.clear):
            m.d.sync += timed.eq(0)
        reached = [Const(1), *(delay >= bound for bound in DELAYS), Const(0)]
        return {f"delays_{k}": ends & low & ~high for k, (low, high) in enumerate(pairwise(reached))}

    def _telemetry(self, m, file):
        """What each virtual network holds and waits for: values now, and the greatest since the last read."""
        first = 0
        for n, channels in enumerate(self._channels_of):
            own = slice(first, first + channels)
            first += channels
            amount = min(sum(self._depths[own]).bit_length(), 16)
            held = Signal(amount, name=f"held_{n}")
            comes, goes = self.rx.valid[own].any(), sum(self.rx_credit[own])
            waits = Signal(name=f"waits_{n}")
            m.d.sync += [held.eq(held + comes - goes), waits.eq(self.credit_stalls[own].any())]
            m.submodules[f"blocked_{n}"] = blocked = Counter()
            m.d.comb += [
                blocked.add.eq(waits),
                blocked.clear.eq(self.clear),
                getattr(file, f"network_blocked_{n}_count").eq(blocked.count),
            ]
            waited = Signal(16, name=f"waited_{n}")
            follows = Signal(name=f"follows_{n}")
            m.d.sync += follows.eq(waits)
            with m.If(waits):
                m.d.sync += waited.eq(Mux(follows, waited + ~waited.all(), 1))
            for name, last, value in (("fill", "now", held), ("wait", "last", waited)):
                greatest = Signal.like(value, name=f"greatest_{name}_of_{n}")
                read = getattr(file, f"network_{name}_{n}_greatest_read")
                # A wait that has ended is none of the next time. ``value`` is that of the wait before in the first cycle of one.
                current = Mux(follows, value, 0) if name == "wait" else value
                with m.If(self.clear | read | (current > greatest)):
                    m.d.sync += greatest.eq(current)
                m.d.comb += [
                    getattr(file, f"network_{name}_{n}_{last}").eq(value),
                    getattr(file, f"network_{name}_{n}_greatest").eq(greatest),
                ]

    def _link(self, m, file):
        """State of the link, the other end, and the counters of the fabric port."""
        status, peer = self.status, self.status.peer
        m.d.sync += self.is_up.eq(status.state == State.UP)
        m.d.comb += [
            file.link_state.eq(status.state),
            file.link_locked.eq(self.locked),
            Cat(getattr(file, f"link_differs_{name}") for name in differences(self._networks)).eq(status.mismatch),
            self.down.eq(file.port_control_down),
            file.link_events_went_down.eq(self.is_up & (status.state != State.UP)),
            Cat(file.peer_address_0_bits, file.peer_address_1_bits).eq(peer.address),
            *(getattr(file, f"peer_{name}").eq(peer[name]) for name in ("version", "port", "channels", "packet")),
            *(getattr(file, f"peer_sizes_{name}").eq(peer[name]) for name in ("flit", "depth")),
        ]
        m.d.comb += [getattr(file, f"{name}_count").eq(status[name]) for name in link_counters()]
        if self._networks > 1:
            m.d.comb += file.link_networks.eq(status.differing)
            numbers = ("virtual_network", "last_network")
            m.d.comb += [getattr(file, f"peer_sizes_{name}").eq(peer[name]) for name in numbers]
        if self._selects:
            m.d.comb += [file.link_is_strict.eq(self.is_strict), self.strict.eq(file.port_control_strict)]


def link_counters():
    """``{name: width}`` of the counters in the status of a fabric port: every field that is no state."""
    return {name: field.width for name, field in status_layout() if name not in ("state", "mismatch", "peer")}


#: Inputs of the core's tables that are bits of the register ``control``.
_CONTROLS = {"mode": "control_table_mode", "loaded": "control_table_loaded"}


class Management(wiring.Component):
    """Registers of a switch, as an APB target. It observes the switch, and drives what it controls from registers.

    Parameters
    ----------
    shape : CoreShape
    inputs : dict
        ``{name: width}`` of the inputs of the core's tables, which are outputs here, and of those with weights and levels.
    link : str
        Kind of the fabric links.
    more : sequence of str
        As of :func:`register_map`.

    Members
    -------
    - apb: In(Apb)
    - own_address: Address of the switch as one number.
    - clear: Sets the counters of all fabric ports, and of notices, to 0.
    - <input of the tables>: ``write`` and its fields, ``mode``, ``loaded``; ``dead`` has a bit for each port of the network.
    - notice_counts: With detours: counters of :class:`Notifier`.
    - <port> (In(rx, tx, rx_credit, credit_stalls, events, status, locked), Out(down)): What a port shows, as in
      :class:`PortRegisters`; the last three of fabric ports, and with a selected link also ``is_strict`` and ``strict``. Host
      ports have ``untaken``, ``bad_check`` and ``patience``.
    """

    def __init__(self, shape, inputs, link="light", more=()):
        self._shape, self._inputs, self._selects, self._more = shape, dict(inputs), link == "selected", more
        #: Names of the inputs of the core that are driven.
        self.driven = tuple(inputs)
        self.registers = registers = register_map(shape, link_counters(), self._inputs, link, more)
        self._words = registers.stride // 4
        address = sum(field.width for field in shape.network.fields)
        super().__init__(
            {
                "apb": In(Apb(registers.address_width)),
                "own_address": In(max(address, 1)),
                "clear": Out(1),
                **({"notice_counts": In(notice_counts())} if shape.has_detours else {}),
                **{name: Out(width) for name, width in self._inputs.items()},
                **{port.name: In(_seen(shape, port, self._selects)) for port in shape.ports},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.target = target = ApbTarget(self.registers)
        wiring.connect(m, wiring.flipped(self.apb), target.apb)
        (_, group), *ports = self.registers.slots
        m.submodules.device = device = RegisterFile(group, self._words)
        wiring.connect(m, target.device, device.access)
        links = [self._port(m, target, device, port, group) for port, (_, group) in zip(self._shape.ports, ports)]
        links = [link for link in links if link is not None]
        for word in range(-(-len(links) // WORD)):
            up = Cat(link.is_up for link in links[word * WORD : (word + 1) * WORD])
            m.d.comb += getattr(device, f"links_up_{word}_bits").eq(up)
        for word in range(address_words(self._shape)):
            part = self.own_address[word * WORD : (word + 1) * WORD]
            m.d.comb += getattr(device, f"own_address_{word}_bits").eq(part)
        m.d.comb += self.clear.eq(device.control_clear)
        if self._shape.has_detours:
            m.d.comb += [getattr(device, f"{name}_count").eq(self.notice_counts[name]) for name in NOTICE_COUNTERS]
        self._tables(m, device, dict(zip((port.index for port in fabric_ports(self._shape)), links)))
        return m

    def _port(self, m, target, device, port, group):
        """The registers of a port, which it returns if the port has a link."""
        shape, outside = self._shape, getattr(self, port.name)
        inner = PortRegisters(group, self._words, shape, port, self._selects, self._more)
        m.submodules[f"{port.name}_registers"] = inner
        wiring.connect(m, getattr(target, port.name), inner.access)
        for name, member in _seen(shape, port, self._selects).members.items():
            if member.is_signature:
                wiring.connect(m, wiring.flipped(getattr(outside, name)), getattr(inner, name))
            elif member.flow == Out:
                m.d.comb += getattr(inner, name).eq(getattr(outside, name))
        m.d.comb += inner.clear.eq(self.clear)
        if shape.free_weights:
            m.d.comb += getattr(self, f"service_{port.name}").eq(inner.service)
        if port.is_host:
            m.d.comb += outside.patience.eq(inner.patience)
            return None
        m.d.comb += outside.down.eq(inner.down)
        if self._selects:
            m.d.comb += outside.strict.eq(inner.strict)
        return inner

    def _tables(self, m, device, links):
        """Drive the inputs of the core's tables. ``links``: registers of the ports by their index in the network."""
        for name, width in self._inputs.items():
            port = getattr(self, name)
            if name in self._shape.service_inputs:
                continue
            if name == "dead":
                m.d.comb += [port[index].eq(inner.down) for index, inner in links.items()]
            elif name in _CONTROLS:
                m.d.comb += port.eq(getattr(device, _CONTROLS[name]))
            elif name == "write":
                m.d.comb += port.eq(device.table_write_write)
            else:
                part = f"table_{name.removeprefix('write_')}"
                words = [f"{part}_{word}" for word in range(-(-width // WORD))] if width > WORD else [part]
                m.d.comb += port.eq(Cat(getattr(device, f"{word}_bits") for word in words))


def _seen(shape, port, selects):
    """What the registers of a port see of it, from the side of the switch."""
    members = {"rx": Out(FlitsSignature(port.channels)), "tx": Out(FlitsSignature(port.channels))}
    members |= {"rx_credit": Out(port.channels), "credit_stalls": Out(port.channels), "events": Out(len(EVENTS))}
    if port.is_host:
        members |= {"untaken": Out(1), "bad_check": Out(1), "patience": In(PATIENCE)}
    else:
        members |= {"status": Out(status_layout(shape.virtual_networks)), "locked": Out(1), "down": In(1)}
        members |= {"is_strict": Out(1), "strict": In(1)} if selects else {}
    return wiring.Signature(members)
