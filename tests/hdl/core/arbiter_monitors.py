"""Monitors of arbiters: each states a property of its unit (:class:`Monitor`)."""

from itertools import permutations

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import data
from proofs.monitor import Monitor, several

from dsnswitch.hdl.core.arbiter import LeastRecent, MatrixArbiter


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
