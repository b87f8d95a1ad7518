"""Monitors of allocators of one virtual network (:class:`Monitor`)."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import data
from proofs.monitor import Monitor, several

from dsnswitch.hdl.core.output_port import Allocator

from .arbiter_monitors import before_of, order_faults, passed_over


def of_source(vectors, v):
    """Bit ``v`` of each field of a structure of vectors, by name; of an array, one bit per vector."""
    found = SimpleNamespace()
    for name, field in vectors.shape():
        value = vectors[name]
        if isinstance(field.shape, data.StructLayout):
            bit = of_source(value, v)
        else:
            bit = Cat(one[v] for one in value) if isinstance(field.shape, data.ArrayLayout) else value[v]
        setattr(found, name, bit)
    return found


class AllocatorMonitor(Monitor):
    """An output between input channels that ask for anything: no flit without a credit, and packets never mix on a channel.

    The environment plays the input channels: each has at most one open packet, asks to go on with it or to begin the next one,
    and shows the flit in front that was granted.
    """

    def __init__(self, shape, sources, speculative=False, kind=Allocator, port=None):
        self.port = port or next(port for port in shape.ports if port.is_host)
        unit = kind(shape, self.port, sources, speculative)
        unconfirmed = [unit.unconfirmed] if speculative else []
        super().__init__(unit, [unit.requests.as_value(), unit.front.as_value(), unit.ends, unit.credit, *unconfirmed])
        self.depth, self.sources, self.is_single = shape.depth, sources, shape.packet == 1
        #: Of each input the channel that its head asked for in the cycle before, and that of its open packet; one-hot or 0.
        self.waits, self.holds = [], []
        #: Of each channel the flits that the receiver holds, without and with the one that leaves now.
        self.out, self.out_now = [], []
        #: Of each input whether its flit leaves, whether a head is granted, and the flit in front.
        self.users = []

    def watch(self, m):
        unit = self.unit
        faults = [(unit.sent & (unit.sent - 1)).any(), (unit.grant & (unit.grant - 1)).any()]
        rules, users = [], self.users
        for v in range(self.sources):
            request, front, granted = of_source(unit.requests, v), of_source(unit.front, v), unit.grant[v]
            is_open = Signal(name=f"open_{v}")
            still_open = Signal(name=f"still_open_{v}")
            asked = Signal(self.port.channels, name=f"asked_{v}")
            begun = Signal(name=f"begun_{v}")
            held = Signal(self.port.channels, name=f"channel_{v}")
            ends = Signal(name=f"ends_{v}")
            start = request.entry
            m.d.comb += still_open.eq(Mux(granted & ~front.drop, ~front.tail, is_open & ~granted))
            m.d.sync += [is_open.eq(still_open), asked.eq(start.channel), begun.eq(start.taken), held.eq(front.channel)]
            # Known to be a tail: what goes on with a packet, what begins one.
            m.d.sync += ends.eq(Mux(start.taken, start.single, unit.ends[v]))
            rules += [
                ~request.waiting.taken,
                ~start.taken | ~still_open & start.head & start.channel.any() & ~several(start.channel),
                ~request.body | still_open,
                # The flit in front is the one that was granted: a head with its channel, or one of the open packet.
                ~(granted & begun) | (front.channel == asked),
                ~is_open | (front.channel == held) & ~front.drop,
                ~(granted & (ends | self.is_single)) | front.tail | front.drop,
            ]
            faults.append(granted & front.drop & unit.sent.any())
            users.append((granted & ~front.drop, granted & begun, front))
            self.waits.append(Mux(begun, asked, 0))
            self.holds.append(Mux(is_open, held, 0))
        self.heads = Cat(begins for _, begins, _ in users)
        for c in range(self.port.channels):
            out = Signal(range(self.depth + 2), name=f"out_{c}")
            now = Signal(range(self.depth + 2), name=f"out_now_{c}")
            busy = Signal(name=f"busy_{c}")
            user = Signal(range(self.sources), name=f"user_{c}")
            self.out.append(out)
            self.out_now.append(now)
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

    def keep_heads(self, m, rules):
        """Adds to ``rules`` that a head asks until it is granted; the input that was granted last, before and in this cycle."""
        unit = self.unit
        last = Signal(self.sources)
        last_now = Signal(self.sources)
        m.d.comb += last_now.eq(Mux(unit.arbiter.chose, unit.grant, last))
        m.d.sync += last.eq(last_now)
        for v in range(self.sources):
            entry = of_source(unit.requests.entry, v)
            now = Cat(entry.taken, entry.head, entry.single, entry.channel)
            asked = Signal(len(now), name=f"asked_now_{v}")
            stays = Signal(name=f"stays_{v}")
            m.d.sync += [asked.eq(now), stays.eq(entry.taken)]
            rules.append(~(stays & ~unit.grant[v]) | (now == asked))
        return last, last_now


class RingMonitor(AllocatorMonitor):
    """An output in a ring with bubbles: as :class:`AllocatorMonitor`, and packets that enter the ring leave a flit free.

    The head of such a packet leaves only if there is space for it and a flit more. The environment has no packet that is longer
    than the longest.
    """

    def __init__(self, shape, speculative=False, kind=Allocator):
        super().__init__(shape, len(shape.sources), speculative, kind, shape.ports[0])
        self.inputs.append(self.unit.resume)
        self.longest, self.ring = shape.packet, shape.ring_sources(self.port)

    def watch(self, m):
        faults, rules = super().watch(m)
        for v, (moves, begins, front) in enumerate(self.users):
            count = Signal(range(self.longest + 1), name=f"flits_{v}")
            now = Signal(range(self.longest + 1), name=f"flits_now_{v}")
            m.d.comb += now.eq(Mux(begins, 1, count + 1))
            with m.If(moves):
                m.d.sync += count.eq(now)
            rules.append(~moves | front.tail | (now < self.longest))
            for c, source in enumerate(self.ring):
                if v != source:
                    here = moves & front.channel[c]
                    needs = Mux(front.tail, 1, self.longest)
                    faults += [here & begins & (self.out[c] + needs >= self.depth), here & (self.out_now[c] >= self.depth)]
        return faults, rules


class WaitingMonitor(AllocatorMonitor):
    """A head asks for its channel until it is granted, and is passed over on it a bounded number of times, whenever credits come.

    It may be one time more than :class:`MatrixArbiter` says: by a single flit, before the channel waits for a longer packet.
    """

    def __init__(self, shape, sources, speculative=False, kind=Allocator):
        super().__init__(shape, sources, speculative, kind)
        self.inputs.append(self.unit.stall)

    def watch(self, m):
        unit, arbiter = self.unit, self.unit.arbiter
        # Its faults are not inductive.
        _, rules = super().watch(m)
        _, last_now = self.keep_heads(m, rules)
        faults = [*order_faults(arbiter, last_now), (unit.preferred & ~last_now).any()]
        for c, orders in enumerate(arbiter.group_orders):
            holders = Cat(holds[c] for holds in self.holds)
            faults += [several(holders), holders.any() != unit.held[c]]
            # The packet that holds a channel was the last to be granted on it.
            served = arbiter.of_groups(unit.grant) & (arbiter.channel[c] & unit.grant.any()).replicate(len(arbiter.groups))
            at_end = arbiter.of_groups(holders)
            faults += [at_end[one] & first for (one, _), first in before_of(orders, served).items()]
        return faults + passed_over(m, arbiter, self.waits, self.heads, 1), rules
