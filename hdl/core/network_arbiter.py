"""Arbiter of an output with several virtual networks."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arbiter import MatrixArbiter, Ordered
from dsnswitch.hdl.core.shape import LEVEL, MAX_WEIGHT, WEIGHT


def service_layout(virtual_networks):
    """Weight and level of each virtual network at an output."""
    return data.StructLayout(
        {"weights": data.ArrayLayout(WEIGHT, virtual_networks), "levels": data.ArrayLayout(LEVEL, virtual_networks)}
    )


class NetworkArbiter(Ordered):
    """Grants an output to one of the inputs that ask for its channels, of several virtual networks. Latency 1 cycle.

    Each virtual network has a :class:`MatrixArbiter` of its own, which knows only its inputs and channels. All choices are made
    at the same time. Grants of other virtual networks leave the orders of its own as they are, so the bound of
    :class:`MatrixArbiter` holds in each virtual network, whatever is asked for in others.

    *Levels.* A grant goes to a virtual network of the highest level in which an input asks, even if one of a lower level is to be
    kept.

    *Without weights*, of a level that virtual network is chosen that was granted least recently. So while an input of one asks,
    each other one is granted at most once.

    *With weights*, each grant takes one from the budget of its virtual network. Those with a budget come before those without;
    among them the least recently granted one. When for :attr:`grace` cycles in turn none that asks has had a budget, each one of
    the level gets its weight times ``unit``, one cycle later. So a virtual network whose heads pause for some cycles loses no
    budget, and those that were served meanwhile pay for it. A budget is never more than the weight times ``unit``, nor less than
    2 - ``unit`` - :attr:`grace`. In the cycles without a budget the least recently granted one is served, whatever it owes: while
    an input of a virtual network asks, each other one of its level is chosen at most its weight times ``unit`` and
    ``grace + 1`` more times.

    *With free weights*, weights and levels are inputs, which may change in any cycle. A new weight counts from the next refill
    on, and one of 0 as 1. The bounds above hold from the last change of a level on, with the greatest weights since then.

    Parameters
    ----------
    inputs, channels : sequence of sequence of int
        Of each virtual network: its inputs and its channels. Together they are all numbers from 0, each once.
    speculative, ranked : bool
        As of :class:`MatrixArbiter`.
    weights, levels : sequence of int
        Of each virtual network: weight, none if they are equal; level.
    unit : int
        Grants for a weight of 1: flits of a longest packet.
    is_free : bool
        Weights and levels are inputs; ``weights`` are those after a reset, 1 if there are none.

    Members
    -------
    - request, keep, unconfirmed, grant, chose: As of :class:`MatrixArbiter`, of all inputs and channels. Only inputs of the
      virtual network of a channel can ask for it.
    - service (In(service_layout)): With free weights.
    - above, below (In(pairs)): With ``ranked``: those of the pairs of each virtual network, one virtual network after the other.
    """

    def __init__(self, inputs, channels, speculative=False, ranked=False, weights=(), levels=(), unit=1, is_free=False):
        self.inputs, self.channels = inputs, channels
        weights = weights or [1] * len(inputs) * is_free
        self._weights, self._levels, self._unit, self._is_free = weights, levels or [0] * len(inputs), unit, is_free
        #: Cycles for which none that asks has a budget, before each gets one. Packets of one flit have no pauses.
        self.grace = min(unit, 4)
        self._speculative, self._ranked = speculative, ranked
        #: The arbiter of each virtual network.
        self.arbiters = [
            MatrixArbiter(len(own), len(own_channels), speculative, ranked, is_one_of_several=True)
            for own, own_channels in zip(inputs, channels)
        ]
        self._networks = range(len(inputs))
        #: With weights: what is left of the budget of each virtual network.
        self.left = [
            Signal(range(2 - unit - self.grace, self._most(number) + 1), init=weight * unit, name=f"left_{number}")
            for number, weight in enumerate(weights)
        ]
        self._order_of_networks = self._order("network_order", self._networks)
        count = sum(map(len, inputs))
        more = {"unconfirmed": In(count)} if speculative else {}
        pairs = sum(len(arbiter.order) for arbiter in self.arbiters)
        more |= dict.fromkeys(("above", "below"), In(pairs)) if ranked else {}
        more |= {"service": In(service_layout(len(inputs)))} if is_free else {}
        request = data.ArrayLayout(count, sum(map(len, channels)))
        super().__init__({"request": In(request), "keep": In(count), **more, "grant": Out(count), "chose": Out(1)})

    @property
    def order(self):
        """For each pair ``(low, high)`` of virtual networks whether ``low`` comes before ``high``, without the last grant."""
        return self._pairs(self._networks, self._order_of_networks)

    def elaborate(self, platform):
        m = Module()
        asks = Signal(len(self.inputs))
        served = Signal(len(self.inputs))
        keeps = Signal(len(self.inputs))
        order = self._update(m, self._networks, self._order_of_networks, served)
        if self._weights:
            order = self._by_budget(m, order, asks, served)
        ahead = self._ahead(m, "network_before", self._networks, order)
        levels = self._levels_now
        first_pair = 0
        for number, (arbiter, inputs, channels) in enumerate(zip(self.arbiters, self.inputs, self.channels)):
            m.submodules[f"virtual_network_{number}"] = arbiter
            same = self._same(number)
            higher = Cat(other != number and level > levels[number] for other, level in enumerate(levels))
            wins = asks[number] & ~self._loses(asks & same, number, ahead)
            m.d.comb += [
                *(own.eq(Cat(self.request[c][one] for one in inputs)) for own, c in zip(arbiter.request, channels)),
                arbiter.keep.eq(Cat(self.keep[one] for one in inputs)),
                keeps[number].eq(arbiter.keep.any()),
                asks[number].eq(arbiter.asks),
                arbiter.passes.eq(Mux((keeps & same).any(), keeps[number], wins) & ~(asks & higher).any()),
                served[number].eq(arbiter.grant.any()),
                *(self.grant[one].eq(bit) for one, bit in zip(inputs, arbiter.grant)),
            ]
            if self._speculative:
                m.d.comb += arbiter.unconfirmed.eq(Cat(self.unconfirmed[one] for one in inputs))
            if self._ranked:
                last_pair = first_pair + len(arbiter.order)
                m.d.comb += [getattr(arbiter, name).eq(getattr(self, name)[first_pair:last_pair]) for name in ("above", "below")]
                first_pair = last_pair
        m.d.comb += self.chose.eq(Cat(arbiter.chose for arbiter in self.arbiters).any())
        return m

    def _weight(self, number):
        """The weight of a virtual network."""
        if not self._is_free:
            return self._weights[number]
        weight = self.service.weights[number]
        return weight | ~weight.any()

    def _most(self, number):
        """The greatest budget of a virtual network."""
        return (MAX_WEIGHT if self._is_free else self._weights[number]) * self._unit

    @property
    def _levels_now(self):
        """The level of each virtual network."""
        return [self.service.levels[number] for number in self._networks] if self._is_free else self._levels

    def _same(self, number):
        """The virtual networks of the level of one, itself included."""
        levels = self._levels_now
        return Cat(other == number or level == levels[number] for other, level in enumerate(levels))

    def _by_budget(self, m, order, asks, served):
        """An order of virtual networks, with those that have a budget in front of the others of their level."""
        count = len(self._weights)
        has_budget = Signal(count, init=(1 << count) - 1)
        asks_before = Signal(count)
        ordered = Signal.like(order, name="ordered")
        m.d.sync += asks_before.eq(asks)
        least = 2 - self._unit - self.grace
        refills_of = self._refills_of(m, asks_before, has_budget)
        for number, (left, refills) in enumerate(zip(self.left, refills_of)):
            most = self._weight(number) * self._unit
            spent = Signal(range(least - 1, self._most(number) + 1), name=f"spent_{number}")
            after = Signal(left.shape(), name=f"after_{number}")
            m.d.comb += [
                spent.eq(left - served[number]),
                # A refill comes to those that have nothing left, or less than nothing, and to those that do not ask.
                after.eq(Mux(refills, Mux(spent > 0, most, spent + most), Mux(spent < least, least, spent))),
            ]
            m.d.sync += [left.eq(after), has_budget[number].eq(after > 0)]
        pairs = self._pairs(self._networks, order)
        bits = [
            has_budget[low] & ~has_budget[high] | (has_budget[low] == has_budget[high]) & bit
            for (low, high), bit in pairs.items()
        ]
        m.d.comb += ordered.eq(Cat(bits))
        return ordered

    def _refills_of(self, m, asks, has_budget):
        """Of each virtual network whether those of its level get a budget: for some cycles none of those that ask has had one."""
        if self._is_free:
            return [self._refills(m, number, self._same(number), asks, has_budget) for number in self._networks]
        of_level = {
            level: self._refills(m, level, Cat(other == level for other in self._levels), asks, has_budget)
            for level in set(self._levels)
        }
        return [of_level[level] for level in self._levels]

    def _refills(self, m, label, own, asks, has_budget):
        """Whether those of ``own`` get a budget."""
        lacks = Signal(name=f"lacks_{label}")
        refills = Signal(name=f"refills_{label}")
        waited = Signal(range(self.grace), name=f"waited_{label}")
        m.d.comb += [
            lacks.eq((asks & own).any() & ~(asks & own & has_budget).any()),
            refills.eq(lacks & (waited == self.grace - 1)),
        ]
        m.d.sync += waited.eq(Mux(lacks & ~refills, waited + 1, 0))
        return refills
