"""Arbiters: the least recently served one of those that ask."""

from itertools import combinations
from math import isqrt

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out


class _Ordered(wiring.Component):
    """What arbiters share: orders of requesters by the last time when they were served."""

    @staticmethod
    def _orders(name, members):
        """For each pair ``(low, high)`` of ``members`` the register that says whether ``low`` comes before ``high``."""
        return {(low, high): Signal(name=f"{name}_{low}_{high}", init=1) for low, high in combinations(members, 2)}

    def _update(self, m, orders, served):
        """Move the one that is ``served`` to the end of ``orders``. Returns their next values."""
        found = {}
        for (low, high), order in orders.items():
            found[low, high] = order_now = Signal(name=f"{order.name}_now")
            m.d.comb += order_now.eq(order & ~served[low] | served[high])
            m.d.sync += order.eq(order_now)
        return found

    def _loses(self, m, name, request, orders, one, rivals):
        """Whether one of the ``rivals`` asks that comes before ``one``, by ``orders`` of pairs."""
        loses = Signal(name=f"{name}_{one}")
        before = {rival: orders[rival, one] if rival < one else ~orders[one, rival] for rival in rivals if rival != one}
        m.d.comb += loses.eq(Cat(request[rival] & first for rival, first in before.items()).any())
        return loses


class LeastRecent(_Ordered):
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
        #: For each pair ``(low, high)`` whether ``low`` comes before ``high``.
        self.order = self._orders("order", range(inputs))
        super().__init__({"request": In(inputs), "served": In(inputs), "pick": Out(inputs)})

    def elaborate(self, platform):
        m = Module()
        self._update(m, self.order, self.served)
        inputs = range(len(self.request))
        for one in inputs:
            loses = self._loses(m, "loses", self.request, self.order, one, inputs)
            m.d.comb += self.pick[one].eq(self.request[one] & ~loses)
        return m


class MatrixArbiter(_Ordered):
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
    - request (In(array of inputs)): The channel for which each input asks, one-hot or 0.
    - keep (In(inputs)): One-hot or 0. If not 0, it is granted and ``request`` is ignored; it was the last to be granted.
    - above, below (In(pairs)): With ``ranked``, which has one order of all inputs, whatever their channels: for each pair
      ``(low, high)`` of :attr:`order` whether ``low`` ranks above ``high``, below it. Among requesters of one rank, the least
      recently served one is granted. A request of the greatest rank waits as without ranks. They should come earlier than
      requests.
    - unconfirmed (In(inputs)): With ``speculative``: what this input asks for does not count. Late: neither the input nor
      another one is granted.
    - grant (Out(inputs)): One-hot, or 0 without a request; registered.
    - chose (Out(1)): The grant is none that was kept; registered. It may be 1 without a grant if ``speculative``.
    """

    def __init__(self, inputs: int, channels: int = 1, speculative=False, ranked=False):
        self._speculative, self._ranked = speculative, ranked
        self._choices = 1 if ranked else channels
        groups = 1 if ranked else isqrt(inputs - 1) + 1
        #: The inputs of each group.
        self.groups = [range(number, inputs, groups) for number in range(groups)]
        #: For each pair ``(low, high)`` of inputs of a group the register that says whether ``low`` comes before ``high``,
        #: without the last grant; for each channel the same of groups; the same of channels.
        self.order = {pair: order for group in self.groups for pair, order in self._orders("order", group).items()}
        self.group_orders = [self._orders(f"group_order_{c}", range(groups)) for c in range(self._choices)]
        self.channel_order = self._orders("channel_order", range(self._choices))
        #: The channel that was chosen last, one-hot.
        self.channel = Signal(self._choices)
        more = {"unconfirmed": In(inputs)} if speculative else {}
        more |= dict.fromkeys(("above", "below"), In(len(self.order))) if ranked else {}
        request = data.ArrayLayout(channels, inputs)
        super().__init__({"request": In(request), "keep": In(inputs), **more, "grant": Out(inputs), "chose": Out(1)})

    def elaborate(self, platform):
        m = Module()
        choices = range(self._choices)
        requests = [Signal(len(self.grant), name=f"request_{c}") for c in choices]
        wins = [Signal(len(self.groups), name=f"wins_{c}") for c in choices]
        channel_request = Signal(self._choices)
        wins_channel = Signal(self._choices)
        served = Signal(self._choices)
        kept = Signal()
        chooses = Signal()
        for c, request in enumerate(requests):
            asks = [one.any() if self._ranked else one[c] for one in self.request]
            m.d.comb += [request.eq(Cat(asks)), channel_request[c].eq(request.any())]
        m.d.comb += [
            kept.eq(self.keep.any()),
            chooses.eq(channel_request.any() & ~kept),
            served.eq(Mux(self.grant.any(), self.channel, 0)),
        ]
        m.d.sync += self.chose.eq(chooses)
        with m.If(chooses):
            m.d.sync += self.channel.eq(wins_channel)
        channel_orders = self._update(m, self.channel_order, served)
        for c in choices:
            loses = self._loses(m, "channel_loses", channel_request, channel_orders, c, choices)
            m.d.comb += wins_channel[c].eq(channel_request[c] & ~loses)
            self._choose_group(m, c, requests[c], served[c], wins[c])
        orders = self._ranks(m, self._update(m, self.order, self.grant))
        for number, group in enumerate(self.groups):
            for one in group:
                found = []
                for c, request in enumerate(requests):
                    loses = self._loses(m, f"loses_{c}", request, orders, one, group)
                    found.append(request[one] & ~loses & wins[c][number] & wins_channel[c])
                granted = Mux(kept, self.keep[one], Cat(found).any())
                m.d.sync += self.grant[one].eq(granted & ~self.unconfirmed[one] if self._speculative else granted)
        return m

    def of_groups(self, bits):
        """The OR of the bits of each group, of one bit per input."""
        return Cat(Cat(bits[one] for one in group).any() for group in self.groups)

    def _choose_group(self, m, channel, request, served, wins):
        """The groups that lose to none on a channel, of the requests for it; ``served``: the last grant was on this channel."""
        groups = range(len(self.groups))
        asks = Signal(len(groups), name=f"group_request_{channel}")
        grants = Signal(len(groups), name=f"group_grant_{channel}")
        m.d.comb += [asks.eq(self.of_groups(request)), grants.eq(Mux(served, self.of_groups(self.grant), 0))]
        orders = self._update(m, self.group_orders[channel], grants)
        loses = [self._loses(m, f"group_loses_{channel}", asks, orders, number, groups) for number in groups]
        m.d.comb += wins.eq(~Cat(loses))

    def _ranks(self, m, orders):
        """The orders of inputs, with ranks in front of them."""
        if not self._ranked:
            return orders
        found = {}
        for pair, ((low, high), order) in enumerate(orders.items()):
            found[low, high] = ranked = Signal(name=f"ranked_{low}_{high}")
            m.d.comb += ranked.eq(self.above[pair] | ~self.below[pair] & order)
        return found
