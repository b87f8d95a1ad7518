"""Ejector: buffers packets from the core and sends them to a host, one whole packet after the other."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.buffer import ChannelBuffer
from dsnswitch.hdl.core.packet import FlitLink, Header, flit_layout
from dsnswitch.hdl.switch.host_beat import beat_layout

__all__ = ["Ejector"]


class Ejector(wiring.Component):
    """Converts the flits of a host port to a stream of packets. Latency 1 cycle, one flit per cycle.

    Each channel has a buffer of the depth for which the core has credits, so the stream may stop at any time. Flits of several
    channels may alternate in the core; in the stream, the flits of a packet follow each other without flits of others. Channels
    take turns packet by packet. The payload holds its value until the host accepts it.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.

    Members
    -------
    flits : In(FlitLink)
        Flits from the core.
    o : Out(stream of beat_layout)
        Packets to the host.
    """

    #: Cycles from a flit to its beat.
    latency = 1

    def __init__(self, shape, port):
        self._shape, self._port = shape, port
        super().__init__({"flits": In(FlitLink(shape, port)), "o": Out(stream.Signature(beat_layout(shape, True)))})

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
        m.d.comb += [
            pool.eq(Mux((waiting & later).any(), waiting & later, waiting)),
            chosen.eq(Mux(held.any(), held & waiting, pool & (~pool + 1))),
        ]
        with m.If(chosen.any()):
            done = self.o.ready & self.o.payload.last
            m.d.sync += [held.eq(Mux(done, 0, chosen)), later.eq(~(chosen | (chosen - 1)))]
        return chosen

    def _describe(self, m, flit):
        """Payload of the stream; the header's fields are kept from the head to the tail."""
        header = data.View(Header(self._shape).layout, flit.data[: Header(self._shape).width])
        beat = self.o.payload
        pairs = [(beat.address, header.source)]
        pairs += [(beat.user[name], header[name]) for name in ("length", "layer") if name in Header(self._shape).fields]
        if self._shape.has_detours:
            pairs += [(beat.user[name], header.flags[name]) for name in ("undeliverable", "notice")]
        for number, (field, value) in enumerate(pairs):
            kept = Signal(len(field.as_value()) if hasattr(field, "as_value") else len(field), name=f"kept_{number}")
            now = Mux(flit.head, value, kept)
            m.d.comb += field.eq(now)
            with m.If(self.o.valid):
                m.d.sync += kept.eq(now)
        m.d.comb += [beat.data.eq(flit.data), beat.last.eq(flit.tail), beat.user.bad.eq(flit.tail & flit.bad)]
