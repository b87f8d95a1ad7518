"""Output port: allocator, credits, and the crossbar's column with the output register."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arbiter import MatrixArbiter
from dsnswitch.hdl.core.credits import CreditCounter
from dsnswitch.hdl.core.packet import asks_layout, flit_layout, sent_layout

__all__ = ["Allocator", "CrossbarColumn"]


class Allocator(wiring.Component):
    """Grants one output port to input channels. The grant is registered: it moves a flit in the next cycle.

    A packet holds its output *channel* from its head to its tail. The port follows the packet that used it last, as long as
    that packet has a flit and a credit (with virtual cut-through); otherwise the :class:`MatrixArbiter` chooses.

    A head is eligible if its channel is free and has credits for a whole packet (virtual cut-through), or for one flit
    (wormhole, or a packet of a single flit while no longer one waits for the channel). A flit of another packet is eligible if
    there is a credit. While a head is eligible it waits for at most ``sources - 1`` other packets (wormhole: flits).

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The output.
    sources : int
        Input channels.

    Members
    -------
    requests : In(array of asks_layout with one port)
        What the next flit of each input channel asks for.
    front : In(array of sent_layout)
        The flit in front of each input channel.
    credit : In(channels)
        Credits that the receiver returns.
    stall : In(1)
        The link cannot take flits now: from the next cycle on nothing is granted, and the last flit leaves two cycles later.
    grant : Out(sources)
        One-hot or 0, registered: the input channel whose flit passes now.
    sent : Out(channels)
        The channel on which it leaves; one-hot or 0.
    """

    def __init__(self, shape, port, sources):
        self._shape, self._port = shape, port
        super().__init__(
            {
                "requests": In(data.ArrayLayout(asks_layout(1, port.channels), sources)),
                "front": In(data.ArrayLayout(sent_layout(port.channels), sources)),
                "credit": In(port.channels),
                "stall": In(1),
                "grant": Out(sources),
                "sent": Out(port.channels),
            }
        )

    def elaborate(self, platform):
        m = Module()
        sources, channels = len(self.grant), self._port.channels
        m.submodules.arbiter = arbiter = MatrixArbiter(sources)
        moved = [bit & ~front.drop for bit, front in zip(self.grant, self.front)]
        tails = Signal()
        m.d.comb += [
            self.grant.eq(arbiter.grant),
            tails.eq(Cat(bit & front.tail for bit, front in zip(moved, self.front)).any()),
        ]
        new_head = Signal(channels)
        single_head = Signal(channels)
        flit_left = Signal(channels)
        for c in range(channels):
            m.d.comb += self.sent[c].eq(Cat(bit & front.channel[c] for bit, front in zip(moved, self.front)).any())
            self._channel(m, c, tails, new_head[c], single_head[c], flit_left[c])
        onward = Signal(sources)
        for v, (request, front) in enumerate(zip(self.requests, self.front)):
            starts = Signal(3, name=f"starts_{v}")
            for index, start in enumerate((request.front, request.second, request.entry)):
                able = Mux(start.single, single_head, new_head) & start.channel
                m.d.comb += starts[index].eq(start.taken & start.head & able.any())
            m.d.comb += [
                onward[v].eq(request.body & (front.channel & flit_left).any()),
                arbiter.request[v].eq(starts.any() | onward[v]),
            ]
        if self._shape.switching == "vct":
            # The flit after a tail is a head and not onward, so a tail ends the preference.
            m.d.comb += arbiter.keep.eq(self.grant & onward)
        return m

    def _channel(self, m, c, tails, new_head, single_head, flit_left):
        """One output channel: its credits, whether a packet holds it, and who may use it."""
        shape = self._shape
        cut_through = shape.switching == "vct"
        counter = CreditCounter(shape.depth, shape.packet if cut_through else 1)
        m.submodules[f"credits_{c}"] = counter
        held = Signal(name=f"held_{c}")
        still_held = Signal(name=f"still_held_{c}")
        m.d.comb += [
            counter.sent.eq(self.sent[c]),
            counter.credit.eq(self.credit[c]),
            counter.stall.eq(self.stall),
            still_held.eq(Mux(self.sent[c], ~tails, held)),
            flit_left.eq(counter.any_left),
            new_head.eq(~still_held & counter.packet_left),
        ]
        m.d.sync += held.eq(still_held)
        if not cut_through:
            m.d.comb += single_head.eq(new_head)
            return
        # Single flits must not use up again and again the credits that a longer packet waits for.
        waits = Signal(name=f"long_waits_{c}")
        starts = [start for r in self.requests for start in (r.front, r.second, r.entry)]
        longer = [start.taken & start.head & ~start.single & start.channel[c] for start in starts]
        m.d.sync += waits.eq(Cat(longer).any())
        m.d.comb += single_head.eq(~still_held & Mux(waits, counter.packet_left, counter.any_left))


class CrossbarColumn(wiring.Component):
    """The crossbar's column of one output: AND-OR over the input channels, and the output register. Latency 1 cycle.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
    sources : int

    Members
    -------
    grant : In(sources)
        One-hot or 0.
    sent : In(channels)
        Channel of the flit, one-hot or 0.
    front : In(array of flit_layout)
    valid, flit : Out(channels), Out(flit_layout)
        The flit, registered; the flit's bits mean nothing without ``valid``.
    """

    def __init__(self, shape, port, sources):
        self._shape = shape
        super().__init__(
            {
                "grant": In(sources),
                "sent": In(port.channels),
                "front": In(data.ArrayLayout(flit_layout(shape), sources)),
                "valid": Out(port.channels),
                "flit": Out(flit_layout(shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        chosen = Const(0, flit_layout(self._shape).size)
        for bit, flit in zip(self.grant, self.front):
            chosen |= Mux(bit, flit.as_value(), 0)
        flit = Signal(flit_layout(self._shape), reset_less=True)
        m.d.sync += [self.valid.eq(self.sent), flit.as_value().eq(chosen)]
        m.d.comb += self.flit.eq(flit)
        return m
