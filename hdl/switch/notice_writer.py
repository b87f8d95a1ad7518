"""Notice writer: replaces undeliverable packets from the core to host 0 by notices."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import FlitLink, Header
from dsnswitch.hdl.switch.credit_return import CreditReturn
from dsnswitch.hdl.switch.host_beat import host_address
from dsnswitch.hdl.switch.notice import NoticeFormat

__all__ = ["NoticeWriter"]


class NoticeWriter(wiring.Component):
    """Consumes packets that cannot be delivered, and writes a notice for each. Flits pass with latency 0, credits with latency 1.

    A packet with the header bit ``flags.undeliverable`` is consumed if there is ``space`` for its notice, and its credits return
    by themselves. Without space, the packet passes to the host as it is. A notice that cannot be delivered is consumed without
    another notice. So no flit ever waits here.

    Parameters
    ----------
    shape : CoreShape
        With detours.
    port : CorePort
        Host 0.

    Members
    -------
    own_address : In
        Address of the switch, as in :class:`Injector`.
    flits : In(FlitLink)
        Flits from the core.
    o : Out(FlitLink)
        Flits to the host.
    space : In(1)
        A notice can be stored.
    written, notice : Out(1), Out(NoticeFormat.width)
        A notice: the lowest bits of its flit.
    unreported, lost : Out(1), Out(1)
        Events: a packet that cannot be delivered passes to the host; a notice is consumed.

    Attributes
    ----------
    consumed : Signal
        Channel of a flit that is consumed, one-hot; 0 without one.
    returns : list of CreditReturn
        Credits of each channel on their way to the core.
    """

    def __init__(self, shape, port):
        self._shape, self._port = shape, port
        self.consumed = Signal(port.channels)
        self.returns = [CreditReturn(shape.depth) for _ in range(port.channels)]
        super().__init__(
            {
                "own_address": In(sum(field.width for field in shape.network.fields)),
                "flits": In(FlitLink(shape, port)),
                "o": Out(FlitLink(shape, port)),
                "space": In(1),
                "written": Out(1),
                "notice": Out(NoticeFormat(shape).width),
                "unreported": Out(1),
                "lost": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flit, valid = self.flits.flit, self.flits.valid
        header = data.View(Header(self._shape).layout, flit.data[: Header(self._shape).width])
        fails = Signal()
        again = Signal()
        consumed = self.consumed
        dropping = Signal(len(valid))
        m.d.comb += [
            fails.eq(valid.any() & flit.head & header.flags.undeliverable),
            again.eq(header.flags.notice),
            self.written.eq(fails & ~again & self.space),
            self.unreported.eq(fails & ~again & ~self.space),
            self.lost.eq(fails & again),
            self.notice.eq(self._notice(m, header)),
            consumed.eq(valid & Mux(flit.head, (self.written | self.lost).replicate(len(valid)), dropping)),
            self.o.valid.eq(valid & ~consumed),
            self.o.flit.eq(flit),
        ]
        for v, credits in enumerate(self.returns):
            with m.If(valid[v]):
                m.d.sync += dropping[v].eq(consumed[v] & ~flit.tail)
            m.submodules[f"return_{v}"] = credits
            m.d.comb += [
                credits.earned.eq(Cat(self.o.credit[v], consumed[v])),
                self.flits.credit[v].eq(credits.credit),
            ]
        return m

    def _notice(self, m, header):
        """The notice for the packet with ``header``."""
        content = Signal(NoticeFormat(self._shape).layout)
        m.d.comb += [content.destination.eq(header.destination), content.length.eq(header.length)]
        if "payload" in dict(content.shape()):
            m.d.comb += content.payload.eq(self.flits.flit.data[Header(self._shape).width :])
        flags = Header(self._shape).fields["flags"].const({"notice": 1})
        source = host_address(self._shape, self.own_address, self._port.index)
        return Cat(
            Header(self._shape).written(m, destination=header.source, source=source, flags=flags, length=1), content
        )
