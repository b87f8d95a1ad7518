"""Models of arbiters: orders are lists, the least recently served one first."""


class ArbiterModel:
    """:class:`MatrixArbiter`. ``choose`` and ``serve`` are called once per cycle."""

    def __init__(self, inputs, channels=1, groups=1):
        self.groups = [list(range(number, inputs, groups)) for number in range(groups)]
        self.group_orders = [list(range(groups)) for _ in range(channels)]
        self.channel_order, self.channel = list(range(channels)), 0
        #: The input that was granted last, which alone may be kept.
        self.last = None

    def choose(self, request, ranks=None):
        """``(channel, input)`` of ``request``, one set of inputs per channel; None without a request."""
        for channel in self.channel_order:
            for group in self.group_orders[channel] if request[channel] else ():
                if asking := [one for one in self.groups[group] if one in request[channel]]:
                    return channel, max(asking, key=lambda one: ranks[one]) if ranks else asking[0]
        return None

    def serve(self, choice, kept=None, counts=True):
        """Grant ``choice``, or ``kept``; without ``counts`` neither, though it is chosen. Returns the granted input or None."""
        if kept is None and choice is not None:
            self.channel = choice[0]
            self.last = choice[1] if counts else None
        granted = kept if kept is not None else choice and choice[1]
        if granted is None or not counts:
            return None
        group = next(number for number, group in enumerate(self.groups) if granted in group)
        orders = (self.groups[group], granted), (self.group_orders[self.channel], group), (self.channel_order, self.channel)
        for order, served in orders:
            order.append(order.pop(order.index(served)))
        return granted


class NetworkModel:
    """:class:`NetworkArbiter`, whose virtual networks have the models ``parts``."""

    def __init__(self, parts, unit=1, weights=()):
        self.parts, self.unit, self.grace = parts, unit, min(unit, 4)
        count = len(parts)
        self.order, self.served = list(range(count)), None
        self.has_budgets, self.left = bool(weights), [weight * unit for weight in weights or [1] * count]
        self.waited, self.asked = [0] * count, [False] * count

    def passes(self, asks, keeps, levels):
        """Of each virtual network whether one of its inputs may be granted: ``asks`` and ``keeps`` say which ones want that."""
        found = []
        for own, level in enumerate(levels):
            same = [other for other in self.order if levels[other] == level]
            if self.has_budgets:
                same.sort(key=lambda one: self.left[one] <= 0)
            first = next((one for one in same if asks[one]), None)
            may = keeps[own] if any(keeps[one] for one in same) else own == first
            found.append(may and not any(asks[one] for one, other in enumerate(levels) if other > level))
        return found

    def step(self, asks, kept, counts, levels, weights, ranks=None):
        """One cycle: ``((virtual network, input) or None, whether it was chosen)``.

        ``asks``: of each virtual network its requests; ``kept``: one of these pairs; ``counts(network, input)``.
        """
        asking = [any(own) for own in asks]
        passes = self.passes(asking, [kept is not None and kept[0] == one for one in range(len(asks))], levels)
        chose, granted = False, None
        for number, part in enumerate(self.parts):
            mine = kept[1] if kept and kept[0] == number else None
            choice = part.choose(asks[number], ranks and ranks[number]) if passes[number] else None
            one = mine if mine is not None else choice and choice[1]
            got = part.serve(choice, mine, passes[number] and one is not None and counts(number, one))
            chose |= choice is not None and mine is None
            if got is not None:
                granted = number, got
        self.advance(asking, granted and granted[0], levels, weights)
        return granted, chose

    def advance(self, asks, granted, levels, weights):
        """The end of a cycle in which the virtual network ``granted`` has been granted, or None."""
        refills = []
        for own, level in enumerate(levels):
            asking = [one for one, other in enumerate(levels) if other == level and self.asked[one]]
            lacks = asking and all(self.left[one] <= 0 for one in asking)
            refills.append(lacks and self.waited[own] == self.grace - 1)
            self.waited[own] = self.waited[own] + 1 if lacks and not refills[-1] else 0
        for own, weight in enumerate(weights):
            left, most = self.left[own] - (self.served == own), max(weight, 1) * self.unit
            refilled = most if left > 0 else left + most
            self.left[own] = refilled if refills[own] else max(left, 2 - self.unit - self.grace)
        self.asked, self.served = asks, granted
        if granted is not None:
            self.order.append(self.order.pop(self.order.index(granted)))
