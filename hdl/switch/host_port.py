"""A host port of the switch: packets as a stream or as AXI4-Stream, flits and credits at the core."""

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.core.input_channel import ChannelBuffer
from dsnswitch.hdl.core.packet import FlitLink, Header, flit_layout, flow_of, host_address
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.hdl.switch.byte_count import ByteCountReader, ByteCountWriter

#: How a host is attached. ``flit``: flits and credits of the core; ``stream``: a stream of flits; ``axi``: AXI4-Stream.
HOST_INTERFACES = ("flit", "stream", "axi")

#: Fields of a header besides addresses, that a host gives and gets with a packet.
DESCRIBED = ("length", "layer", "virtual_network")


def check_host_interface(shape, interface):
    """Raise a ValueError if hosts of a switch cannot be attached so."""
    if interface not in HOST_INTERFACES:
        raise ValueError(f"Host interface must be one of {', '.join(HOST_INTERFACES)}, not {interface!r}")
    if interface == "axi" and shape.flit % 8:
        raise ValueError(f"Flit width for AXI4-Stream must be a multiple of 8, not {shape.flit}")


def user_layout(shape, to_host=False):
    """What a packet brings besides data and address: TUSER of AXI4-Stream.

    ``length`` in flits; ``layer`` and ``virtual_network`` where there are several; ``bad`` counts with the last flit: the packet
    must not be used.
    With detours, a packet to a host (``to_host``) has two more bits: ``undeliverable``, the packet is for another host and no
    detour leads on; ``notice``, it is a notice (:class:`NoticeFormat`). With adaptive routing, or routes in two stages, a packet
    from a host has one more: ``ordered``, it stays in order with the other ordered ones to its destination.
    """
    fields = Header(shape).fields
    marks = ("undeliverable", "notice") if to_host and shape.has_detours else ()
    marks += ("ordered",) if not to_host and shape.keeps_marked else ()
    names = [name for name in DESCRIBED if name in fields]
    return data.StructLayout({name: fields[name] for name in names} | dict.fromkeys(("bad", *marks), 1))


def beat_layout(shape, to_host=False):
    """One flit of a packet.

    ``address`` is the destination of a packet to the switch, and the source of a packet from it. ``address`` and the fields of
    :data:`DESCRIBED` of a packet to the switch are read with its first flit; of a packet from the switch they are valid with each
    flit.
    """
    return data.StructLayout(
        {"data": shape.flit, "address": Header(shape).address, "user": user_layout(shape, to_host), "last": 1}
    )


def host_signature(shape, interface, tkeep=False):
    """Ports of a host, as the switch sees them: ``rx`` brings packets to the switch, ``tx`` takes them to the host.

    With ``tkeep``, AXI4-Stream has TKEEP. With several virtual networks, ``rx_space`` has a bit for each in which a packet that
    begins on ``rx`` does not wait for credits, and ``tx_space`` one for each in which the host can take a longest packet.
    """
    if interface == "stream":
        ways = (stream.Signature(beat_layout(shape, to_host)) for to_host in (False, True))
    else:
        ways = AxiStream(shape, "tdest", tkeep), AxiStream(shape, "tid", tkeep)
    rx, tx = ways
    networks = shape.virtual_networks
    spaces = {"rx_space": Out(networks), "tx_space": In(networks)} if networks > 1 else {}
    return wiring.Signature({"rx": In(rx), "tx": Out(tx), **spaces})


class AxiStream(wiring.Signature):
    """AXI4-Stream of packets, as the transmitter sees it.

    Parameters
    ----------
    shape : CoreShape
    address : str
        Member with the packet's address: ``tdest`` to the switch, ``tid`` from it.
    tkeep : bool
        There is TKEEP. Without it, every byte counts.

    Members
    -------
    - tvalid, tready: A flit moves in each cycle in which both are 1.
    - tdata: Data of a flit.
    - tkeep: Bytes of the flit that count: all of them but in the packet's last flit, and there the lowest ones.
    - tdest or tid: Destination, or source, of the packet.
    - tuser: Length and other properties of the packet.
    - tlast: The flit is the last of its packet.
    """

    #: What the manifest of a top says of the members: their role, with the direction before it, and their encodings.
    ROLE = "axi"
    ENCODINGS: ClassVar = {"tvalid": "flag", "tready": "flag", "tkeep": "flags", "tlast": "flag"}

    def __init__(self, shape, address, tkeep=False):
        super().__init__(
            {
                "tvalid": Out(1),
                "tready": In(1),
                "tdata": Out(shape.flit),
                **({"tkeep": Out(shape.flit // 8)} if tkeep else {}),
                address: Out(Header(shape).address),
                "tuser": Out(user_layout(shape, address == "tid")),
                "tlast": Out(1),
            }
        )


class Injector(wiring.Component):
    """Converts a stream of packets to flits with header and credits. Latency 1 cycle, one flit per cycle.

    The header replaces the lowest bits of a packet's first flit. It has destination, length, layer and virtual network of the
    first beat; the source is this host, the hop count 0. The channel is one of the packet's virtual network, or of network 0 if
    there is none, which the core then drops. Among several, it is selected by source and destination, so packets between the same
    two hosts stay in order. The stream waits while its channel has no credit. ``ready`` comes from registers.

    Length and destination are not checked here: the core drops a packet with a wrong one and counts it.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.

    Members
    -------
    - own_address: Address of the switch: the fields of the network in the order of the header, the first from bit 0.
    - i: Packets of the host.
    - flits: Flits to the core.
    - space: With several virtual networks: each of their channels has credits for a longest packet, without the flits that have
      been accepted. Registered.
    """

    #: Cycles from a beat to its flit.
    latency = 1

    def __init__(self, shape, port):
        self._shape, self._port, self._header = shape, port, Header(shape)
        super().__init__(
            {
                "own_address": In(sum(field.width for field in shape.network.fields)),
                "i": In(stream.Signature(beat_layout(shape))),
                "flits": Out(FlitLink(shape, port)),
                **({"space": Out(shape.virtual_networks)} if shape.virtual_networks > 1 else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beat, channels = self.i.payload, self._port.channels
        held = stream.Signature(flit_layout(self._shape)).create(path=("held",))
        continues = Signal()
        channel = Signal(channels, init=1)
        taken = stage(m, self.i, held)
        begins = self._channel(m)
        with m.If(taken):
            m.d.sync += [
                continues.eq(~beat.last),
                held.payload.data.eq(Mux(continues, beat.data, self._first(m, beat))),
                held.payload.head.eq(~continues),
                held.payload.tail.eq(beat.last),
                held.payload.bad.eq(beat.last & beat.user.bad),
            ]
            if channels > 1:
                with m.If(~continues):
                    m.d.sync += channel.eq(begins)
        available = [self._available(m, v) for v in range(channels)]
        m.d.comb += [
            held.ready.eq((Cat(available) & channel).any()),
            self.flits.valid.eq(Mux(held.valid, Cat(available) & channel, 0)),
            self.flits.flit.eq(held.payload),
        ]
        if self._shape.virtual_networks > 1:
            self._spaces(m, Mux(taken, Mux(continues, channel, begins), 0))
        return m

    def _channel(self, m):
        """The channel of the packet that begins, one-hot."""
        shares = self._port.shares
        flows = [1 << self._flow(share.channels) if share.channels > 1 else Const(1, 1) for share in shares]
        if len(shares) == 1:
            return flows[0]
        number = self.i.payload.user.virtual_network
        chosen = Signal(self._port.channels)
        named = [Mux(number == n, flow, 0)[: share.channels] for n, (flow, share) in enumerate(zip(flows, shares))]
        # Every number is that of a virtual network, or its packet goes to the first.
        named[0] = Mux((number > 0) & (number < len(shares)), 0, flows[0])[: shares[0].channels]
        m.d.comb += chosen.eq(Cat(named))
        return chosen

    def _spaces(self, m, accepted):
        """Drive ``space``: credits without the flits that have been accepted; ``accepted``: the channel of one, or 0."""
        depth, packet = self._shape.depth, self._shape.packet
        to = Signal(self._port.channels)
        m.d.comb += to.eq(accepted)
        suffices = Signal(self._port.channels)
        for v in range(self._port.channels):
            # One flit is accepted without a credit, and waits: then -1 are free.
            free = Signal(range(-1, depth + 1), init=depth, name=f"free_{v}")
            after = Signal(range(-1, depth + 1), name=f"free_after_{v}")
            up = self.flits.credit[v] & (to[v] | (free != depth))
            m.d.comb += [after.eq(Mux(to[v] == up, free, Mux(up, free + 1, free - 1))), suffices[v].eq(after >= packet)]
            m.d.sync += free.eq(after)
        networks = [suffices[share.first : share.first + share.channels].all() for share in self._port.shares]
        m.d.sync += self.space.eq(Cat(networks))

    def _available(self, m, v):
        """Whether channel ``v`` has a credit. A credit more than the buffer has is an error of the core and is ignored."""
        depth = self._shape.depth
        left = Signal(range(depth + 1), init=depth, name=f"left_{v}")
        available = Signal(init=1, name=f"available_{v}")
        after = Signal(range(depth + 1), name=f"after_{v}")
        sent, credit = self.flits.valid[v], self.flits.credit[v]
        m.d.comb += after.eq(Mux(sent == credit, left, Mux(sent, left - 1, Mux(left == depth, left, left + 1))))
        m.d.sync += [left.eq(after), available.eq(after.any())]
        return available

    @property
    def _source(self):
        """Address of the host."""
        return host_address(self._shape, self.own_address, self._port.index)

    def _flow(self, channels):
        """Number of the channel among ``channels``, from 0."""
        return flow_of(self.i.payload.address, self._source, (channels - 1).bit_length())

    def _first(self, m, beat):
        """Data of a head: the header, and the rest of the first flit."""
        values = {"destination": beat.address, "source": self._source}
        values |= {name: beat.user[name] for name in DESCRIBED if name in self._header.fields}
        if "ordered" in beat.user.shape().members:
            values["flags"] = Cat(Const(0, self._header.fields["flags"]["ordered"].offset), beat.user.ordered)
        return Cat(self._header.written(m, **values), beat.data[self._header.width :])


class Ejector(wiring.Component):
    """Converts the flits of a host port to a stream of packets. Latency 1 cycle, one flit per cycle.

    Each channel has a buffer of the depth for which the core has credits, so the stream may stop at any time. Flits of several
    channels may alternate in the core; in the stream, the flits of a packet follow each other without flits of others. Channels
    take turns packet by packet. The payload holds its value until the host accepts it. With several virtual networks, a packet
    begins only if the host has said a cycle earlier that it has space for one.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.

    Members
    -------
    - flits: Flits from the core.
    - o: Packets to the host.
    - space: With several virtual networks: those in which the host can take a longest packet.
    """

    #: Cycles from a flit to its beat.
    latency = 1

    def __init__(self, shape, port):
        self._shape, self._port = shape, port
        space = {"space": In(shape.virtual_networks)} if shape.virtual_networks > 1 else {}
        super().__init__({"flits": In(FlitLink(shape, port)), "o": Out(stream.Signature(beat_layout(shape, True))), **space})

    def elaborate(self, platform):
        m = Module()
        # Flits that wait for a host have no tag.
        entry = data.StructLayout({"flit": flit_layout(self._shape), "tag": 0, "drop": 0})
        stores = []
        for v in range(self._port.channels):
            m.submodules[f"store_{v}"] = store = ChannelBuffer(entry, self._shape.depth)
            m.d.comb += [store.valid.eq(self.flits.valid[v]), store.entry.flit.eq(self.flits.flit)]
            m.d.sync += self.flits.credit[v].eq(store.pop)
            stores.append(store)
        selected = self._selected(m, Cat(store.front_valid for store in stores))
        flit = Signal(flit_layout(self._shape))
        if len(stores) == 1:
            m.d.comb += flit.eq(stores[0].front.flit)
        for v, store in enumerate(stores):
            m.d.comb += store.pop.eq(selected[v] & self.o.ready)
            if len(stores) > 1:
                with m.If(selected[v]):
                    m.d.comb += flit.eq(store.front.flit)
        m.d.comb += self.o.valid.eq(selected.any())
        self._describe(m, flit)
        return m

    def _selected(self, m, waiting):
        """The channel, one-hot, whose flit is offered; 0 if there is none."""
        if len(waiting) == 1:
            return waiting
        # ``held``: the channel whose flit is offered, or whose packet has more flits. ``later``: channels after the last one.
        held = Signal(len(waiting))
        later = Signal(len(waiting))
        chosen = Signal(len(waiting))
        pool = Signal(len(waiting))
        begin = waiting if self._shape.virtual_networks == 1 else waiting & self._may_begin(m)
        m.d.comb += [
            pool.eq(Mux((begin & later).any(), begin & later, begin)),
            chosen.eq(Mux(held.any(), held & waiting, pool & (~pool + 1))),
        ]
        with m.If(chosen.any()):
            done = self.o.ready & self.o.payload.last
            m.d.sync += [held.eq(Mux(done, 0, chosen)), later.eq(~(chosen | (chosen - 1)))]
        return chosen

    def _may_begin(self, m):
        """The channels on which the host takes packets."""
        space = Signal.like(self.space, name="space_then")
        m.d.sync += space.eq(self.space)
        return Cat(bit.replicate(share.channels) for bit, share in zip(space, self._port.shares))

    def _describe(self, m, flit):
        """Payload of the stream; the header's fields are kept from the head to the tail."""
        header = data.View(Header(self._shape).layout, flit.data[: Header(self._shape).width])
        beat = self.o.payload
        pairs = [(beat.address, header.source)]
        pairs += [(beat.user[name], header[name]) for name in DESCRIBED if name in Header(self._shape).fields]
        if self._shape.has_detours:
            pairs += [(beat.user[name], header.flags[name]) for name in ("undeliverable", "notice")]
        for number, (field, value) in enumerate(pairs):
            kept = Signal(len(field.as_value()) if hasattr(field, "as_value") else len(field), name=f"kept_{number}")
            now = Mux(flit.head, value, kept)
            m.d.comb += field.eq(now)
            with m.If(self.o.valid):
                m.d.sync += kept.eq(now)
        m.d.comb += [beat.data.eq(flit.data), beat.last.eq(flit.tail), beat.user.bad.eq(flit.tail & flit.bad)]


class HostPort(wiring.Component):
    """Joins a host to a host port of the core. Latency 1 cycle in each direction, one flit per cycle.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.
    interface : str
        ``stream`` or ``axi``.
    byte_count : ByteCountFormat
        AXI4-Stream with TKEEP: where packets have the bytes of their last flit. None without.

    Members
    -------
    - own_address: Address of the switch, as in :class:`Injector`.
    - rx, tx: Packets of the host, and packets to it; with several virtual networks also ``rx_space`` and ``tx_space``
      (:func:`host_signature`).
    - core (Out(rx and tx of flits, stall)): The core's port.
    """

    #: Cycles from the host to the core, and from the core to the host.
    latency = 1

    def __init__(self, shape, port, interface, byte_count=None):
        self._interface, self._byte_count = interface, byte_count
        self._injector, self._ejector = Injector(shape, port), Ejector(shape, port)
        link = FlitLink(shape, port)
        super().__init__(
            {
                "own_address": self._injector.signature.members["own_address"],
                **host_signature(shape, interface, byte_count is not None).members,
                "core": Out(wiring.Signature({"rx": Out(link), "tx": In(link), "stall": Out(1)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.injector = injector = self._injector
        m.submodules.ejector = ejector = self._ejector
        m.d.comb += injector.own_address.eq(self.own_address)
        connect(m, injector.flits, flipped(self.core.rx))
        connect(m, flipped(self.core.tx), ejector.flits)
        if "rx_space" in self.signature.members:
            m.d.comb += [self.rx_space.eq(injector.space), ejector.space.eq(self.tx_space)]
        if self._interface == "stream":
            connect(m, flipped(self.rx), injector.i)
            connect(m, ejector.o, flipped(self.tx))
        else:
            self._connect_axi(m, injector.i, ejector.o)
        return m

    def _connect_axi(self, m, i, o):
        """AXI4-Stream has the same handshake and other names."""
        rx, tx = self.rx, self.tx
        m.d.comb += [
            i.valid.eq(rx.tvalid),
            i.payload.data.eq(rx.tdata),
            i.payload.address.eq(rx.tdest),
            i.payload.user.eq(rx.tuser),
            i.payload.last.eq(rx.tlast),
            rx.tready.eq(i.ready),
            tx.tvalid.eq(o.valid),
            tx.tdata.eq(o.payload.data),
            tx.tid.eq(o.payload.address),
            tx.tuser.eq(o.payload.user),
            tx.tlast.eq(o.payload.last),
            o.ready.eq(tx.tready),
        ]
        if self._byte_count:
            self._connect_tkeep(m, i, o)

    def _connect_tkeep(self, m, i, o):
        """Packets have the count of bytes in place of TKEEP. A packet with a wrong one is marked."""
        rx, tx = self.rx, self.tx
        m.submodules.writer = writer = ByteCountWriter(self._byte_count)
        m.submodules.reader = reader = ByteCountReader(self._byte_count)
        m.d.comb += [
            *(writer.moves.eq(rx.tvalid & rx.tready), writer.data.eq(rx.tdata)),
            *(writer.keep.eq(rx.tkeep), writer.last.eq(rx.tlast)),
            *(i.payload.data.eq(writer.o), i.payload.user.bad.eq(rx.tuser.bad | writer.wrong)),
            *(reader.moves.eq(tx.tvalid & tx.tready), reader.data.eq(o.payload.data), reader.last.eq(o.payload.last)),
            *(tx.tkeep.eq(reader.keep), tx.tuser.bad.eq(o.payload.user.bad | reader.wrong)),
        ]
        if "notice" in o.payload.user.shape().members:
            m.d.comb += reader.notice.eq(o.payload.user.notice)
