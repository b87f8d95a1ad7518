"""Which packets wait for credits at one output port."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CreditStalls"]


class CreditStalls(wiring.Component):
    """States for each channel of an output whether a packet waits for credits. Latency 3 cycles from the cycle of the wait.

    A packet waits for credits in a cycle in which its head is in front of an input channel and asks for an output channel that no
    other packet holds, but whose receiver cannot take a longest packet, or one flit if the packet has one flit. With virtual
    cut-through the flits after a head never wait for credits.

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
    waits : In(sources)
        In the cycle before, the flit in front of the input channel was a head and stayed.
    front : In(array of one-bit ``asks`` and ``single``, ``channel``)
        Of the flit in front now: whether its packet goes to this output, has one flit, and on which channel.
    valid, tail : In(channels), In(1)
        A flit leaves on the link; it is a tail.
    credit : In(channels)
        Credits that the receiver returns.
    stalled : Out(channels)
        A packet waits for credits; registered.
    """

    def __init__(self, shape, port, sources):
        if shape.switching != "vct":
            raise ValueError(f"Credit stalls are observed with virtual cut-through (vct), not with {shape.switching}")
        self._depth, self._packet = shape.depth, shape.packet
        front = data.StructLayout({"asks": 1, "single": 1, "channel": port.channels})
        super().__init__(
            {
                "waits": In(sources),
                "front": In(data.ArrayLayout(front, sources)),
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
            asks = [wait & front.asks & front.channel[c] for wait, front in zip(self.waits, self.front)]
            m.d.sync += [
                long_waits.eq(Cat(ask & ~front.single for ask, front in zip(asks, self.front)).any()),
                single_waits.eq(Cat(ask & front.single for ask, front in zip(asks, self.front)).any()),
            ]
            held = Signal(name=f"held_{c}")
            left = Signal(range(self._depth + 1), init=self._depth, name=f"left_{c}")
            # As in the core, a credit too many leaves the count where it is.
            full = left == self._depth
            up = Signal(name=f"up_{c}")
            m.d.comb += up.eq(returned[c] & ~(full & ~self.valid[c]))
            m.d.sync += left.eq(Mux(self.valid[c], Mux(up, left, left - 1), Mux(up, left + 1, left)))
            with m.If(self.valid[c]):
                m.d.sync += held.eq(~self.tail)
            few = left < self._packet
            m.d.sync += stalled.eq(~held & (long_waits & few | single_waits & ~left.any()))
        return m
