"""Crossbar input that several channels of an input port share: whose turn it is to ask for an output."""

from functools import reduce

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arbiter import LeastRecent
from dsnswitch.hdl.core.packet import able_layout, asks_layout, choice_of, flit_layout, sent_layout
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.logic.gates import selected


class CrossbarInput(wiring.Component):
    """Lets one of several input channels use a crossbar input. No latency at zero load; one flit per cycle.

    The channel whose turn it is asks for its output as if it had the crossbar input alone, so outputs need one arbiter input and
    the crossbar one operand for all of these channels. In the order of preference the turn has

    1. the channel whose flit passes now, until the tail: a packet is not interrupted by another of the same input;
    2. a channel that was picked in the cycle before, by :class:`LeastRecent`, among those whose next flit could be sent: a head
       whose output has a free channel with credits and is not kept by another packet, a flit of a packet that has begun, and a
       flit that comes to the front, of which this is not known yet;
    3. the channel whose tail passes now, if a head follows in its buffer;
    4. the channel on which a flit arrives;
    5. the channel whose head waits longest, in case that it can be sent since this cycle.

    So a flit that arrives while no other channel of the input has one asks in the cycle of its arrival. The choice of 2. is made
    from registers, one cycle early, so that the arbiters of outputs do not wait for it.

    A waiting head is not starved: only flits that pass change the order, so the head that waits longest is picked whenever its
    output opens, and each time that the output then grants another input, this one goes behind in the order of the output.

    Members
    -------
    - valid (In(channels)): A flit arrives on this channel; one-hot or 0.
    - asks, front, path, last (In): Of each channel, as :class:`InputChannel` has them.
    - tentatives, tentative (In(channels), Out(1)): With ``speculative``: of each channel; of the channel whose turn it is.
    - granted (In(outputs)): Registered grants of this input.
    - able (In): What each output says to waiting heads (:func:`able_layout`).
    - chosen (Out(asks_layout)): The request of the channel whose turn it is.
    - taken (Out(channels)): The channel whose turn it was in the cycle before, to which ``granted`` applies; one-hot or 0.
    - data, sent (Out(flit_layout), Out(sent_layout)): Its flit in front, with its path.
    - ends (Out(1)): The flit after the one that passes now is the tail of its packet.
    """

    def __init__(self, shape: CoreShape, channels: int, speculative=False):
        self._shape, self._speculative = shape, speculative
        ports, selection = len(shape.ports), shape.selection_width
        super().__init__(
            {
                "valid": In(channels),
                "asks": In(data.ArrayLayout(asks_layout(ports, selection), channels)),
                "front": In(data.ArrayLayout(flit_layout(shape), channels)),
                "path": In(data.ArrayLayout(sent_layout(selection), channels)),
                "last": In(channels),
                **({"tentatives": In(channels), "tentative": Out(1)} if speculative else {}),
                "granted": In(ports),
                "able": In(data.StructLayout({port.name: able_layout(port) for port in shape.ports})),
                "chosen": Out(asks_layout(ports, selection)),
                "taken": Out(channels),
                "data": Out(flit_layout(shape)),
                "sent": Out(sent_layout(selection)),
                "ends": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels = len(self.valid)
        m.submodules.order = order = LeastRecent(channels)
        m.submodules.waiting_order = waiting_order = LeastRecent(channels)
        picked = Signal(channels)
        waiting = Signal(channels)
        passes = Signal(channels)
        going = Signal(channels)
        turn = Signal(channels)
        follows = Signal(channels)
        heads = Cat(asks.waiting.taken for asks in self.asks)
        m.d.comb += [
            passes.eq(Mux(self.granted.any(), self.taken, 0)),
            going.eq(passes & ~Cat(path.tail for path in self.path)),
            turn.eq(reduce(lambda last, one: Mux(one.any(), one, last), (waiting, self.valid, follows, picked, going))),
            follows.eq(passes & heads),
            self.ends.eq((going & self.last).any()),
            order.served.eq(passes),
            order.request.eq(Cat(self._may_ask(asks, passes[v]) for v, asks in enumerate(self.asks))),
            waiting_order.served.eq(passes),
            waiting_order.request.eq(heads & ~passes),
        ]
        if self._speculative:
            m.d.comb += self.tentative.eq((turn & self.tentatives).any())
        m.d.sync += [picked.eq(order.pick), waiting.eq(waiting_order.pick), self.taken.eq(turn)]
        for name in ("waiting", "entry"):
            asks, chosen = [getattr(one, name) for one in self.asks], getattr(self.chosen, name)
            m.d.comb += chosen.taken.eq((turn & Cat(one.taken for one in asks)).any())
            for field in ("head", "single", "channel"):
                # One flit arrives at a port, so all channels show the same.
                value = asks[0][field] if name == "entry" else selected(turn, [one[field] for one in asks])
                m.d.comb += getattr(chosen, field).eq(value)
        m.d.comb += [
            self.chosen.body.eq(selected(turn, [one.body for one in self.asks])),
            self.data.as_value().eq(selected(self.taken, [one.as_value() for one in self.front])),
            self.sent.as_value().eq(selected(self.taken, [one.as_value() for one in self.path])),
        ]
        return m

    def _may_ask(self, asks, passes):
        """Whether the flit of a channel that will be in front could be sent, as far as is known.

        ``passes``: one before it passes now.
        """
        waiting, heads, bodies = asks.waiting, [], []
        for number, port in enumerate(self._shape.ports):
            able = self.able[port.name]
            free = Mux(waiting.single, able.single, able.long) & choice_of(self._shape, port, waiting.channel)
            heads.append(waiting.head[number] & free.any() & able.opens)
            bodies.append(asks.body[number] & able.opens)
        return waiting.taken & (passes | Cat(heads).any()) | Cat(bodies).any() | asks.entry.taken
