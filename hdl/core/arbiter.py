"""Arbiters: the least recently served one of those that ask."""

from itertools import combinations
from math import isqrt

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
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
    """Grants the least recently served requester of the least recently served group of requesters. Latency 1 cycle.

    Input ``i`` is in group ``i`` modulo the number of groups, which is the root of the number of inputs, so that the channels of
    one port are spread over the groups, and groups are served alike. Both choices are made at the same time. A bit of state per
    pair of inputs of a group, and per pair of groups, is a quarter of what all pairs need at 17 inputs.

    While an input requests and is not granted, each other input of its group is granted at most once, and each other group at
    most once between two grants to its own. So it waits for at most ``size * groups - 1`` grants to others, ``size`` being that
    of its group. This also holds if requests come and go: cycles without a request change the order only in the waiting input's
    favour.

    The order of a cycle already counts the grant that is in the register, which enters the order's own registers one cycle
    later. So a late request passes through the comparison only.

    Members
    -------
    - request: Requests.
    - keep: One-hot or 0. If not 0, it is granted and ``request`` is ignored.
    - above, below (In(pairs)): With ``ranked``, where each input is a group: for each pair ``(low, high)`` of
      :attr:`group_order` whether ``low`` ranks above ``high``, below it. Among requesters of one rank, the least recently served
      one is granted. A request of the greatest rank waits as without ranks. They should come earlier than requests.
    - unsure (In(inputs)): With ``speculative``: what this input asks for does not count. Late: the input is not granted, and no
      other one in its place.
    - grant: One-hot, or 0 without a request; registered.
    - chose (Out(1)): The grant is none that was kept; registered. It may be 1 without a grant if ``speculative``.
    """

    def __init__(self, inputs: int, speculative=False, ranked=False):
        self._speculative, self._ranked = speculative, ranked
        groups = inputs if ranked else isqrt(inputs - 1) + 1
        #: The inputs of each group.
        self.groups = [range(number, inputs, groups) for number in range(groups)]
        #: For each pair ``(low, high)`` of inputs of a group, and of groups, the register that says whether ``low`` comes before
        #: ``high``, without the last grant.
        self.order = {pair: order for group in self.groups for pair, order in self._orders("order", group).items()}
        self.group_order = self._orders("group_order", range(groups))
        more = {"unsure": In(inputs)} if speculative else {}
        more |= dict.fromkeys(("above", "below"), In(len(self.group_order))) if ranked else {}
        super().__init__({"request": In(inputs), "keep": In(inputs), **more, "grant": Out(inputs), "chose": Out(1)})

    def of_groups(self, bits):
        """The OR of the bits of each group, of one bit per input."""
        return Cat(Cat(bits[one] for one in group).any() for group in self.groups)

    def elaborate(self, platform):
        m = Module()
        group_request = Signal(len(self.groups))
        group_grant = Signal(len(self.groups))
        kept = Signal()
        m.d.comb += [
            group_request.eq(self.of_groups(self.request)),
            group_grant.eq(self.of_groups(self.grant)),
            kept.eq(self.keep.any()),
        ]
        m.d.sync += self.chose.eq(group_request.any() & ~kept)
        orders = self._update(m, self.order, self.grant)
        group_orders = self._ranks(m, self._update(m, self.group_order, group_grant))
        for number, group in enumerate(self.groups):
            group_loses = self._loses(m, "group_loses", group_request, group_orders, number, range(len(self.groups)))
            for one in group:
                loses = self._loses(m, "loses", self.request, orders, one, group)
                granted = Mux(kept, self.keep[one], self.request[one] & ~loses & ~group_loses)
                m.d.sync += self.grant[one].eq(granted & ~self.unsure[one] if self._speculative else granted)
        return m

    def _ranks(self, m, orders):
        """The orders of groups, with ranks in front of them."""
        if not self._ranked:
            return orders
        found = {}
        for pair, ((low, high), order) in enumerate(orders.items()):
            found[low, high] = ranked = Signal(name=f"ranked_{low}_{high}")
            m.d.comb += ranked.eq(self.above[pair] | ~self.below[pair] & order)
        return found
