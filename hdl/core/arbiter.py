"""Arbiters: the least recently served one of those that ask."""

from functools import reduce
from itertools import combinations
from math import isqrt
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out


class Ordered(wiring.Component):
    """What arbiters share: orders of requesters by the last time when they were served.

    An order is a register with one bit per pair ``(low, high)`` of its members: ``low`` comes before ``high``.
    """

    @staticmethod
    def _order(name, members):
        """The register of an order of ``members``."""
        size = len(members) * (len(members) - 1) // 2
        return Signal(size, name=name, init=(1 << size) - 1)

    @staticmethod
    def _pairs(members, order):
        """``{(low, high): bit}`` of an order of ``members``."""
        return dict(zip(combinations(members, 2), order))

    def _update(self, m, members, order, served):
        """Move the one that is ``served`` to the end of an order. Returns its next value."""
        pairs = self._pairs(members, order)
        order_now = Signal.like(order, name=f"{order.name}_now")
        low_served, high_served = (Cat(served[pair[end]] for pair in pairs) for end in (0, 1))
        m.d.comb += order_now.eq(order & ~low_served | high_served)
        m.d.sync += order.eq(order_now)
        return order_now

    def _ahead(self, m, name, members, order):
        """``{member: which of the others come before it}``"""
        found, pairs = {}, self._pairs(members, order)
        for one in members:
            found[one] = Signal(len(members) - 1, name=f"{name}_{one}")
            rivals = [pairs[rival, one] if rival < one else ~pairs[one, rival] for rival in members if rival != one]
            m.d.comb += found[one].eq(Cat(rivals))
        return found

    @staticmethod
    def _loses(request, one, ahead):
        """Whether one of the rivals of ``one`` asks that comes before it, by the result of :meth:`_ahead`."""
        return (Cat(request[rival] for rival in ahead if rival != one) & ahead[one]).any()


class LeastRecent(Ordered):
    """Picks the least recently served requester. Combinational, with one bit of state per pair of requesters.

    Being picked does not change the order, only being served does. So a requester that is picked in vain stays where it is: while
    it requests, each other one is served at most once before it is picked.

    Members
    -------
    - request (In(inputs)): Requests.
    - served (In(inputs)): One-hot or 0: goes to the end of the order, from the next cycle on.
    - pick (Out(inputs)): One-hot, or 0 without a request.
    """

    def __init__(self, inputs: int):
        self._inputs = range(inputs)
        self._served_last = self._order("order", self._inputs)
        super().__init__({"request": In(inputs), "served": In(inputs), "pick": Out(inputs)})

    @property
    def order(self):
        """For each pair ``(low, high)`` whether ``low`` comes before ``high``."""
        return self._pairs(self._inputs, self._served_last)

    def elaborate(self, platform):
        m = Module()
        self._update(m, self._inputs, self._served_last, self.served)
        ahead = self._ahead(m, "before", self._inputs, self._served_last)
        for one in self._inputs:
            m.d.comb += self.pick[one].eq(self.request[one] & ~self._loses(self.request, one, ahead))
        return m


class MatrixArbiter(Ordered):
    """Grants an output to one of the inputs that ask for its channels. Latency 1 cycle.

    The grant goes to the channel that was given least recently, on it to the least recently served group of inputs, and in the
    group to the least recently served input. Input ``i`` is in group ``i`` modulo the number of groups, which is the root of the
    number of inputs, so that the channels of one port are spread over the groups, and groups are served alike. The three choices
    are made at the same time. The order of groups is one per channel, and only grants on this channel change it; the order of
    inputs in a group is the same for all channels. With 17 inputs and one channel, these are 31 bits of state instead of the 136
    of an order of all inputs.

    While an input waits for a channel, each other input of its group is granted at most once, and each other group at most once
    on that channel between two grants to its own. So at most ``size * groups - 1`` grants on that channel go to others, ``size``
    being that of its group, whatever is asked for on other channels. A channel may close and open again, as long as all inputs
    that wait for it ask in the same cycles.

    The orders of a cycle already count the grant that is in the register, which enters the orders' own registers one cycle
    later. So a late request passes through the comparison only.

    Members
    -------
    - request (In(array of inputs)): Of each channel: the inputs that ask for it; each asks for one at most.
    - keep (In(inputs)): One-hot or 0. If not 0, it is granted and ``request`` is ignored; it was the last to be granted.
    - above, below (In(pairs)): With ``ranked``, which has one order of all inputs, whatever their channels: for each pair
      ``(low, high)`` of :attr:`order` whether ``low`` ranks above ``high``, below it. Among requesters of one rank, the least
      recently served one is granted. A request of the greatest rank waits as without ranks. They should come earlier than
      requests.
    - unconfirmed (In(inputs)): With ``speculative``: what this input asks for does not count. Late: neither the input nor
      another one is granted.
    - asks (Out(1)), passes (In(1)): With ``is_one_of_several``: some input asks; an input may be granted, also a kept one. Both
      later than requests.
    - grant (Out(inputs)): One-hot, or 0 without a request; registered.
    - chose (Out(1)): The grant is none that was kept; registered. It may be 1 without a grant if ``speculative``.
    """

    def __init__(self, inputs: int, channels: int = 1, speculative=False, ranked=False, is_one_of_several=False):
        self._speculative, self._ranked, self._is_one_of_several = speculative, ranked, is_one_of_several
        self._channels = range(1 if ranked else channels)
        groups = 1 if ranked else isqrt(inputs - 1) + 1
        #: The inputs of each group.
        self.groups = [range(number, inputs, groups) for number in range(groups)]
        # The orders of the inputs of each group, without the last grant; for each channel that of groups; that of channels.
        self._orders = [self._order(f"order_{number}", group) for number, group in enumerate(self.groups)]
        self._group_orders = [self._order(f"group_order_{c}", self.groups) for c in self._channels]
        self._channel_order = self._order("channel_order", self._channels)
        #: The channel that was chosen last, one-hot.
        self.channel = Signal(len(self._channels))
        more = {"unconfirmed": In(inputs)} if speculative else {}
        more |= dict.fromkeys(("above", "below"), In(len(self.order))) if ranked else {}
        more |= {"asks": Out(1), "passes": In(1)} if is_one_of_several else {}
        request = data.ArrayLayout(inputs, channels)
        super().__init__({"request": In(request), "keep": In(inputs), **more, "grant": Out(inputs), "chose": Out(1)})

    @property
    def order(self):
        """For each pair ``(low, high)`` of inputs of a group whether ``low`` comes before ``high``, without the last grant."""
        orders = (self._pairs(group, order) for group, order in zip(self.groups, self._orders))
        return {pair: bit for order in orders for pair, bit in order.items()}

    @property
    def group_orders(self):
        """For each channel the same of groups."""
        return [self._pairs(range(len(self.groups)), order) for order in self._group_orders]

    @property
    def channel_order(self):
        """The same of channels."""
        return self._pairs(self._channels, self._channel_order)

    def elaborate(self, platform):
        m = Module()
        inputs = len(self.grant)
        requests = [Signal(inputs, name=f"request_{c}") for c in self._channels]
        wins = [Signal(inputs, name=f"wins_{c}") for c in self._channels]
        channel_request = Signal(len(self._channels))
        wins_channel = Signal(len(self._channels))
        served = Signal(len(self._channels))
        kept = Signal()
        chooses = Signal()
        asking = [reduce(or_, self.request)] if self._ranked else self.request
        some = channel_request.any() & ~kept
        if self._is_one_of_several:
            m.d.comb += self.asks.eq(channel_request.any())
            some &= self.passes
        m.d.comb += [
            *(request.eq(asks) for request, asks in zip(requests, asking)),
            channel_request.eq(Cat(request.any() for request in requests)),
            kept.eq(self.keep.any()),
            chooses.eq(some),
            served.eq(Mux(self.grant.any(), self.channel, 0)),
        ]
        m.d.sync += self.chose.eq(chooses)
        with m.If(chooses):
            m.d.sync += self.channel.eq(wins_channel)
        channel_order = self._update(m, self._channels, self._channel_order, served)
        channels_ahead = self._ahead(m, "channel_before", self._channels, channel_order)
        ahead = self._inputs_ahead(m)
        for c, request in enumerate(requests):
            groups_win = self._choose_group(m, c, request, self.channel[c])
            loses_channel = self._loses(channel_request, c, channels_ahead)
            m.d.comb += wins_channel[c].eq(channel_request[c] & ~loses_channel)
            loses = Signal(inputs, name=f"loses_{c}")
            of_group = Cat(groups_win[one % len(self.groups)] for one in range(inputs))
            m.d.comb += [
                loses.eq(Cat(self._loses(request, one, ahead[one % len(self.groups)]) for one in range(inputs))),
                wins[c].eq(request & ~loses & of_group & wins_channel[c].replicate(inputs)),
            ]
        granted = Mux(kept, self.keep, reduce(or_, wins))
        if self._is_one_of_several:
            granted &= self.passes.replicate(inputs)
        m.d.sync += self.grant.eq(granted & ~self.unconfirmed if self._speculative else granted)
        return m

    def of_groups(self, bits):
        """The OR of the bits of each group, of one bit per input."""
        return Cat(Cat(bits[one] for one in group).any() for group in self.groups)

    def _choose_group(self, m, channel, request, served):
        """The groups that lose to none on a channel, of the requests for it; ``served``: the last grant was on this channel."""
        groups = range(len(self.groups))
        asks = Signal(len(groups), name=f"group_request_{channel}")
        grants = Signal(len(groups), name=f"group_grant_{channel}")
        wins = Signal(len(groups), name=f"group_wins_{channel}")
        m.d.comb += [asks.eq(self.of_groups(request)), grants.eq(Mux(served, self.of_groups(self.grant), 0))]
        order = self._update(m, groups, self._group_orders[channel], grants)
        ahead = self._ahead(m, f"group_before_{channel}", groups, order)
        m.d.comb += wins.eq(~Cat(self._loses(asks, number, ahead) for number in groups))
        return wins

    def _inputs_ahead(self, m):
        """Of each group the result of :meth:`_ahead`, with ranks in front of the order."""
        orders = [self._update(m, *pair, self.grant) for pair in zip(self.groups, self._orders)]
        if self._ranked:
            ranked = Signal.like(orders[0], name="ranked")
            m.d.comb += ranked.eq(self.above | ~self.below & orders[0])
            orders = [ranked]
        return [self._ahead(m, "before", *pair) for pair in zip(self.groups, orders)]
