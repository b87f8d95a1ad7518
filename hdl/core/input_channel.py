"""Input virtual channel: its buffer, and the requests of its next flit to the outputs."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.buffer import ChannelBuffer
from dsnswitch.hdl.core.packet import asks_layout, flit_layout, sent_layout, tagged_layout

__all__ = ["InputChannel"]


class InputChannel(wiring.Component):
    """Buffers the flits of one virtual channel, and requests an output one cycle before a flit can leave.

    The next flit is the one that will be in front of the buffer in the next cycle. If an output grants it, the output's
    registered grant takes it through the crossbar in that next cycle. So a flit that arrives at an empty buffer and finds
    a free output leaves one cycle after its arrival, and each cycle may move one flit. Flits to be dropped leave by themselves.

    The header of an arriving flit is checked while the flit already asks for its output. If the header is wrong, the flit may be
    granted and is dropped in the next cycle, when it is in front.

    Parameters
    ----------
    shape : CoreShape

    Members
    -------
    valid, entry : In(1), In(tagged_layout)
        A flit arrives.
    begins, continues, single : In(1), In(1), In(1)
        If its header is right, it begins a packet; it continues one; it came with the mark of a tail.
    granted : In(ports)
        Registered grants: the outputs that take the flit in front now; one at most.
    asks : Out(asks_layout)
        What the next flit asks for.
    front : Out(flit_layout)
        The flit in front.
    path : Out(sent_layout)
        The choice of channel of its packet, whether it is a tail, whether it is dropped.
    credit : Out(1)
        A flit leaves the buffer.
    empty : Out(1)
        The buffer holds no flit.
    """

    def __init__(self, shape):
        self._shape = shape
        super().__init__(
            {
                "valid": In(1),
                "entry": In(tagged_layout(shape)),
                "begins": In(1),
                "continues": In(1),
                "single": In(1),
                "granted": In(len(shape.ports)),
                "asks": Out(asks_layout(len(shape.ports), shape.selection_width)),
                "front": Out(flit_layout(shape)),
                "path": Out(sent_layout(shape.selection_width)),
                "credit": Out(1),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = ChannelBuffer(tagged_layout(self._shape), self._shape.depth)
        front, second = store.front, store.second
        pop = Signal()
        follows = Signal()
        body = Signal()
        m.d.comb += [
            store.valid.eq(self.valid),
            store.entry.eq(self.entry),
            pop.eq(self.granted.any() | store.front_valid & front.drop),
            store.pop.eq(pop),
            self.credit.eq(pop),
            self.empty.eq(~(store.front_valid | store.second_valid | store.filled)),
            self.front.eq(front.flit),
            self.path.tail.eq(front.flit.tail),
            self.path.drop.eq(front.drop),
            self.path.channel.eq(front.tag.channel),
            follows.eq(~store.stays & store.second_valid),
            self.asks.front.taken.eq(store.stays & front.flit.head),
            self.asks.second.taken.eq(follows & second.flit.head),
            self.asks.entry.taken.eq(store.direct & self.begins),
            body.eq(
                store.stays & ~front.flit.head & ~front.drop
                | follows & ~second.flit.head & ~second.drop
                | store.direct & self.continues
            ),
            self.asks.body.eq(front.tag.route & body.replicate(len(self.granted))),
        ]
        # Whether an arriving flit is made a tail is known late; that it came as one is enough.
        sources = (
            (self.asks.front, front.tag, front.flit.tail),
            (self.asks.second, second.tag, second.flit.tail),
            (self.asks.entry, self.entry.tag, self.single),
        )
        for asks, tag, single in sources:
            m.d.comb += [asks.head.eq(tag.route), asks.single.eq(single), asks.channel.eq(tag.channel)]
        return m
