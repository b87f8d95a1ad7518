"""A host port of the switch: packets as a stream or as AXI4-Stream, flits and credits at the core."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.core.packet import FlitLink
from dsnswitch.hdl.switch.ejector import Ejector
from dsnswitch.hdl.switch.host_beat import host_signature
from dsnswitch.hdl.switch.injector import Injector

__all__ = ["HostPort"]


class HostPort(wiring.Component):
    """Joins a host to a host port of the core. Latency 1 cycle in each direction, one flit per cycle.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.
    interface : str
        ``stream`` or ``axi``.

    Members
    -------
    own_address : In
        Address of the switch, as in :class:`Injector`.
    rx, tx : In, Out(host_signature)
        Packets of the host, and packets to it.
    core : Out(rx and tx of flits, stall)
        The core's port.
    """

    #: Cycles from the host to the core, and from the core to the host.
    latency = 1

    def __init__(self, shape, port, interface):
        self._interface = interface
        self._injector, self._ejector = Injector(shape, port), Ejector(shape, port)
        link = FlitLink(shape, port)
        super().__init__(
            {
                "own_address": self._injector.signature.members["own_address"],
                **host_signature(shape, interface).members,
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
