"""Monitors of the units of the switch core: each states a property of its unit (:class:`Monitor`)."""

from itertools import permutations
from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Mux, Signal
from amaranth.lib import data
from proofs.monitor import Monitor, several

from dsnswitch.hdl.core.arbiter import LeastRecent, MatrixArbiter
from dsnswitch.hdl.core.input_channel import ChannelBuffer, PooledChannelBuffer
from dsnswitch.hdl.core.output_port import Allocator, CreditCounter, PoolCounter
from dsnswitch.hdl.core.shared_buffer import SharedBuffer

#: A flit with its tag, as short as it can be.
LAYOUT = data.StructLayout({"flit": data.StructLayout({"data": 3, "head": 1}), "tag": 1, "drop": 1})


class ArbiterMonitor(Monitor):
    """At most one grant, to one that asked; one if any asks; who waits for a channel is passed over a bounded number of times.

    The environment lets each input wait for a channel, and opens and closes channels as it likes. With ``speculative``: no grant
    to an input whose flit did not count, and perhaps none while such a flit asks.
    """

    def __init__(self, inputs, channels=1, speculative=False, kind=MatrixArbiter):
        unit = kind(inputs, channels, speculative)
        self.waits = Signal(data.ArrayLayout(channels, inputs))
        self.opens = Signal(channels)
        more = [unit.unconfirmed] if speculative else []
        super().__init__(unit, [self.waits.as_value(), self.opens, unit.keep, *more])
        self.count, self.channels, self.speculative = inputs, channels, speculative

    def watch(self, m):
        unit, count = self.unit, self.count
        grant = unit.grant
        asks_now = Signal.like(self.waits)
        asked = Signal.like(self.waits)
        waited = Signal.like(self.waits)
        kept = Signal(count)
        unconfirmed = Signal(count)
        m.d.comb += [asks_now[one].eq(self.waits[one] & self.opens) for one in range(count)]
        m.d.comb += [unit.request[c].eq(Cat(one[c] for one in asks_now)) for c in range(self.channels)]
        m.d.sync += [
            asked.eq(asks_now),
            waited.eq(self.waits),
            kept.eq(unit.keep),
            unconfirmed.eq(unit.unconfirmed if self.speculative else 0),
        ]
        asks = Cat(one.any() for one in asked)
        faults = [
            several(grant),
            (grant & (~Mux(kept.any(), kept, asks) | unconfirmed)).any(),
            (asks.any() | kept.any()) & ~grant.any() & ~((asks | kept) & unconfirmed).any(),
            unit.chose != (asks.any() & ~kept.any()),
            unit.chose & Cat(bit & ~(one & unit.channel).any() for bit, one in zip(grant, asked)).any(),
        ]
        last = Signal(count)
        last_now = Signal(count)
        m.d.comb += last_now.eq(Mux(unit.chose, grant, last))
        m.d.sync += last.eq(last_now)
        faults += order_faults(unit, last_now)
        faults += passed_over(m, unit, waited)
        # A channel for which somebody asks is passed over by each other one at most once.
        asked_channels = Cat(Cat(one[c] for one in asked).any() & unit.chose for c in range(self.channels))
        given = unit.channel & grant.any().replicate(self.channels)
        faults += nobody_twice(m, unit.channel_order, range(self.channels), asked_channels, given)
        rules = [~unit.keep.any() | (unit.keep == last_now), *(~several(one) for one in self.waits)]
        return faults, rules


def order_faults(unit, last):
    """Faults of the orders of an arbiter: three in a circle, or the ``last`` to be granted is not the last of its channel."""
    served = unit.channel & unit.grant.any().replicate(len(unit.channel))
    faults = [(unit.channel & (unit.channel - 1)).any(), (unit.grant | last).any() & ~unit.channel.any()]
    faults.append(several(last))
    faults += in_a_circle(unit.order, unit.grant) + in_a_circle(unit.channel_order, served)
    for c, orders in enumerate(unit.group_orders):
        groups = unit.of_groups(unit.grant) & served[c].replicate(len(unit.groups))
        faults += in_a_circle(orders, groups)
        before, at_end = before_of(orders, groups), unit.of_groups(last)
        faults += [unit.channel[c] & at_end[one] & before[one, other] for one, other in before]
    return faults


def before_of(orders, served):
    """``{(one, other): one comes before other}``, with those counted that are ``served``."""
    found = {}
    for low, high in orders:
        found[low, high] = orders[low, high] & ~served[low] | served[high]
        found[high, low] = ~found[low, high]
    return found


def in_a_circle(orders, served):
    """Faults of an order: three of its members in a circle."""
    before = before_of(orders, served)
    members = {one for pair in orders for one in pair}
    threes = [three for three in permutations(members, 3) if before.keys() >= set(permutations(three, 2))]
    return [before[a, b] & before[b, c] & ~before[a, c] for a, b, c in threes]


def passed_over(m, unit, waits, heads=-1, more=0):
    """Faults: who waits for a channel is passed over on it more often than :class:`MatrixArbiter` says, and ``more``.

    ``waits``: of each input the channel for which it waited when the arbiter chose; ``heads``: inputs whose grants count.

    While an input waits, the number of grants to others, together with those that may still follow by the orders, does not rise:
    that makes the bound inductive.
    """
    faults, grant, groups = [], unit.grant, len(unit.groups)
    served = unit.channel & grant.any().replicate(len(unit.channel))
    members = before_of(unit.order, grant)
    of_channels = [
        before_of(orders, unit.of_groups(grant) & served[c].replicate(groups)) for c, orders in enumerate(unit.group_orders)
    ]
    for one, waiting in enumerate(waits):
        number = next(place for place, group in enumerate(unit.groups) if one in group)
        group = unit.groups[number]
        limit = len(group) * groups - 1 + more
        count = Signal(range(limit + 3), name=f"count_{one}")
        old = Signal(range(limit + 3), name=f"old_count_{one}")
        still = Signal(len(waiting), name=f"still_{one}")
        passes = unit.chose & (served & waiting).any() & (grant & heads).any() & ~grant[one]
        m.d.comb += count.eq(Mux(waiting == still, old, 0) + passes)
        m.d.sync += [still.eq(Mux(grant[one], 0, waiting)), old.eq(count)]
        ahead = sum(members[rival, one] for rival in group if rival != one)
        for c, orders in enumerate(of_channels):
            before = sum(orders[other, number] for other in range(groups) if other != number)
            faults.append(waiting[c] & ~grant[one] & (count + ahead * groups + before > limit))
    return faults


def nobody_twice(m, orders, members, asked, grant, always=None):
    """Faults of an order: one of its members that asks is passed over twice by the same one; and what makes this impossible.

    ``always``: members that are never passed over twice, by default all.
    """
    before_it = before_of(orders, grant)
    faults = in_a_circle(orders, grant)
    for waits, other in permutations(members, 2):
        passed = Signal()
        again = asked[waits] & grant[other] & (1 if always is None else always[waits])
        m.d.sync += passed.eq(~grant[waits] & (passed | again))
        faults += [passed & again, passed & ~grant[waits] & ~before_it[waits, other]]
    return faults


class RankedArbiterMonitor(Monitor):
    """Grants go to a requester of the greatest rank; and nobody of the greatest rank of all is passed over twice by another.

    The environment gives each input a rank of two bits, one cycle before the arbiter compares them.
    """

    def __init__(self, inputs, kind=MatrixArbiter):
        unit = kind(inputs, ranked=True)
        self.ranks = [Signal(2, name=f"rank_{one}") for one in range(inputs)]
        super().__init__(unit, [unit.request.as_value(), unit.keep, *self.ranks])

    def watch(self, m):
        unit, ranks = self.unit, self.ranks
        asked = Signal(len(ranks))
        old = [Signal(2, name=f"old_{one}") for one in range(len(ranks))]
        m.d.comb += [
            unit.above.eq(Cat(ranks[low] > ranks[high] for low, high in unit.order)),
            unit.below.eq(Cat(ranks[low] < ranks[high] for low, high in unit.order)),
        ]
        m.d.sync += [
            asked.eq(Mux(unit.keep.any(), 0, unit.request.as_value())),
            *(last.eq(rank) for last, rank in zip(old, ranks)),
        ]
        grant = unit.grant
        faults = [several(grant), asked.any() & ~grant.any()]
        members = range(len(ranks))
        faults += [asked[waits] & grant[other] & (old[other] < old[waits]) for waits, other in permutations(members, 2)]
        faults += nobody_twice(m, unit.order, members, asked, grant, [rank.all() for rank in old])
        return faults, [~(unit.keep & (unit.keep - 1)).any()]


class LeastRecentMonitor(Monitor):
    """One pick among requests, and nobody is served twice while another requests and is not served."""

    def __init__(self, inputs, kind=LeastRecent):
        unit = kind(inputs)
        super().__init__(unit, [unit.request, unit.served])
        self.count = inputs

    def watch(self, m):
        unit, count = self.unit, self.count
        pick, served = unit.pick, unit.served
        faults = [several(pick), (pick & ~unit.request).any(), unit.request.any() & ~pick.any()]
        first = {}
        for (low, high), order in unit.order.items():
            first[low, high], first[high, low] = order, ~order
        faults += [first[a, b] & first[b, c] & ~first[a, c] for a, b, c in permutations(range(count), 3)]
        for waits, other in permutations(range(count), 2):
            passed = Signal(name=f"passed_{waits}_{other}")
            m.d.sync += passed.eq(~served[waits] & (passed | unit.request[waits] & served[other]))
            faults += [passed & unit.request[waits] & pick[other], passed & ~first[waits, other]]
        return faults, [~several(served)]


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
            unit.late("any") != ((now < depth) & ~stalled),
            unit.late("packet") != ((now + self.packet <= depth) & ~stalled),
        ]
        # A flit is sent if there was a credit for it in the cycle before; a credit comes back if one is out.
        return faults, [~unit.sent | could, ~unit.credit | now.any()]


class BufferMonitor(Monitor):
    """The RAM holds what it has words for, nothing is lost, and flits leave in order. Only confirmed flits count."""

    def __init__(self, depth, speculative=False, kind=ChannelBuffer):
        unit = kind(LAYOUT, depth, speculative)
        self.confirmed = unit.confirmed if speculative else Const(1, 1)
        super().__init__(unit, [unit.valid, unit.entry.as_value(), unit.pop, *([unit.confirmed] if speculative else [])])
        self.depth = depth

    def watch(self, m):
        unit, depth = self.unit, self.depth
        held = Signal(range(depth + 1))
        came = Signal(3)
        left = Signal(3)
        comes = unit.valid & self.confirmed
        m.d.sync += [held.eq(held + comes - unit.pop), came.eq(came + comes), left.eq(left + unit.pop)]
        self.level_faults = [
            unit.level > unit.words,
            held != unit.level + unit.front_valid + unit.second_valid,
            # Why that is so.
            unit.filled != unit.level.any(),
            (unit.level >= 2) & ~unit.second_valid,
            (unit.level >= 3) & ~unit.front_valid,
        ]
        rules = [~comes | (held < depth), ~unit.pop | unit.front_valid, ~comes | (unit.entry.flit.data == came)]
        return self.level_faults + self.order_faults(unit, left), rules

    def order_faults(self, unit, left):
        """Nothing about the contents of the RAM: induction knows them not."""
        return []


class OrderMonitor(BufferMonitor):
    """As :class:`BufferMonitor`, and the flit in front is the one whose turn it is. For a bounded number of cycles."""

    def order_faults(self, unit, left):
        return [unit.front_valid & (unit.front.flit.data != left)]


class TagMonitor(BufferMonitor):
    """The tag in front is that of the head that came last and was confirmed."""

    def __init__(self, depth, kind=ChannelBuffer):
        super().__init__(depth, True, kind)

    def order_faults(self, unit, left):
        return []

    def watch(self, m):
        unit = self.unit
        faults, rules = super().watch(m)
        # The environment: heads come to an empty buffer only.
        tag = Signal.like(unit.front.tag)
        with m.If(unit.valid & self.confirmed & unit.entry.flit.head):
            m.d.sync += tag.eq(unit.entry.tag)
        empty = ~unit.front_valid & ~unit.second_valid & ~unit.filled
        return [*faults, unit.front.tag != tag], [*rules, ~unit.valid | ~self.confirmed | ~unit.entry.flit.head | empty]


class SharedBufferMonitor(Monitor):
    """Channels of a port with their shared RAM: flits leave each channel in order, and none finds the RAM full.

    Flits of a channel are numbered. The environment counts as senders do: ``reserved`` flits of each channel and, beyond them,
    ``words`` in all. A flit comes two cycles after a credit at the earliest.
    """

    def __init__(self, channels, reserved, words, kind=SharedBuffer, buffer=PooledChannelBuffer):
        self.buffers = [buffer(LAYOUT, reserved, words) for _ in range(channels)]
        super().__init__(kind(LAYOUT, channels, words), [])
        self.valid = Signal(channels)
        self.pop = Signal(channels)
        self.inputs = [self.valid, self.pop]
        self.reserved, self.words = reserved, words

    def watch(self, m):
        unit, reserved = self.unit, self.reserved
        faults, used, fits = [], [], []
        entry = Signal(LAYOUT)
        for v, buffer in enumerate(self.buffers):
            m.submodules[f"buffer_{v}"] = buffer
            came = Signal(3, name=f"came_{v}")
            left = Signal(3, name=f"left_{v}")
            held = Signal(range(reserved + self.words + 1), name=f"held_{v}")
            returned = Signal(name=f"returned_{v}")
            above = Signal(range(self.words + 1), name=f"above_{v}")
            m.d.sync += [
                came.eq(came + self.valid[v]),
                left.eq(left + buffer.pop),
                returned.eq(buffer.credit),
                held.eq(held + self.valid[v] - returned),
            ]
            with m.If(self.valid[v]):
                m.d.comb += entry.flit.data.eq(came)
            m.d.comb += [
                entry.flit.head.eq(1),
                above.eq(Mux(held > reserved, held - reserved, 0)),
                buffer.valid.eq(self.valid[v]),
                buffer.entry.eq(entry),
                buffer.pop.eq(self.pop[v] & buffer.front_valid),
                unit.writes[v].eq(buffer.writes),
                unit.wants[v].eq(buffer.wants),
                unit.filled[v].eq(buffer.filled_now),
                unit.single[v].eq(buffer.single_now),
                buffer.reads.eq(unit.reads[v]),
                buffer.word.eq(unit.word),
            ]
            used.append(above)
            fits.append(self.valid[v] & (held >= reserved))
            faults += [
                buffer.front_valid & (buffer.front.flit.data != left),
                # No credit too many, and none forgotten.
                buffer.credit & ~(held - returned).any(),
                (came == left) & ~returned & ~buffer.credit & held.any() & ~buffer.owed.any(),
            ]
        m.d.comb += unit.entry.eq(entry)
        faults += [unit.writes.any() & ~unit.spare_valid, (unit.reads & ~unit.wants).any()]
        return faults, [~(self.valid & (self.valid - 1)).any(), ~Cat(fits).any() | (sum(used) < self.words)]


class PoolMonitor(Monitor):
    """Flits of all channels beyond their reserves are at most the pool, and those of one channel at most its limit.

    The counter's own state agrees with both.

    The environment begins packets that fit by the pool, or by the reserve of their channel, in the cycle before they pass.
    """

    def __init__(self, channels, packet, pool, limit, kind=PoolCounter):
        self.sizes = (packet, packet, pool, limit)
        unit = kind(channels, *self.sizes)
        super().__init__(unit, [unit.sent, unit.tail, unit.chose, unit.credit, unit.stall])

    def watch(self, m):
        unit = self.unit
        packet, reserved, pool, limit = self.sizes
        faults, uses = [], []
        rules = [~(unit.sent & (unit.sent - 1)).any(), ~(unit.sent & ~unit.held).any() | unit.chose]
        for c, (claim, rest) in enumerate(zip(unit.claims, unit.rests)):
            held = Signal(name=f"held_{c}")
            could = Signal(name=f"could_{c}", init=1)
            out = Signal(range(reserved + limit + 2), name=f"out_{c}")
            now = Signal(range(reserved + limit + 2), name=f"out_now_{c}")
            sends, head = unit.sent[c], unit.sent[c] & ~held
            m.d.comb += [unit.held[c].eq(held), now.eq(out + sends)]
            still = Mux(sends, ~unit.tail, held)
            m.d.sync += [held.eq(still), out.eq(now - unit.credit[c])]
            # By the reserve: with the flit that passes now.
            m.d.sync += could.eq(~still & ((now + packet <= reserved) | unit.fits[c]))
            # A flit whose packet would be longer than a longest one does not come; the last of such a packet is its tail.
            rules += [~head | could, ~unit.credit[c] | now.any(), ~(sends & held & (rest == 1)) | unit.tail]
            if packet == 1:
                rules.append(~sends | unit.tail)
            used = Signal(range(pool + limit + packet + 1), name=f"used_{c}")
            m.d.comb += used.eq(Mux(claim[-1], 0, claim))
            uses.append(used)
            faults += [claim + reserved != out + rest, held != rest.any(), used > limit]
        faults += [sum(uses) > pool, unit.used != sum(uses)]
        return faults, rules


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

    def __init__(self, shape, sources, speculative=False, kind=Allocator):
        self.port = next(port for port in shape.ports if port.is_host)
        unit = kind(shape, self.port, sources, speculative)
        unconfirmed = [unit.unconfirmed] if speculative else []
        super().__init__(unit, [unit.requests.as_value(), unit.front.as_value(), unit.ends, unit.credit, *unconfirmed])
        self.depth, self.sources, self.is_single = shape.depth, sources, shape.packet == 1
        #: Of each input the channel that its head asked for in the cycle before, and that of its open packet; one-hot or 0.
        self.waits, self.holds = [], []

    def watch(self, m):
        unit = self.unit
        faults = [(unit.sent & (unit.sent - 1)).any(), (unit.grant & (unit.grant - 1)).any()]
        rules, users = [], []
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
        last = Signal(self.sources)
        last_now = Signal(self.sources)
        m.d.comb += last_now.eq(Mux(arbiter.chose, unit.grant, last))
        m.d.sync += last.eq(last_now)
        faults = [*order_faults(arbiter, last_now), (unit.preferred & ~last_now).any()]
        for v in range(self.sources):
            entry = of_source(unit.requests.entry, v)
            now = Cat(entry.taken, entry.head, entry.single, entry.channel)
            asked = Signal(len(now), name=f"asked_now_{v}")
            stays = Signal(name=f"stays_{v}")
            m.d.sync += [asked.eq(now), stays.eq(entry.taken)]
            rules.append(~(stays & ~unit.grant[v]) | (now == asked))
        for c, orders in enumerate(arbiter.group_orders):
            holders = Cat(holds[c] for holds in self.holds)
            faults += [several(holders), holders.any() != unit.held[c]]
            # The packet that holds a channel was the last to be granted on it.
            served = arbiter.of_groups(unit.grant) & (arbiter.channel[c] & unit.grant.any()).replicate(len(arbiter.groups))
            at_end = arbiter.of_groups(holders)
            faults += [at_end[one] & first for (one, _), first in before_of(orders, served).items()]
        return faults + passed_over(m, arbiter, self.waits, self.heads, 1), rules
