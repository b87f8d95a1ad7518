"""Patience with a host of the switch: packets for a host that takes nothing are dropped."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.core.packet import FlitLink

#: Bits of the number of cycles after which packets for a host that takes nothing are dropped.
PATIENCE = 24


class HostPatience(wiring.Component):
    """Drops packets between the core and a host that has taken nothing for ``patience`` cycles. Latency 0 in each direction.

    A channel *expires* if the host holds flits of it and has returned no credit for ``patience`` cycles. The core then gets
    credits that the host has not returned (a loan), so that its next packet leaves, and this packet is dropped. Packets are
    dropped whole, until the host has returned as many credits as were lent. A packet that began before goes to the host,
    which has space for all of it.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.

    Members
    -------
    - patience: Cycles; 0: wait for ever.
    - core (In(rx, tx, stall)): The core's port.
    - host (Out(rx, tx, stall)): As the core's port, for the host.
    - untaken: A packet is dropped.
    """

    #: The component has registers.
    clocked = True

    def __init__(self, shape, port):
        self._shape, self._port = shape, port
        link = FlitLink(shape, port)
        end = wiring.Signature({"rx": In(link), "tx": Out(link), "stall": In(1)})
        super().__init__({"patience": In(PATIENCE), "core": In(end), "host": Out(end), "untaken": Out(1)})

    def elaborate(self, platform):
        m = Module()
        connect(m, flipped(self.host.rx), flipped(self.core.rx))
        sent = self.core.tx
        drops = Signal(self._port.channels)
        m.d.comb += [
            self.core.stall.eq(self.host.stall),
            self.host.tx.valid.eq(sent.valid & ~drops),
            self.host.tx.flit.eq(sent.flit),
            self.untaken.eq(drops.any() & sent.flit.head),
        ]
        for v in range(self._port.channels):
            self._channel(m, v, drops[v])
        return m

    def _channel(self, m, v, drops):
        """Credits of one channel, and whether the flit that comes on it is dropped."""
        depth, packet = self._shape.depth, self._shape.packet
        arrives, flit, credit = self.core.tx.valid[v], self.core.tx.flit, self.core.tx.credit[v]
        # Flits that the host has not taken. ``owed``: credits that the core has not got back, less than 0 for a loan.
        held = Signal(range(depth + 1), name=f"held_{v}")
        owed = Signal(signed((depth + 1).bit_length() + 1), name=f"owed_{v}")
        expired = Signal(name=f"expired_{v}")
        skips = Signal(name=f"skips_{v}")
        taken = Signal(name=f"taken_{v}")
        lent = Signal(name=f"lent_{v}")
        m.d.comb += [
            lent.eq(owed < 0),
            drops.eq(arrives & Mux(flit.head, expired | lent, skips)),
            # A credit more than the host has flits is an error of the host and is ignored.
            taken.eq(self.host.tx.credit[v] & (held.any() | arrives & ~drops)),
            credit.eq(Cat(owed > 0, taken & ~lent, expired & (depth - held - owed < packet)).any()),
        ]
        m.d.sync += [held.eq(held + (arrives & ~drops) - taken), owed.eq(owed + taken + drops - credit)]
        with m.If(arrives):
            m.d.sync += skips.eq(drops)
        self._timer(m, v, taken, held, expired)

    def _timer(self, m, v, taken, held, expired):
        """Cycles since the host has last taken a flit."""
        waited = Signal(PATIENCE, name=f"waited_{v}")
        with m.If(taken | ~held.any() | ~self.patience.any()):
            m.d.sync += [waited.eq(0), expired.eq(0)]
        with m.Elif(waited >= self.patience - 1):
            m.d.sync += expired.eq(1)
        with m.Else():
            m.d.sync += waited.eq(waited + 1)
