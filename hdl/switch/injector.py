"""Injector: converts the packets of a host to flits for the core, with header, channel and credits."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import FlitLink, Header, flit_layout, flow_of
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.hdl.switch.host_beat import beat_layout, host_address

__all__ = ["Injector"]


class Injector(wiring.Component):
    """Converts a stream of packets to flits with header and credits. Latency 1 cycle, one flit per cycle.

    The header replaces the lowest bits of a packet's first flit. It has destination, length and layer of the first beat; the
    source is this host, the hop count 0. A host port with several channels selects the channel by source and destination,
    so packets between the same two hosts stay in order. The stream waits while its channel has no credit. ``ready`` comes from
    registers.

    Length and destination are not checked here: the core drops a packet with a wrong one and counts it.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.

    Members
    -------
    own_address : In
        Address of the switch: the fields of the network in the order of the header, the first from bit 0.
    i : In(stream of beat_layout)
        Packets of the host.
    flits : Out(FlitLink)
        Flits to the core.
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
            }
        )

    def elaborate(self, platform):
        m = Module()
        beat, channels = self.i.payload, self._port.channels
        held = stream.Signature(flit_layout(self._shape)).create(path=("held",))
        continues = Signal()
        channel = Signal(channels, init=1)
        taken = stage(m, self.i, held)
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
                    m.d.sync += channel.eq(1 << self._flow)
        available = [self._available(m, v) for v in range(channels)]
        m.d.comb += [
            held.ready.eq((Cat(available) & channel).any()),
            self.flits.valid.eq(Mux(held.valid, Cat(available) & channel, 0)),
            self.flits.flit.eq(held.payload),
        ]
        return m

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

    @property
    def _flow(self):
        """Number of the channel, from 0."""
        width = (self._port.channels - 1).bit_length()
        return flow_of(self.i.payload.address, self._source, width)

    def _first(self, m, beat):
        """Data of a head: the header, and the rest of the first flit."""
        values = {"destination": beat.address, "source": self._source, "length": beat.user.length}
        if "layer" in self._header.fields:
            values["layer"] = beat.user.layer
        return Cat(self._header.written(m, **values), beat.data[self._header.width :])
