"""Output port: allocator, credits, and the crossbar's column with the output register."""

from itertools import combinations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import asks_layout, flit_layout, sent_layout
from dsnswitch.hdl.core.shape import CorePort, CoreShape


class MatrixArbiter(wiring.Component):
    """Grants the least recently served requester. Latency 1 cycle, with one bit of state per pair of requesters.

    While an input requests and is not granted, each other input is granted at most once: the grant moves it to the end of
    the order. So a request waits for at most ``inputs - 1`` grants to others. This also holds if requests come and go: cycles
    without a request change the order only in the waiting input's favour.

    The order of a cycle already counts the grant that is in the register, which enters the order's own registers one cycle
    later. So a late request passes through the comparison only.

    Members
    -------
    - request: Requests.
    - keep: One-hot or 0. If not 0, it is granted and ``request`` is ignored.
    - grant: One-hot, or 0 without a request; registered.
    """

    def __init__(self, inputs: int):
        pairs = combinations(range(inputs), 2)
        #: For each pair ``(low, high)`` the register that says whether ``low`` comes before ``high``, without the last grant.
        self.order = {(low, high): Signal(name=f"order_{low}_{high}", init=1) for low, high in pairs}
        super().__init__({"request": In(inputs), "keep": In(inputs), "grant": Out(inputs)})

    def elaborate(self, platform):
        m = Module()
        inputs = len(self.request)
        first = {}
        for (low, high), order in self.order.items():
            first[low, high] = order_now = Signal(name=f"order_now_{low}_{high}")
            m.d.comb += order_now.eq(order & ~self.grant[low] | self.grant[high])
            m.d.sync += order.eq(order_now)
            first[high, low] = ~order_now
        kept = Signal()
        m.d.comb += kept.eq(self.keep.any())
        for one in range(inputs):
            loses = Signal(name=f"loses_{one}")
            rivals = [self.request[other] & first[other, one] for other in range(inputs) if other != one]
            m.d.comb += loses.eq(Cat(rivals).any())
            m.d.sync += self.grant[one].eq(Mux(kept, self.keep[one], self.request[one] & ~loses))
        return m


class CreditCounter(wiring.Component):
    """Counts the free flits of the receiver's buffer, and compares the count before it is needed.

    The comparisons are registered; in the cycle in which a flit is sent they already count it.

    Parameters
    ----------
    depth : int
        Credits after reset.
    packet : int
        Flits of the longest packet; 1 to ``depth``.

    Members
    -------
    - sent: A flit is on its way to the output register.
    - credit: The receiver has freed one flit.
    - stall: The link cannot take flits now. From the next cycle on, both answers are 0.
    - any_left: One flit more can be sent.
    - packet_left: A longest packet more can be sent.
    """

    def __init__(self, depth, packet):
        self._depth, self._packet = depth, packet
        #: The count, without the flit that is sent now.
        self.left = Signal(range(depth + 1), init=depth)
        super().__init__({"sent": In(1), "credit": In(1), "stall": In(1), "any_left": Out(1), "packet_left": Out(1)})

    def elaborate(self, platform):
        m = Module()
        left = self.left
        after = Signal(range(self._depth + 1))
        # One credit more than the receiver has is an error of the receiver; the count stays where it is.
        full = Signal(init=1)
        up = Signal()
        m.d.comb += [
            up.eq(self.credit & ~(full & ~self.sent)),
            after.eq(Mux(self.sent, Mux(up, left, left - 1), Mux(up, left + 1, left))),
        ]
        m.d.sync += [left.eq(after), full.eq(after == self._depth)]
        for name, bound, answer in (("any", 1, self.any_left), ("packet", self._packet, self.packet_left)):
            reached = Signal(name=f"{name}_reached", init=self._depth >= bound)
            passed = Signal(name=f"{name}_passed", init=self._depth > bound)
            m.d.sync += reached.eq((after >= bound) & ~self.stall)
            if bound < self._depth:
                m.d.sync += passed.eq((after > bound) & ~self.stall)
            m.d.comb += answer.eq(Mux(self.sent, passed, reached))
        return m


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
    - requests: What the next flit of each input channel asks for.
    - front: The flit in front of each input channel.
    - credit: Credits that the receiver returns.
    - stall: The link cannot take flits now: from the next cycle on nothing is granted, and the last flit leaves two cycles
      later.
    - grant: One-hot or 0, registered: the input channel whose flit passes now.
    - sent: The channel on which it leaves; one-hot or 0.
    - free: With adaptive routing: a channel, registered, that no packet holds and that has credits for a longest packet.
    """

    def __init__(self, shape: CoreShape, port: CorePort, sources: int):
        # Not the port: allocators of ports with equally many channels are equal.
        self._shape, self._channels = shape, port.channels
        super().__init__(
            {
                "requests": In(data.ArrayLayout(asks_layout(1, port.channels), sources)),
                "front": In(data.ArrayLayout(sent_layout(port.channels), sources)),
                "credit": In(port.channels),
                "stall": In(1),
                "grant": Out(sources),
                "sent": Out(port.channels),
                **({"free": Out(port.channels)} if shape.is_adaptive else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        sources, channels = len(self.grant), self._channels
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
        if self._shape.is_adaptive:
            m.d.sync += self.free.eq(new_head)
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

    Members
    -------
    - grant: One-hot or 0.
    - sent: Channel of the flit, one-hot or 0.
    - front: In(array of flit_layout)
    - valid, flit: The flit, registered; the flit's bits mean nothing without ``valid``.
    """

    def __init__(self, shape: CoreShape, port: CorePort, sources: int):
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
