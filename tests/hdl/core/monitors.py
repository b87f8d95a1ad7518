"""Monitors of the units of the switch core: each states a property of its unit (:class:`Monitor`)."""

from itertools import permutations

from amaranth.hdl import Mux, Signal
from amaranth.lib import data
from proofs.monitor import Monitor

from dsnswitch.hdl.core.input_channel import ChannelBuffer
from dsnswitch.hdl.core.output_port import Allocator, CreditCounter, MatrixArbiter

#: A flit with its tag, as short as it can be.
LAYOUT = data.StructLayout({"flit": data.StructLayout({"data": 3, "head": 1}), "tag": 1, "drop": 1})


class ArbiterMonitor(Monitor):
    """At most one grant, to one that asked; one if any asks; and nobody is passed over twice by the same input."""

    def __init__(self, inputs, kind=MatrixArbiter):
        unit = kind(inputs)
        super().__init__(unit, [unit.request, unit.keep])
        self.count = inputs

    def watch(self, m):
        unit, count = self.unit, self.count
        asked = Signal(count)
        kept = Signal(count)
        m.d.sync += [asked.eq(unit.request), kept.eq(unit.keep)]
        grant = unit.grant
        faults = [
            (grant & (grant - 1)).any(),
            (grant & ~Mux(kept.any(), kept, asked)).any(),
            (asked.any() | kept.any()) & ~grant.any(),
        ]
        before_it = {}
        for low, high in unit.order:
            before_it[low, high] = unit.order[low, high] & ~grant[low] | grant[high]
            before_it[high, low] = ~before_it[low, high]
        # The order has no circle.
        faults += [before_it[a, b] & before_it[b, c] & ~before_it[a, c] for a, b, c in permutations(range(count), 3)]
        for waits, other in permutations(range(count), 2):
            passed = Signal(name=f"passed_{waits}_{other}")
            again = asked[waits] & ~kept.any() & grant[other]
            m.d.sync += passed.eq(~grant[waits] & (passed | again))
            # A second time; and what makes it impossible.
            faults += [passed & again, passed & ~grant[waits] & ~before_it[waits, other]]
        return faults, [~(unit.keep & (unit.keep - 1)).any()]


class CreditMonitor(Monitor):
    """The comparisons are those of the credits that are left, the flit of this cycle included; both are 0 after a stall."""

    def __init__(self, depth, packet, kind=CreditCounter):
        unit = kind(depth, packet)
        super().__init__(unit, [unit.sent, unit.credit, unit.stall])
        self.depth, self.packet = depth, packet

    def watch(self, m):
        unit, depth = self.unit, self.depth
        out = Signal(range(depth + 2))
        now = Signal(range(depth + 2))
        could = Signal(init=1)
        stalled = Signal()
        m.d.comb += now.eq(out + unit.sent)
        m.d.sync += [out.eq(now - unit.credit), could.eq(now < depth), stalled.eq(unit.stall)]
        faults = [
            unit.left + out != depth,
            unit.any_left != ((now < depth) & ~stalled),
            unit.packet_left != ((now + self.packet <= depth) & ~stalled),
        ]
        # A flit is sent if there was a credit for it in the cycle before; a credit comes back if one is out.
        return faults, [~unit.sent | could, ~unit.credit | now.any()]


class BufferMonitor(Monitor):
    """The RAM holds what it has words for, nothing is lost, and flits leave in order."""

    def __init__(self, depth, kind=ChannelBuffer):
        unit = kind(LAYOUT, depth)
        super().__init__(unit, [unit.valid, unit.entry.as_value(), unit.pop])
        self.depth = depth

    def watch(self, m):
        unit, depth = self.unit, self.depth
        held = Signal(range(depth + 1))
        came = Signal(3)
        left = Signal(3)
        m.d.sync += [held.eq(held + unit.valid - unit.pop), came.eq(came + unit.valid), left.eq(left + unit.pop)]
        self.level_faults = [
            unit.level > unit.words,
            held != unit.level + unit.front_valid + unit.second_valid,
            # Why that is so.
            unit.filled != unit.level.any(),
            (unit.level >= 2) & ~unit.second_valid,
            (unit.level >= 3) & ~unit.front_valid,
        ]
        rules = [
            ~unit.valid | (held < depth),
            ~unit.pop | unit.front_valid,
            unit.entry.flit.data == came,
        ]
        return self.level_faults + self.order_faults(unit, left), rules

    def order_faults(self, unit, left):
        """Nothing about the contents of the RAM: induction knows them not."""
        return []


class OrderMonitor(BufferMonitor):
    """As :class:`BufferMonitor`, and the flit in front is the one whose turn it is. For a bounded number of cycles."""

    def order_faults(self, unit, left):
        return [unit.front_valid & (unit.front.flit.data != left)]


class AllocatorMonitor(Monitor):
    """An output between input channels that ask for anything: no flit without a credit, and packets never mix on a channel.

    The environment plays the input channels: each has at most one open packet, asks to go on with it or to begin the next one,
    and shows the flit in front that was granted.
    """

    def __init__(self, shape, sources, kind=Allocator):
        self.port = next(port for port in shape.ports if port.is_host)
        unit = kind(shape, self.port, sources)
        super().__init__(unit, [unit.requests.as_value(), unit.front.as_value(), unit.credit])
        self.depth, self.sources = shape.depth, sources

    def watch(self, m):
        unit = self.unit
        faults = [(unit.sent & (unit.sent - 1)).any(), (unit.grant & (unit.grant - 1)).any()]
        rules, users = [], []
        for v in range(self.sources):
            request, front, granted = unit.requests[v], unit.front[v], unit.grant[v]
            is_open = Signal(name=f"open_{v}")
            still_open = Signal(name=f"still_open_{v}")
            asked = Signal(self.port.channels, name=f"asked_{v}")
            begun = Signal(name=f"begun_{v}")
            held = Signal(self.port.channels, name=f"channel_{v}")
            start = request.entry
            m.d.comb += still_open.eq(Mux(granted & ~front.drop, ~front.tail, is_open & ~granted))
            m.d.sync += [is_open.eq(still_open), asked.eq(start.channel), begun.eq(start.taken), held.eq(front.channel)]
            rules += [
                ~request.front.taken & ~request.second.taken,
                ~start.taken | ~still_open & start.head & _one_hot(start.channel),
                ~request.body | still_open,
                # The flit in front is the one that was granted: a head with its channel, or one of the open packet.
                ~(granted & begun) | (front.channel == asked),
                ~is_open | (front.channel == held) & ~front.drop,
            ]
            faults.append(granted & front.drop & unit.sent.any())
            users.append((granted & ~front.drop, granted & begun, front))
        for c in range(self.port.channels):
            out = Signal(range(self.depth + 2), name=f"out_{c}")
            now = Signal(range(self.depth + 2), name=f"out_now_{c}")
            busy = Signal(name=f"busy_{c}")
            user = Signal(range(self.sources), name=f"user_{c}")
            m.d.comb += now.eq(out + unit.sent[c])
            m.d.sync += out.eq(now - unit.credit[c])
            rules.append(~unit.credit[c] | now.any())
            faults.append(now > self.depth)
            for v, (moves, begins, front) in enumerate(users):
                here = moves & front.channel[c]
                faults += [here & begins & busy, here & ~begins & (~busy | (user != v))]
                with m.If(here):
                    m.d.sync += [busy.eq(~front.tail), user.eq(v)]
        return faults, rules


def _one_hot(value):
    return value.any() & ~(value & (value - 1)).any()
